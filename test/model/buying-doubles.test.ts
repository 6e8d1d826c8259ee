import { test } from 'node:test'
import { doubles } from '../doubles/doubles.ts'
import { compareBuying } from './buying.ts'
import { compareBuyingCrowds } from './buying-crowd.ts'
import { openServiceAtDouble } from './buying-double.ts'

const file = 'test/model/buying-doubles.test.ts'

for (const chosen of doubles) {
  test(chosen.name, async (t) => {
    const { service, double, close } = await openServiceAtDouble(chosen)
    t.after(close)
    await t.test('actions one after another leave each order as the model says, and the rows have the money', () =>
      compareBuying(service, 30, { runs: 3, limitMs: 60_000, file }, double),
    )
    await t.test('concurrent actions and a failing provider break no invariant, and the rows have the money', () =>
      compareBuyingCrowds(service, { runs: 4, limitMs: 60_000, file }, double),
    )
  })
}
