import type { Command } from 'commander'
import { commandLine } from '../features/audit/record.ts'
import { allowOriginBy, removeOriginBy } from '../features/stores/audited.ts'
import { listOrigins } from '../features/stores/stores.ts'
import { withDatabase, withReadableDatabase } from './database.ts'
import { type OutputOptions, printResult } from './output.ts'
import { whichStore } from './which-store.ts'

export const addOrigin = (program: Command) => {
  const origin = program
    .command('origin')
    .description('Add, list and remove origins that may call a store from a browser')
  origin
    .command('add <origin>')
    .description("Add an origin to a store's allowlist")
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine origin add https://shop.example')
    .action((text: string, options: OutputOptions & { store?: string }) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const origins = await db.tx((tx) => allowOriginBy(tx, store, commandLine, text))
        printResult(options, { origins }, () => origins.join('\n'))
      }),
    )

  origin
    .command('list')
    .description("List the origins on a store's allowlist")
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine origin list')
    .action((options: OutputOptions & { store?: string }) =>
      withReadableDatabase(async (db, config) => {
        const origins = await listOrigins(db, await whichStore(db, config, options))
        printResult(
          options,
          { origins },
          () => origins.join('\n') || 'The allowlist is empty: no page may call this store from a browser.',
        )
      }),
    )

  origin
    .command('remove <origin>')
    .description("Remove an origin from a store's allowlist; all instances apply it within a second")
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine origin remove https://old.shop.example')
    .action((text: string, options: OutputOptions & { store?: string }) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const origins = await db.tx((tx) => removeOriginBy(tx, store, commandLine, text))
        printResult(options, { origins }, () => `${text} is removed.`)
      }),
    )
}
