import { fail } from '../../core/errors.ts'
import { toWire } from '../../core/money.ts'
import { readPeriod } from '../../core/period.ts'
import type { Queries } from '../../db/database.ts'
import type { AdminCtx, Store } from '../context.ts'
import {
  countOpenCarts,
  type Grouping,
  type PartRow,
  readSales,
  readSellingOutlets,
  readSoldCategories,
  readSoldProducts,
  readTaxes,
  readUsedCoupons,
  type SalesRow,
  type SplitMonths,
  type SplitPeriod,
} from './sales.sql.ts'

export type ReportCtx = Pick<AdminCtx, 'clock'> & { db: Queries; store: Pick<Store, 'id' | 'currency' | 'timezone'> }

export type PeriodQuery = { from?: string; to?: string }

const quarterHourMs = 15 * 60_000
const dayMs = 24 * 60 * 60_000
const maxDays = 3_700

/** The last thirty days unless the query says otherwise. */
const periodOf = ({ store, clock }: ReportCtx, query: PeriodQuery) => {
  const today = Temporal.Instant.fromEpochMilliseconds(clock.now()).toZonedDateTimeISO(store.timezone).toPlainDate()
  const to = query.to ?? today.toString()
  const { from, to: end } = readPeriod({ from: query.from ?? thirtyDays(to, store.timezone), to }, store.timezone)
  if (from === null || end === null || from >= end) throw fail('BAD_REQUEST', 'from must be before to.')
  if (end.getTime() - from.getTime() > maxDays * dayMs) throw fail('BAD_REQUEST', 'A report covers at most ten years.')
  return { from, to: end }
}

/** The first of the thirty days that end with `to`. */
const thirtyDays = (to: string, timezone: string): string => {
  const { to: end } = readPeriod({ to }, timezone)
  const last = Temporal.Instant.fromEpochMilliseconds((end?.getTime() ?? 1) - 1)
  return last.toZonedDateTimeISO(timezone).toPlainDate().subtract({ days: 29 }).toString()
}

/** The whole buckets inside a period. Without any, all of it is read from the orders. */
export const splitPeriod = ({ from, to }: { from: Date; to: Date }, bucketMs: number): SplitPeriod => {
  const wholeFrom = Math.ceil(from.getTime() / bucketMs) * bucketMs
  const wholeTo = Math.floor(to.getTime() / bucketMs) * bucketMs
  if (wholeTo <= wholeFrom) return { from, to, wholeFrom: to, wholeTo: to }
  return { from, to, wholeFrom: new Date(wholeFrom), wholeTo: new Date(wholeTo) }
}

/** `splitPeriod` for days, with the whole months among them. */
export const splitMonths = (period: { from: Date; to: Date }): SplitMonths => {
  const split = splitPeriod(period, dayMs)
  const { wholeFrom: first, wholeTo: end } = split
  const isMonthStart = first.getTime() === Date.UTC(first.getUTCFullYear(), first.getUTCMonth())
  const monthFrom = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + (isMonthStart ? 0 : 1)))
  const monthTo = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth()))
  return { ...split, ...(monthTo > monthFrom ? { monthFrom, monthTo } : { monthFrom: end, monthTo: end }) }
}

const showAmounts = (row: Omit<SalesRow, 'period'>, currency: string) => ({
  gross: toWire(row.grossMinor, currency),
  discount: toWire(row.discountMinor, currency),
  tax: toWire(row.taxMinor, currency),
  shipping: toWire(row.shippingMinor, currency),
  refunds: toWire(row.refundsMinor, currency),
  net: toWire(row.totalMinor - row.refundsMinor, currency),
})

/** Months are named 2026-11, days and weeks by their first day. */
const namePeriod = (period: string, by: Grouping) => (by === 'month' ? period.slice(0, 7) : period)

export type SalesQuery = PeriodQuery & { by?: Grouping }

