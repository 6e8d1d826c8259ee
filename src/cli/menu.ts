import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { OperatorError } from '../core/operator-error.ts'
import { errorMessage } from '../core/thrown.ts'
import { commandLine } from '../features/audit/record.ts'
import { changeMenu } from '../features/stores/menu.ts'
import { withDatabase } from './database.ts'
import { type OutputOptions, printResult } from './output.ts'
import { whichStore } from './which-store.ts'

export const addMenu = (program: Command) => {
  const menu = program.command('menu').description('Change the navigation menu of a store')
  menu
    .command('set <file>')
    .description('Replace the menu with the one in a JSON file: {"items":[{"label","type","target","children"}]}')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nTypes are category, product, page and link. A target is a slug or an id, a path, or an address that begins with\nhttp://, https://, mailto: or tel:.\n\nExample:\n  vitrine menu set menu.json',
    )
    .action((file: string, options: OutputOptions & { store?: string }) =>
      withDatabase(async (db, config) => {
        const content = readJsonFile(file)
        const store = await whichStore(db, config, options)
        const items = await db.tx((tx) => changeMenu(tx, { store, by: commandLine, ifMatch: null }, content))
        printResult(options, { items }, () => `The menu has ${items.length} entries.`)
      }),
    )
}

const readJsonFile = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new OperatorError(`${file} cannot be read as JSON: ${errorMessage(error)}.`)
  }
}
