import { test } from 'node:test'
import { minutes } from '../../src/core/clock.ts'
import { compareBuying } from './buying.ts'
import { onNewServices } from './run.ts'

test('three minutes of long stories break no invariant at any step', () =>
  onNewServices(minutes(3), (service) =>
    compareBuying(service, 100, { runs: 50, limitMs: minutes(3), file: 'test/model/buying.long.ts' }),
  ))