/** Orders by the day that they were placed on. An order counts once it is paid or placed for cash, unless cancelled. */
export const reportSales = async (ctx: ReportCtx, { by = 'day', ...query }: SalesQuery) => {
  const { db, store } = ctx
  const period = splitPeriod(periodOf(ctx, query), quarterHourMs)
  const rows = await readSales(db, store.id, period, { by, timezone: store.timezone })
  const data = rows.map((row) => ({
    period: namePeriod(row.period, by),
    orders: row.orders,
    ...showAmounts(row, store.currency),
  }))
  return { data, currency: store.currency }
}

export type PartsQuery = PeriodQuery & { limit?: number }

const reportParts = async <Shown>(
  ctx: ReportCtx,
  { limit = 100, ...query }: PartsQuery,
  read: (db: Queries, storeId: Store['id'], period: SplitMonths, limit: number) => Promise<PartRow[]>,
  show: (row: PartRow) => Shown,
) => {
  const { db, store } = ctx
  const rows = await read(db, store.id, splitMonths(periodOf(ctx, query)), limit)
  return { data: rows.map(show), currency: store.currency }
}

/** Refunds of an amount belong to no line, so products show refunded units and what was charged for them. */
const showGoods = (row: PartRow, currency: string) => ({
  orders: row.orders,
  quantity: row.quantity,
  refundedQuantity: row.refundedQuantity,
  gross: toWire(row.grossMinor, currency),
  discount: toWire(row.discountMinor, currency),
  tax: toWire(row.taxMinor, currency),
  total: toWire(row.totalMinor, currency),
})

export const reportProducts = (ctx: ReportCtx, query: PartsQuery) =>
  reportParts(ctx, query, readSoldProducts, (row) => ({
    productId: row.key,
    name: row.name ?? '',
    ...showGoods(row, ctx.store.currency),
  }))

export const reportCategories = (ctx: ReportCtx, query: PartsQuery) =>
  reportParts(ctx, query, readSoldCategories, (row) => ({
    categoryId: row.key === '' ? null : row.key,
    name: row.name ?? '',
    ...showGoods(row, ctx.store.currency),
  }))

export const reportOutlets = (ctx: ReportCtx, query: PartsQuery) =>
  reportParts(ctx, query, readSellingOutlets, (row) => ({
    outletId: row.key,
    name: row.name ?? '',
    orders: row.orders,
    ...showAmounts(row, ctx.store.currency),
  }))

export const reportCoupons = (ctx: ReportCtx, query: PartsQuery) =>
  reportParts(ctx, query, readUsedCoupons, (row) => ({
    code: row.key,
    orders: row.orders,
    ...showAmounts(row, ctx.store.currency),
  }))

/** Tax counts in the period of its order, and refunded tax in the period of its refund. */
export const reportTax = async (ctx: ReportCtx, query: PeriodQuery) => {
  const { db, store } = ctx
  const rows = await readTaxes(db, store.id, splitMonths(periodOf(ctx, query)))
  const data = rows.map((row) => ({
    rate: row.rate,
    taxable: toWire(row.taxableMinor, store.currency),
    tax: toWire(row.taxMinor, store.currency),
    refundedTaxable: toWire(row.refundedTaxableMinor, store.currency),
    refundedTax: toWire(row.refundedTaxMinor, store.currency),
    netTaxable: toWire(row.taxableMinor - row.refundedTaxableMinor, store.currency),
    netTax: toWire(row.taxMinor - row.refundedTaxMinor, store.currency),
  }))
  return { data, currency: store.currency }
}

/** Carts are those that became a sale, by the day of the order, and those that hold items, by their last change. */
export const reportCarts = async (ctx: ReportCtx, { by = 'day', ...query }: SalesQuery) => {
  const { db, store } = ctx
  const period = splitPeriod(periodOf(ctx, query), quarterHourMs)
  const grouping = { by, timezone: store.timezone }
  const sales = await readSales(db, store.id, period, grouping)
  const open = new Map((await countOpenCarts(db, store.id, period, grouping)).map(({ period: p, carts }) => [p, carts]))
  const data = sales.map(({ period: name, orders }) => {
    const abandoned = open.get(name) ?? 0
    const carts = orders + abandoned
    const conversion = carts === 0 ? null : Math.round((orders / carts) * 10_000) / 10_000
    return { period: namePeriod(name, by), carts, orders, abandoned, conversion }
  })
  return { data }
}
