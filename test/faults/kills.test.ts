import { test } from 'node:test'
import { killAtRandom } from './kills.ts'

// The short form of kills.long.ts.
test('what was acknowledged survives when the service is killed, and when PostgreSQL is killed', (t) =>
  killAtRandom(t, { victims: ['service', 'database', 'service'], clients: 6, everyMs: 1_500 }))
