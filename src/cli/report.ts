import type { Command } from 'commander'
import { systemClock } from '../core/clock.ts'
import { csvLine } from '../core/csv.ts'
import { OperatorError } from '../core/operator-error.ts'
import {
  type ReportCtx,
  reportCarts,
  reportCategories,
  reportCoupons,
  reportOutlets,
  reportProducts,
  reportSales,
  reportTax,
} from '../features/reports/sales.ts'
import { withReadableDatabase } from './database.ts'
import { type OutputOptions, print, printResult, table } from './output.ts'
import { whichStore } from './which-store.ts'

type Options = OutputOptions & {
  store?: string
  from?: string
  to?: string
  by?: string
  limit?: string
  csv?: boolean
}

type Query = { from?: string; to?: string; by?: 'day' | 'week' | 'month'; limit?: number }

const reports: Record<string, { about: string; make(ctx: ReportCtx, query: Query): Promise<{ data: object[] }> }> = {
  sales: { about: 'sales by day, week or month', make: reportSales },
  products: { about: 'sales by product, best first', make: reportProducts },
  categories: { about: 'sales by category, best first', make: reportCategories },
  outlets: { about: 'sales by outlet, best first', make: reportOutlets },
  coupons: { about: 'sales with each coupon, best first', make: reportCoupons },
  tax: { about: 'tax by rate: charged, and refunded in the period', make: reportTax },
  carts: { about: 'carts, and how many of them became orders', make: reportCarts },
}

export const addReport = (program: Command) => {
  const report = program.command('report').description('Report sales, tax and carts of a store')
  for (const [name, { about, make }] of Object.entries(reports)) {
    const command = report
      .command(name)
      .description(`Report ${about}; the last thirty days unless a period is given`)
      .option('--from <day>', "first day, such as 2026-11-01, in the store's time zone, or a time")
      .option('--to <day>', 'last day, which is included, or a time, which is not')
    if (name === 'sales' || name === 'carts') command.option('--by <period>', 'day, week or month', 'day')
    else if (name !== 'tax') command.option('--limit <n>', 'rows at most', '100')
    command
      .option('--csv', 'print the rows as CSV')
      .option('--store <id>', 'store id; default: the only store, or the demo store')
      .option('--json', 'print the result as JSON')
      .addHelpText('after', `\nExample:\n  vitrine report ${name} --from 2026-11-01 --to 2026-11-30`)
      .action((options: Options) => runReport(make, options))
  }
}

const runReport = (make: (typeof reports)[string]['make'], options: Options) =>
  withReadableDatabase(async (db, config) => {
    const store = await whichStore(db, config, options)
    const result = await make({ db, store, clock: systemClock }, readQuery(options))
    const headings = Object.keys(result.data[0] ?? {})
    if (options.csv) return print([headings, ...result.data.map(Object.values)].map(csvLine).join('').trimEnd())
    printResult(options, result, ({ data }) =>
      data.length === 0
        ? 'Nothing was sold in this period.'
        : table(
            headings,
            data.map((row) => Object.values(row).map((value) => String(value ?? ''))),
          ),
    )
  })

const groupings = ['day', 'week', 'month'] as const

const readQuery = ({ from, to, by, limit }: Options): Query => {
  const grouping = groupings.find((known) => known === by)
  if (by !== undefined && grouping === undefined) throw new OperatorError('--by must be day, week or month.')
  const rows = limit === undefined ? undefined : Number(limit)
  if (rows !== undefined && !(Number.isInteger(rows) && rows > 0 && rows <= 10_000)) {
    throw new OperatorError('--limit must be a whole number from 1 to 10000.')
  }
  return {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(grouping === undefined ? {} : { by: grouping }),
    ...(rows === undefined ? {} : { limit: rows }),
  }
}
