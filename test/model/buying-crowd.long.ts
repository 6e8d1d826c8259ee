import { test } from 'node:test'
import { minutes } from '../../src/core/clock.ts'
import { compareBuyingCrowds } from './buying-crowd.ts'
import { onNewServices } from './run.ts'

test('two minutes of concurrent buyers break no invariant', () =>
  onNewServices(minutes(2), (service) =>
    compareBuyingCrowds(service, { runs: 100, limitMs: minutes(2), file: 'test/model/buying-crowd.long.ts' }),
  ))
