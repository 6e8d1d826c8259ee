import type { Queries } from '../../db/database.ts'
import type { StoreId } from '../context.ts'
import * as orders from './invariants.sql.ts'
import * as money from './invariants-money.sql.ts'
import * as stores from './invariants-stores.sql.ts'

/** A rule that is broken, and a sentence that names by what. */
export type Finding = { rule: string; sentence: string }

export type InvariantOptions = {
  /** Only this store; all of them otherwise. */
  storeId?: StoreId
  /** What was put on the shelves, counted by whoever put it there. */
  shelves?: readonly orders.Shelf[]
  /** Orders that a shopper was told of. */
  acknowledged?: readonly string[]
}

export type { Shelf } from './invariants.sql.ts'
export const { countOrders } = orders

/** By name. Tests, benches and `vitrine doctor` ask for the same ones. */
export const rules: Record<string, orders.Rule> = {
  'reserved units are those of open orders': orders.findWrongReservations,
  'stock is never negative': orders.findNegativeStock,
  'units are where the state of their order says': orders.findWrongStockStates,
  'orders that hold units expire, and no others': orders.findWrongExpiries,
  'every order went a legal way': orders.findWrongPaths,
  'coupons count the orders that hold them': orders.findWrongCouponCounts,
  'customers have used coupons as often as their orders': orders.findWrongCouponUses,
  'only what was paid can be downloaded': orders.findWrongDownloads,
  'what was paid can be downloaded': orders.findMissingDownloads,
  'totals are the sum of their parts': money.findWrongTotals,
  'lines add up': money.findWrongLines,
  'payments are of the amount of their order': money.findWrongAmounts,
  'a paid order has one settled payment, and the other way round': money.findWrongPayments,
  'nothing is left open for an order that is over': money.findForgottenPayments,
  'of two orders of which one replaced the other, one is paid': money.findPaidTwins,
  'lines are of variants of their store': stores.findStrayLines,
  'orders have what is of their store': stores.findStrayOrders,
  'order numbers are given out once': stores.findWrongCounters,
  'payment events are of orders of their store': stores.findStrayPaymentEvents,
  'delivery events are of orders of their store': stores.findStrayDeliveryEvents,
  'sandbox payments are of their store': stores.findStraySandboxPayments,
  'kept answers are for customers of their store': stores.findStrayAnswers,
  'every acknowledged order exists': stores.findLostOrders,
  'items in carts are of the product of their variant': stores.findStrayCartItems,
  'stock is of the product of its variant': stores.findStrayStock,
}

/** Everything that is wrong with the books; nothing, when all is well. At most twenty findings for each rule. */
export const checkInvariants = async (db: Queries, options: InvariantOptions = {}): Promise<Finding[]> => {
  const { storeId = null, shelves, acknowledged } = options
  const findings: Finding[] = []
  const note = (rule: string, found: readonly orders.Violation[]) =>
    void findings.push(...found.map(({ sentence }) => ({ rule, sentence })))
  for (const [rule, find] of Object.entries(rules)) note(rule, await find(db, storeId))
  if (shelves !== undefined) {
    note('what was there is there or sold', await orders.findLostUnits(db, storeId, shelves))
  }
  if (acknowledged !== undefined) {
    note('every acknowledged order exists', await stores.findLostAmong(db, storeId, acknowledged))
  }
  return findings
}
