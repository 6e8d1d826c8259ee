import type { Command } from 'commander'
import { maxUnits } from '../features/catalog/product-input.ts'
import { setStock } from '../features/catalog/products.ts'
import { withDatabase } from './database.ts'
import { type OutputOptions, printResult, wholeNumber } from './output.ts'
import { whichStore } from './which-store.ts'

type SetOptions = OutputOptions & {
  store?: string
  product?: string
  variant?: string
  outlet?: string
  quantity: string
}

export const addStock = (program: Command) => {
  const stock = program.command('stock').description('Set the stock of products')
  stock
    .command('set')
    .description('Set how many units can be sold at an outlet; reserved units are not counted')
    .requiredOption(
      '--quantity <n>',
      'units that can be sold from now on; +5 adds, -3 subtracts; untracked: always in stock, not counted',
    )
    .option('--variant <id>', 'id or SKU; add --product when several variants have the SKU')
    .option('--product <id>', 'id or slug; sufficient when the product has one variant')
    .option('--outlet <id>', "default: the store's default outlet")
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  vitrine stock set --variant KC-MUG-OAT --quantity 12\n  vitrine stock set --product cane-pendant-lamp --quantity +5',
    )
    .action((options: SetOptions) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const changed = await db.tx((tx) =>
          setStock(tx, store, {
            product: options.product ?? null,
            variantId: options.variant ?? null,
            outletId: options.outlet ?? null,
            ...readQuantity(options.quantity),
          }),
        )
        printResult(options, changed, () =>
          changed.stock === null
            ? 'Always in stock, not counted.'
            : `${changed.stock} units can be sold at ${changed.outletId}.`,
        )
      }),
    )
}

const readQuantity = (text: string) => {
  if (text === 'untracked') return { quantity: null }
  const [, sign, digits = ''] = /^([+-])(\d+)$/.exec(text) ?? []
  if (sign === undefined) return { quantity: wholeNumber('--quantity', text, { min: 0, max: maxUnits }) }
  const units = wholeNumber('--quantity', digits, { min: 0, max: maxUnits })
  return { delta: sign === '-' ? -units : units }
}
