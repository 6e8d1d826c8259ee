import { csvLine } from '../../core/csv.ts'
import type { Answer } from '../../http/endpoint.ts'
import { adminRoutes } from '../context.ts'
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
const answer = async <Body extends Report>(made: Promise<Body>, { format }: { format?: 'json' | 'csv' }) => {
  const body = await made
  const stream = { contentType: 'text/csv; charset=utf-8', chunks: csvOf(body) }
  const answered: Answer<Body> = format === 'csv' ? { body, stream } : { body }
  return answered
}

async function* csvOf({ data }: Report) {
  const [first] = data
  if (first === undefined) return
  yield csvLine(Object.keys(first))
  for (const row of data) yield csvLine(Object.values(row))
}

export const reportRoutes = adminRoutes(reportsContract, {
  adminReportSales: ({ ctx, query }) => answer(reportSales(ctx, query), query),
  adminReportProducts: ({ ctx, query }) => answer(reportProducts(ctx, query), query),
  adminReportCategories: ({ ctx, query }) => answer(reportCategories(ctx, query), query),
  adminReportOutlets: ({ ctx, query }) => answer(reportOutlets(ctx, query), query),
  adminReportCoupons: ({ ctx, query }) => answer(reportCoupons(ctx, query), query),
  adminReportTax: ({ ctx, query }) => answer(reportTax(ctx, query), query),
  adminReportCarts: ({ ctx, query }) => answer(reportCarts(ctx, query), query),
})
