import { test } from 'node:test'
import { killAtRandom } from './kills.ts'

const eventsMs = 180_000

test('what was acknowledged survives 200 kills of the service, and every event is delivered', (t) =>
  killAtRandom(t, { victim: 'service', kills: 200, clients: 20, everyMs: 2_000, eventsMs }))

test('what was acknowledged survives 20 kills of a service with workers', (t) =>
  killAtRandom(t, {
    ...{ victim: 'service', kills: 20, clients: 20, everyMs: 2_000, eventsMs },
    settings: { VITRINE_WORKERS: '2' },
  }))

// The service restarts a PostgreSQL that crashes up to five times a minute.
test('what was acknowledged survives 50 kills of PostgreSQL, and every event is delivered', (t) =>
  killAtRandom(t, { victim: 'database', kills: 50, clients: 20, everyMs: 25_000, eventsMs }))
