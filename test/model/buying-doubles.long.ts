import { test } from 'node:test'
import { minutes } from '../../src/core/clock.ts'
import { doubles } from '../doubles/doubles.ts'
import { compareBuying } from './buying.ts'
import { compareBuyingCrowds } from './buying-crowd.ts'
import { openServiceAtDouble } from './buying-double.ts'

const effort = { runs: 200, limitMs: minutes(1), file: 'test/model/buying-doubles.long.ts' }

for (const chosen of doubles) {
  test(chosen.name, async (t) => {
    const { service, double, close } = await openServiceAtDouble(chosen)
    t.after(close)
    await t.test('a minute of long stories leaves each order as the model says', () =>
      compareBuying(service, 100, effort, double),
    )
    await t.test('a minute of concurrent actions and a failing provider breaks no invariant', () =>
      compareBuyingCrowds(service, effort, double),
    )
  })
}
