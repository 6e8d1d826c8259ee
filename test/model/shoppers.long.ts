import { test } from 'node:test'
import { minutes } from '../../src/core/clock.ts'
import { compareWithModel, onNewServices } from './run.ts'

test('three minutes of long stories end as the model says', () =>
  onNewServices(minutes(3), (service) =>
    compareWithModel(service, 100, { runs: 50, limitMs: minutes(3), file: 'test/model/shoppers.long.ts' }),
  ))
