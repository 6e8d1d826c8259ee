import { csvLine } from '../../core/csv.ts'
import type { Answer } from '../../http/endpoint.ts'
import { csvFile } from '../admin-list.ts'
import { type AdminCtx, adminRoutes } from '../context.ts'
import { reportsContract } from './reports.contract.ts'
import {
  reportCarts,
  reportCategories,
  reportCoupons,
  reportOutlets,
  reportProducts,
  reportSales,
  reportTax,
} from './sales.ts'

type Report = { data: readonly object[] }

/** The report, or its rows as CSV. */
const answer = async <Body extends Report>(
  ctx: AdminCtx,
  name: string,
  made: Promise<Body>,
  { format }: { format?: 'json' | 'csv' },
) => {
  const body = await made
  const answered: Answer<Body> = format === 'csv' ? { body, ...csvFile(ctx, name, csvOf(body)) } : { body }
  return answered
}

async function* csvOf({ data }: Report) {
  const [first] = data
  if (first === undefined) return
  yield csvLine(Object.keys(first))
  for (const row of data) yield csvLine(Object.values(row))
}

export const reportRoutes = adminRoutes(reportsContract, {
  adminReportSales: ({ ctx, query }) => answer(ctx, 'sales-report', reportSales(ctx, query), query),
  adminReportProducts: ({ ctx, query }) => answer(ctx, 'products-report', reportProducts(ctx, query), query),
  adminReportCategories: ({ ctx, query }) => answer(ctx, 'categories-report', reportCategories(ctx, query), query),
  adminReportOutlets: ({ ctx, query }) => answer(ctx, 'outlets-report', reportOutlets(ctx, query), query),
  adminReportCoupons: ({ ctx, query }) => answer(ctx, 'coupons-report', reportCoupons(ctx, query), query),
  adminReportTax: ({ ctx, query }) => answer(ctx, 'tax-report', reportTax(ctx, query), query),
  adminReportCarts: ({ ctx, query }) => answer(ctx, 'carts-report', reportCarts(ctx, query), query),
})
