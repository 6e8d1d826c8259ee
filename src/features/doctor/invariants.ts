import type { Queries } from '../../db/database.ts'
import type { StoreId } from '../context.ts'
import { listStoreNumbers } from './doctor.sql.ts'
import * as orders from './invariants.sql.ts'
import * as ledger from './invariants-ledger.sql.ts'
import * as money from './invariants-money.sql.ts'
import * as sales from './invariants-sales.sql.ts'
import * as stores from './invariants-stores.sql.ts'

/** A broken rule, and a sentence that names the row that breaks it. */
export type Finding = { rule: string; sentence: string }

export type InvariantOptions = {
  /** All stores if undefined. */
  storeId?: StoreId
  /** The stock that the caller has created. Checks that no unit is lost. */
  initialStock?: readonly orders.InitialStock[]
  /** Ids of orders that were returned to a shopper. Checks that they exist. */
  acknowledged?: readonly string[]
}

export type { InitialStock } from './invariants.sql.ts'
export const { countOrders } = orders

/** Tests, benches and `vitrine doctor` check the same rules. */
export const rules: Record<string, orders.Rule> = {
  'reserved units belong to open orders': orders.findWrongReservations,
  'stock is never negative': orders.findNegativeStock,
  'stock states match the order status': orders.findWrongStockStates,
  'only orders with reserved units expire': orders.findWrongExpiries,
  'statuses follow from the timeline': orders.findWrongPaths,
  'coupon uses match the orders': orders.findWrongCouponCounts,
  'coupon uses of customers match their orders': orders.findWrongCouponUses,
  'customers with orders are listed as such': orders.findWrongBuyers,
  'orders with something left to ship are listed as such': orders.findWrongToShip,
  'only paid files can be downloaded': orders.findWrongDownloads,
  'paid files can be downloaded': orders.findMissingDownloads,
  'order totals add up': money.findWrongTotals,
  'order lines add up': money.findWrongLines,
  'payments have the amount of their order': money.findWrongAmounts,
  'exactly the paid orders have a settled payment': money.findWrongPayments,
  'ended orders have no open payment': money.findForgottenPayments,
  'an order and its replacement are not both paid': money.findPaidTwins,
  'refunds never exceed their payment': money.findWrongRefunds,
  'refunded units belong to refunds': money.findWrongRefundedLines,
  'sales in reports match the orders': sales.findWrongSales,
  'sales of products, outlets, coupons and taxes match the orders': sales.findWrongSalesParts,
  'refunded tax in reports matches the refunds': sales.findWrongRefundedTax,
  'refunds return the tax of their order': sales.findWrongTaxOfRefunds,
  'the numbers of invoices have no gap': money.findInvoiceGaps,
  'order lines have variants of their store': stores.findStrayLines,
  'orders refer to rows of their store': stores.findStrayOrders,
  'order numbers are unique': stores.findWrongCounters,
  'payment events refer to orders of their store': stores.findStrayPaymentEvents,
  'delivery events refer to orders of their store': stores.findStrayDeliveryEvents,
  'sandbox payments belong to their store': stores.findStraySandboxPayments,
  'stored answers belong to customers of their store': stores.findStrayAnswers,
  'every acknowledged order exists': stores.findLostOrders,
  'cart items have the product of their variant': stores.findStrayCartItems,
  'stock has the product of its variant': stores.findStrayStock,
  'the ledger adds up to the stock': ledger.findWrongLedgers,
  'stock has the threshold of its variant or store': ledger.findWrongThresholds,
}

/** Rules that join too much for all servers of a distributed database together. It checks them store by store. */
export const storeByStore: readonly orders.Rule[] = [orders.findWrongToShip, sales.findWrongSalesParts]

/** Returns all violations, at most twenty for each rule. */
export const checkInvariants = async (db: Queries, options: InvariantOptions = {}): Promise<Finding[]> => {
  const { storeId = null, initialStock, acknowledged } = options
  const findings: Finding[] = []
  const note = (rule: string, found: readonly orders.Violation[]) =>
    void findings.push(...found.map(({ sentence }) => ({ rule, sentence })))
  const each = storeId === null && (await db.isDistributed()) ? await listStoreNumbers(db) : [storeId]
  for (const [rule, find] of Object.entries(rules)) {
    for (const one of storeByStore.includes(find) ? each : [storeId]) note(rule, await find(db, one))
  }
  if (initialStock !== undefined) {
    note('no unit is lost', await orders.findLostUnits(db, storeId, initialStock))
  }
  if (acknowledged !== undefined) {
    note('every acknowledged order exists', await stores.findLostAmong(db, storeId, acknowledged))
  }
  return findings
}
