import type { Command } from 'commander'
import { commandLine } from '../features/audit/record.ts'
import { createOutletBy } from '../features/stores/outlets.ts'
import { withDatabase } from './database.ts'
import { type OutputOptions, printResult } from './output.ts'
import { whichStore } from './which-store.ts'

export const addOutlet = (program: Command) => {
  const outlet = program.command('outlet').description('Create outlets')
  outlet
    .command('create')
    .description("Create an outlet; it sells the store's products with its own stock and prices")
    .requiredOption('--name <name>', 'name that shoppers see')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', "\nExample:\n  vitrine outlet create --name 'Pune (Camp)'")
    .action((options: OutputOptions & { name: string; store?: string }) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const made = await db.tx((tx) => createOutletBy(tx, store, commandLine, options.name))
        printResult(options, made, () => made.outletId)
      }),
    )
}
