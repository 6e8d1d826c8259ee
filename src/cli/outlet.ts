import type { Command } from 'commander'
import { createOutlet } from '../features/stores/stores.ts'
import { withDatabase } from './database.ts'
import { type OutputOptions, printResult } from './output.ts'
import { whichStore } from './which-store.ts'

export const addOutlet = (program: Command) => {
  const outlet = program.command('outlet').description('The outlets of a store')
  outlet
    .command('create')
    .description('Add an outlet; it sells what the store has, with stock and prices of its own')
    .requiredOption('--name <name>', 'what shoppers see')
    .option('--store <id>', 'which store; the only one, or the demo store, unless set')
    .option('--json', 'answer in JSON')
    .addHelpText('after', "\nExample:\n  vitrine outlet create --name 'Pune (Camp)'")
    .action((options: OutputOptions & { name: string; store?: string }) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const made = await db.tx((tx) => createOutlet(tx, store, options.name))
        printResult(options, made, () => made.outletId)
      }),
    )
}
