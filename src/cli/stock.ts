import type { Command } from 'commander'
import { setStock } from '../features/catalog/products.ts'
import { withDatabase } from './database.ts'
import { type OutputOptions, printResult, wholeNumber } from './output.ts'
import { whichStore } from './which-store.ts'

type SetOptions = OutputOptions & {
  store?: string
  product: string
  variant?: string
  outlet?: string
  quantity: string
}

export const addStock = (program: Command) => {
  const stock = program.command('stock').description('How much there is of a product')
  stock
    .command('set')
    .description('Set how many units can be sold at an outlet; what shoppers have reserved is kept beside it')
    .requiredOption('--product <id>', 'id or slug')
    .requiredOption('--quantity <n>', 'units')
    .option('--variant <id>', 'needed when the product has several')
    .option('--outlet <id>', "the store's default outlet otherwise")
    .option('--store <id>', 'which store; the only one, or the demo store, unless set')
    .option('--json', 'answer in JSON')
    .addHelpText('after', '\nExample:\n  vitrine stock set --product cafe-au-lait-mug --quantity 12')
    .action((options: SetOptions) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const changed = await db.tx((tx) =>
          setStock(tx, store, {
            product: options.product,
            variantId: options.variant ?? null,
            outletId: options.outlet ?? null,
            quantity: wholeNumber('--quantity', options.quantity, { min: 0, max: 1_000_000_000 }),
          }),
        )
        printResult(options, changed, () => `${changed.stock} units at ${changed.outletId}.`)
      }),
    )
}
