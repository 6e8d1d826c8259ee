import { test } from 'node:test'
import { killAtRandom } from './kills.ts'

// Short forms of kills.long.ts.
test('what was acknowledged survives when the service is killed', (t) =>
  killAtRandom(t, { victim: 'service', kills: 2, clients: 6, everyMs: 1_500 }))

test('what was acknowledged survives when PostgreSQL is killed', (t) =>
  killAtRandom(t, { victim: 'database', kills: 1, clients: 6, everyMs: 1_500 }))
