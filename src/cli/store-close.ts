import type { Command } from 'commander'
import { commandLine } from '../features/audit/record.ts'
import { changeStoreBy, unchanged } from '../features/stores/settings.ts'
import { withDatabase } from './database.ts'
import { type OutputOptions, printResult } from './output.ts'
import { whichStore } from './which-store.ts'

export const addCloseAndOpen = (store: Command) => {
  addCommand(store, 'close')
  addCommand(store, 'open')
}

const descriptions = {
  close: 'Close a store: its keys are rejected; webhooks for existing orders and commands still work',
  open: 'Reopen a closed store',
}

const addCommand = (store: Command, name: keyof typeof descriptions) =>
  store
    .command(name)
    .description(descriptions[name])
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', `\nExample:\n  vitrine store ${name} --store store_01k8x0v3m7q2w9c4t6y8za`)
    .action((options: OutputOptions & { store?: string }) =>
      withDatabase(async (db, config) => {
        const found = await whichStore(db, config, options)
        const closed = name === 'close'
        await db.tx((tx) => changeStoreBy(tx, found, commandLine, unchanged, { isClosed: closed }))
        printResult(
          options,
          { storeId: found.publicId, closed },
          () => `${found.name} is ${closed ? 'closed' : 'open'}.`,
        )
      }),
    )
