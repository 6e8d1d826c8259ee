import type { Command } from 'commander'
import type { Db } from '../db/database.ts'
import { commandLine } from '../features/audit/record.ts'
import { adjustStock, type StockChange } from '../features/catalog/adjust-stock.ts'
import { maxUnits } from '../features/catalog/product-input.ts'
import { listMoves } from '../features/catalog/stock-list.ts'
import { changeVariantThreshold } from '../features/catalog/stock-threshold.ts'
import type { Store } from '../features/context.ts'
import { withDatabase, withReadableDatabase } from './database.ts'
import { type OutputOptions, printResult, table, wholeNumber } from './output.ts'
import { whichStore } from './which-store.ts'

type StoreOptions = OutputOptions & { store?: string }
type VariantOptions = StoreOptions & { product?: string; variant?: string }
type ChangeOptions = VariantOptions & { outlet?: string; reason?: string }

const withVariant = (command: Command) =>
  command
    .option('--variant <id>', 'id or SKU; add --product when several variants have the SKU')
    .option('--product <id>', 'id or slug; sufficient when the product has one variant')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--json', 'print the result as JSON')

const withChange = (command: Command) =>
  withVariant(command)
    .option('--outlet <id>', "default: the store's default outlet")
    .option('--reason <text>', 'why, for the ledger and the audit log')

export const addStock = (program: Command) => {
  const stock = program.command('stock').description('Set and adjust the stock of products, and list its changes')

  withChange(stock.command('set'))
    .description('Set how many units can be sold at an outlet: those on hand, less those reserved for unpaid orders')
    .requiredOption(
      '--quantity <n>',
      'units that can be sold from now on; +5 adds, -3 subtracts; untracked: always in stock, not counted',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  vitrine stock set --variant KC-MUG-OAT --quantity 12\n  vitrine stock set --product cane-pendant-lamp --quantity +5',
    )
    .action((options: ChangeOptions & { quantity: string }) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        await change(db, store, options, readQuantity(options.quantity))
      }),
    )

  withChange(stock.command('count'))
    .description('Set how many units were counted at an outlet; unpaid orders keep theirs, and the rest can be sold')
    .requiredOption(
      '--units <n>',
      'units on hand: with those reserved for unpaid orders, without those of paid orders that are not sent yet',
    )
    .addHelpText('after', "\nExample:\n  vitrine stock count --variant KC-MUG-OAT --units 14 --reason 'Counted in May'")
    .action((options: ChangeOptions & { units: string }) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        await change(db, store, options, { onHand: wholeNumber('--units', options.units, { min: 0, max: maxUnits }) })
      }),
    )

  withChange(stock.command('adjust'))
    .description('Add units to what can be sold at an outlet, or subtract them')
    .requiredOption('--delta <n>', 'units to add; -3 subtracts')
    .addHelpText('after', '\nExample:\n  vitrine stock adjust --variant KC-MUG-OAT --delta -2 --reason Broken')
    .action((options: ChangeOptions & { delta: string }) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        await change(db, store, options, { delta: readDelta(options.delta) })
      }),
    )

  withVariant(stock.command('threshold'))
    .description('Set the available units at which a variant counts as low in stock')
    .requiredOption('--units <n>', 'available units; store: as the store says')
    .addHelpText('after', '\nExample:\n  vitrine stock threshold --variant KC-MUG-OAT --units 20')
    .action((options: VariantOptions & { units: string }) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const threshold =
          options.units === 'store' ? null : wholeNumber('--units', options.units, { min: 0, max: maxUnits })
        const changed = await db.tx((tx) =>
          changeVariantThreshold(tx, store, commandLine, { ...nameOf(options), threshold }),
        )
        printResult(options, changed, () =>
          threshold === null ? 'Low in stock as the store says.' : `Low in stock at ${threshold} units or fewer.`,
        )
      }),
    )

  stock
    .command('moves')
    .description('List the changes of the stock of a variant, newest first')
    .requiredOption('--variant <id>', 'id or SKU')
    .option('--limit <n>', 'how many', '20')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine stock moves --variant KC-MUG-OAT')
    .action((options: StoreOptions & { variant: string; limit: string }) =>
      withReadableDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const limit = wholeNumber('--limit', options.limit, { min: 1, max: 10_000 })
        const moves = await listMoves(db, store, options.variant, limit)
        printResult(options, moves, () =>
          table(
            ['time', 'outlet', 'cause', 'available', 'then', 'reserved', 'order or reason', 'author'],
            moves.map((move) => [
              ...[move.at, move.outletId, move.cause, signed(move.availableChange), `${move.available}`],
              ...[`${move.reserved}`, move.orderId ?? move.reason ?? '', move.author?.name ?? ''],
            ]),
          ),
        )
      }),
    )
}

const nameOf = ({ product, variant }: VariantOptions) => ({ product: product ?? null, variantId: variant ?? null })

type Amount = { quantity: number | null } | { delta: number } | { onHand: number }

const change = async (db: Db, store: Store, options: ChangeOptions, amount: Amount) => {
  const wanted: StockChange = {
    ...nameOf(options),
    outletId: options.outlet ?? null,
    reason: options.reason ?? null,
    ...amount,
  }
  const { variantId, outletId, ...units } = await db.tx((tx) => adjustStock(tx, store, commandLine, wanted))
  const isUntracked = 'quantity' in amount && amount.quantity === null
  printResult(options, { variantId, outletId, stock: isUntracked ? null : units.available, ...units }, () =>
    isUntracked ? 'Always in stock, not counted.' : `${units.available} units can be sold at ${outletId}.`,
  )
}

const readDelta = (text: string): number => {
  const [digits, sign] = text.startsWith('-') || text.startsWith('+') ? [text.slice(1), text[0]] : [text, '+']
  const units = wholeNumber('--delta', digits, { min: 0, max: maxUnits })
  return sign === '-' ? -units : units
}

const signed = (units: number) => (units > 0 ? `+${units}` : `${units}`)

const readQuantity = (text: string): Amount => {
  if (text === 'untracked') return { quantity: null }
  const [, sign, digits = ''] = /^([+-])(\d+)$/.exec(text) ?? []
  if (sign === undefined) return { quantity: wholeNumber('--quantity', text, { min: 0, max: maxUnits }) }
  const units = wholeNumber('--quantity', digits, { min: 0, max: maxUnits })
  return { delta: sign === '-' ? -units : units }
}
