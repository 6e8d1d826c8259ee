import type { Command } from 'commander'
import { OperatorError } from '../core/operator-error.ts'
import { commandLine } from '../features/audit/record.ts'
import type { Store } from '../features/context.ts'
import {
  type CouponRequest,
  createCouponBy,
  type ListedCoupon,
  listCoupons,
  setCouponListed,
  stopCoupon,
} from '../features/pricing/manage-coupons.ts'
import { withDatabase, withReadableDatabase } from './database.ts'
import { collect, type OutputOptions, printResult, readYesNo, table, wholeNumber } from './output.ts'
import { whichStore } from './which-store.ts'

export const addCoupon = (program: Command) => {
  const coupon = program.command('coupon').description('Create, list, change and stop coupons')

  coupon
    .command('create')
    .description('Create a coupon for a percentage or a fixed amount')
    .requiredOption('--code <code>', 'the code that shoppers enter; case does not matter')
    .option('--percent <n>', 'discount in percent, up to 100, with up to three decimals')
    .option('--fixed <amount>', "discount as an amount in the store's currency, instead of --percent")
    .option('--min-subtotal <amount>', 'minimum subtotal of the cart')
    .option('--starts <time>', "ISO 8601 time, or a day in the store's time zone; default: now")
    .option('--ends <time>', "ISO 8601 time, or the last day in the store's time zone; default: never")
    .option('--limit <n>', 'maximum number of uses in total')
    .option('--per-customer <n>', 'maximum number of uses per customer')
    .option(
      '--category <category>',
      'only for products in this category or below it: id, slug or path; repeatable',
      collect,
      [],
    )
    .option('--product <product>', 'only for this product: id or slug; repeatable', collect, [])
    .option('--listed', 'show the code to all customers who may use it; default: only customers who know it can use it')
    .option('--description <text>', 'text that describes the coupon', '')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      "\nExamples:\n  vitrine coupon create --code TEA15 --percent 15 --category 'Home > Kitchen' --ends 2027-01-31\n  vitrine coupon create --code FLAT200 --fixed 200 --min-subtotal 1999 --limit 500 --per-customer 1",
    )
    .action((options: CreateOptions) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const made = await db.tx((tx) => createCouponBy(tx, store, commandLine, readRequest(options, store)))
        printResult(options, made, () => showCoupons([made], store))
      }),
    )

  coupon
    .command('list')
    .description('List the coupons of a store and how often each was used')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine coupon list')
    .action((options: OutputOptions & { store?: string }) =>
      withReadableDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const coupons = await listCoupons(db, store)
        printResult(options, coupons, () => showCoupons(coupons, store))
      }),
    )

  coupon
    .command('set <code>')
    .description('Show the code of a coupon to customers, or hide it')
    .requiredOption('--listed <yes|no>', 'whether GET /v1/coupons lists it')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine coupon set TEA15 --listed yes')
    .action((code: string, options: OutputOptions & { store?: string; listed: string }) =>
      withDatabase(async (db, config) => {
        const listed = readYesNo('--listed', options.listed)
        const store = await whichStore(db, config, options)
        const changed = await db.tx((tx) => setCouponListed(tx, store, commandLine, code, listed))
        printResult(options, changed, () => `The coupon ${changed.code} is ${listed ? 'listed' : 'not listed'}.`)
      }),
    )

  coupon
    .command('stop <code>')
    .description('Stop a coupon: carts and checkouts no longer accept it; existing orders keep their discount')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine coupon stop TEA15')
    .action((code: string, options: OutputOptions & { store?: string }) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const stopped = await db.tx((tx) => stopCoupon(tx, store, commandLine, code))
        printResult(options, stopped, () => `The coupon ${stopped.code} is stopped.`)
      }),
    )
}

type CreateOptions = OutputOptions & {
  code: string
  percent?: string
  fixed?: string
  minSubtotal?: string
  starts?: string
  ends?: string
  limit?: string
  perCustomer?: string
  category: string[]
  product: string[]
  listed?: true
  description: string
  store?: string
}

const showCoupons = (coupons: readonly ListedCoupon[], { currency }: Store) =>
  table(
    ['code', 'discount', 'min subtotal', 'starts', 'ends', 'used', 'per customer', 'listed', 'for'],
    coupons.map((row) => [
      row.code,
      row.kind === 'percent' ? `${row.value} %` : `${row.value} ${currency}`,
      row.minSubtotal === 0 ? '' : `${row.minSubtotal} ${currency}`,
      row.startsAt?.toISOString() ?? '',
      row.stoppedAt === null ? (row.endsAt?.toISOString() ?? '') : `stopped ${row.stoppedAt.toISOString()}`,
      row.usageLimit === null ? String(row.used) : `${row.used} of ${row.usageLimit}`,
      String(row.customerLimit ?? ''),
      row.listed ? 'yes' : '',
      [...row.categories, ...row.products].join(', '),
    ]),
  )

const readRequest = (options: CreateOptions, store: Store): CouponRequest => ({
  code: options.code,
  ...readDiscount(options),
  description: options.description,
  minSubtotal: options.minSubtotal === undefined ? 0 : readNumber('--min-subtotal', options.minSubtotal),
  startsAt: options.starts === undefined ? null : readTime('--starts', options.starts, store, 0),
  endsAt: options.ends === undefined ? null : readTime('--ends', options.ends, store, 1),
  usageLimit: options.limit === undefined ? null : readLimit('--limit', options.limit),
  customerLimit: options.perCustomer === undefined ? null : readLimit('--per-customer', options.perCustomer),
  categories: options.category,
  products: options.product,
  listed: options.listed ?? false,
})

const readDiscount = ({ percent, fixed }: CreateOptions) => {
  if (percent !== undefined && fixed === undefined) {
    return { kind: 'percent' as const, value: readNumber('--percent', percent) }
  }
  if (fixed !== undefined && percent === undefined) {
    return { kind: 'fixed' as const, value: readNumber('--fixed', fixed) }
  }
  throw new OperatorError('Set the discount with either --percent or --fixed, not both.')
}

const readNumber = (name: string, text: string) => {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  throw new OperatorError(`${name} must be a number such as 10 or 12.5, not "${text}".`)
}

const readLimit = (name: string, text: string) => wholeNumber(name, text, { min: 1, max: 1_000_000_000 })

/** A day is in the store's time zone and included as a whole: `--starts` is its beginning, `--ends` its end. */
const readTime = (name: string, text: string, { timezone }: Store, daysToAdd: 0 | 1) => {
  try {
    const instant = /^\d{4}-\d{2}-\d{2}$/.test(text)
      ? Temporal.PlainDate.from(text).add({ days: daysToAdd }).toZonedDateTime(timezone).toInstant()
      : Temporal.Instant.from(text)
    return new Date(instant.epochMilliseconds)
  } catch (error) {
    throw new OperatorError(`${name} must be a time such as 2027-01-31T00:00:00Z or a day, not "${text}".`, {
      cause: error,
    })
  }
}
