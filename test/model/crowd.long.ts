import { test } from 'node:test'
import { minutes } from '../../src/core/clock.ts'
import { compareCrowds, onNewServices } from './run.ts'

test('in a minute of crowds nothing that was accepted is lost', () =>
  onNewServices(minutes(1), (service) =>
    compareCrowds(service, { runs: 100, limitMs: minutes(1), file: 'test/model/crowd.long.ts' }),
  ))
