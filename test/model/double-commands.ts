import assert from 'node:assert/strict'
import type { Choice } from '../doubles/double.ts'
import { adopt, withOrder } from './buying-commands.ts'
import { actAtDouble, assertLedger } from './buying-double.ts'
import type { Counter } from './buying-floor.ts'
import { failed, isPaid, type Order, refunded, refundedInPart, settled, stateOf } from './buying-world.ts'

/** What people do at a double whose webhooks all arrive, one after another. */

const noLag = { isLost: false, isHeld: false }

const doubleOf = ({ double }: Counter) => double ?? assert.fail('the story has no double')

const moneyOf = (counter: Counter, kind: 'takenMinor' | 'returnedMinor') =>
  doubleOf(counter)
    .ledger(counter.store.publicId)
    .reduce((sum, entry) => sum + entry[kind], 0)

/** Whether money moved decides which ends the order may have. */
const withMoney = async (counter: Counter, kind: 'takenMinor' | 'returnedMinor', act: () => Promise<void>) => {
  const before = moneyOf(counter, kind)
  await act()
  await assertLedger(counter, doubleOf(counter), noLag)
  return moneyOf(counter, kind) !== before
}

export const visit = (pick: number, choice: Choice) =>
  withOrder(`the buyer chooses ${choice} on the page of the provider`, pick, async (world, counter, order) => {
    const ends = { paid: settled(world, order), other: [stateOf(order), failed(order)] }
    const isTaken = await withMoney(counter, 'takenMinor', () =>
      actAtDouble(counter, doubleOf(counter), { kind: 'visits', order: 0, choice, page: 'last' }, order),
    )
    await adopt(counter, order, ...(isTaken ? [ends.paid] : ends.other))
  })

export const refundThere = (pick: number, share: number) =>
  withOrder(`${share * 100} % of the payment is refunded in the dashboard`, pick, async (world, counter, order) => {
    const ends = isPaid(order) ? [refunded(world, order), ...refundedInPart(world, order)] : []
    const isReturned = await withMoney(counter, 'returnedMinor', () =>
      actAtDouble(counter, doubleOf(counter), { kind: 'refunds there', order: 0, share }, order),
    )
    await adopt(counter, order, ...(isReturned ? endsOfReturn(order, ends) : [stateOf(order)]))
  })

/** A duplicate payment may have been meant, which the order does not show. */
const endsOfReturn = (order: Order, ends: ReturnType<typeof stateOf>[]) => [...ends, stateOf(order)]

export const dispute = (pick: number, state: 'opened' | 'won' | 'lost') =>
  withOrder(`the payment is disputed (${state})`, pick, async (_, counter, order) => {
    await actAtDouble(counter, doubleOf(counter), { kind: 'disputes', order: 0, state }, order)
    await adopt(counter, order, stateOf(order))
  })
