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
  const stock = program.command('stock').description('How much there is of a product')
  stock
    .command('set')
    .description('Set how many units can be sold at an outlet; what shoppers have reserved is kept beside it')
    .requiredOption(
      '--quantity <n>',
      'units that can be sold from now on; +5 adds to them, -3 takes away; untracked: always in stock, not counted',
    )
    .option('--variant <id>', 'id or SKU; needs --product too where several variants have the SKU')
    .option('--product <id>', 'id or slug; enough where the product has one variant')
    .option('--outlet <id>', "the store's default outlet otherwise")
    .option('--store <id>', 'which store; the only one, or the demo store, unless set')
    .option('--json', 'answer in JSON')
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
            ? 'Always in stock, and not counted.'
            : `${changed.stock} units at ${changed.outletId}.`,
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
