import assert from 'node:assert/strict'
import { until } from '../../src/cli/fixture.ts'
import { newCalls } from './calls.ts'
import type { Market } from './market.ts'
import { type Acknowledged, newPeople } from './people.ts'
import type { Random } from './random.ts'

export type Crowd = {
  acknowledged: Acknowledged
  answers: ReadonlyMap<string, number>
  /** Waits until one more order is acknowledged. */
  awaitOrder(): Promise<void>
  /** Lets everyone finish what they are doing. Throws if an answer was not one that a client must expect. */
  stop(): Promise<void>
  /** What happened, in a sentence. */
  tell(): string
}

/** Buyers who order, pay and get refunds one after another, without a pause. */
export const startCrowd = async (
  market: Market,
  { url, size, random }: { url: string; size: number; random: Random },
): Promise<Crowd> => {
  const calls = newCalls(url, random)
  const { faults, answers } = calls
  const people = await newPeople(market, calls, random)
  const { acknowledged } = people
  let isOver = false
  const live = async (buyer: Record<string, string>) => {
    while (!isOver) {
      await people.fillCart(buyer)
      await people.order(buyer)
    }
  }
  const buyers = await Promise.all(Array.from({ length: size }, people.signUp))
  const lives = buyers.map((buyer) => live(buyer).catch((error: Error) => void faults.push(error.message)))
  return {
    acknowledged,
    answers,
    awaitOrder: async () => {
      const { size } = acknowledged.orders
      await until(() => {
        assert.deepEqual(faults, [])
        return acknowledged.orders.size > size
      })
    },
    stop: async () => {
      isOver = true
      await Promise.all(lives)
      assert.deepEqual(faults, [])
    },
    tell: () => {
      const { orders, paid, refunds } = acknowledged
      const slowestMs = calls.takeTimes().reduce((most, ms) => Math.max(most, ms), 0)
      return (
        `${orders.size} orders, ${paid.size} payments and ${refunds.size} refunds acknowledged; ` +
        `slowest answer ${Math.round(slowestMs)} ms; answers ${JSON.stringify(Object.fromEntries(answers))}`
      )
    },
  }
}
