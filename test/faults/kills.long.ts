import { test } from 'node:test'
import { killAtRandom, type Victim } from './kills.ts'

const eventsMs = 180_000
const times = (count: number, victim: Victim) => Array.from({ length: count }, () => victim)

test('what was acknowledged survives 200 kills of the service, and every event is delivered', (t) =>
  killAtRandom(t, { victims: times(200, 'service'), clients: 20, everyMs: 2_000, eventsMs }))

test('what was acknowledged survives 20 kills of a service with workers', (t) =>
  killAtRandom(t, {
    ...{ victims: times(20, 'service'), clients: 20, everyMs: 2_000, eventsMs },
    settings: { VITRINE_WORKERS: '2' },
  }))

test('what was acknowledged survives 50 kills of PostgreSQL, and every event is delivered', (t) =>
  killAtRandom(t, { victims: times(50, 'database'), clients: 20, everyMs: 25_000, eventsMs }))
