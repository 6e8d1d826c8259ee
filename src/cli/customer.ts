import type { Command } from 'commander'
import { systemClock } from '../core/clock.ts'
import { readAtOnce } from '../features/admin-list.ts'
import { commandLine } from '../features/audit/record.ts'
import { openCustomerList } from '../features/customers/customer-list.ts'
import { addCustomerNote, readCustomer, showListed } from '../features/customers/customers.ts'
import { eraseCustomerBy } from '../features/customers/erase.ts'
import { exportCustomer, noteExport } from '../features/customers/export.ts'
import { withDatabase, withReadableDatabase } from './database.ts'
import { fields, type OutputOptions, print, printResult, table, wholeNumber } from './output.ts'
import { whichStore } from './which-store.ts'

type StoreOptions = OutputOptions & { store?: string }

const storeOption = ['--store <id>', 'store id; default: the only store, or the demo store'] as const

export const addCustomer = (program: Command) => {
  const customer = program
    .command('customer')
    .description('List customers, note about them, export and erase their data')
  addList(customer)
  addShow(customer)
  addNoteCommand(customer)
  addExport(customer)
  addErase(customer)
}

const addList = (customer: Command) =>
  customer
    .command('list')
    .description('List the customers of a store with their orders and spend, newest first')
    .option('--query <text>', 'only those whose name, email or phone number begins with this')
    .option('--from <day>', "created on this day or later, in the store's time zone")
    .option('--to <day>', 'created on this day or before')
    .option('--erased', 'only erased customers')
    .option('--limit <n>', 'maximum number of customers', '20')
    .option(...storeOption)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine customer list --query asha')
    .action((options: StoreOptions & ListOptions) =>
      withReadableDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const limit = wholeNumber('--limit', options.limit, { min: 1, max: 10_000 })
        const list = openCustomerList(db, store, { ...options, q: options.query ?? '' })
        const shown = (await readAtOnce(list, limit)).map((row) => showListed(store, row))
        printResult(options, shown, () =>
          table(
            ['id', 'name', 'email', 'phone', 'orders', 'spent', 'created'],
            shown.map((row) => [
              ...[row.id, row.name, row.email, row.phone, String(row.orderCount)],
              ...[`${row.totalSpent} ${store.currency}`, row.createdAt],
            ]),
          ),
        )
      }),
    )

type ListOptions = { query?: string; from?: string; to?: string; erased?: true; limit: string }

const addShow = (customer: Command) =>
  customer
    .command('show <id>')
    .description('Show a customer with addresses, notes, orders and spend')
    .option(...storeOption)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine customer show cus_01k8x0v3m7q2w9c4t6y8ze')
    .action((id: string, options: StoreOptions) =>
      withReadableDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const { profile: _, ...shown } = await readCustomer(db, store, id)
        printResult(options, shown, ({ addresses, notes, ...rest }) =>
          [
            fields({ ...rest, totalSpent: `${rest.totalSpent} ${store.currency}` }),
            ...addresses.map(({ name, line1, city, country }) => `address  ${name}, ${line1}, ${city}, ${country}`),
            ...notes.map(({ createdAt, author, text }) => `note  ${createdAt}  ${author}: ${text}`),
          ].join('\n'),
        )
      }),
    )

const addNoteCommand = (customer: Command) =>
  customer
    .command('note <id> <text>')
    .description('Add a note about a customer, which the customer does not see')
    .option(...storeOption)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine customer note cus_01k8x0v3m7q2w9c4t6y8ze Vegan')
    .action((id: string, text: string, options: StoreOptions) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const note = await db.tx((tx) => addCustomerNote(tx, store, commandLine, id, text))
        printResult(options, note, () => `Noted as ${note.id}.`)
      }),
    )

const addExport = (customer: Command) =>
  customer
    .command('export <id>')
    .description('Print everything that is known of a customer as JSON')
    .option(...storeOption)
    .option('--json', 'print the result as JSON, which it always is')
    .addHelpText('after', '\nExample:\n  vitrine customer export cus_01k8x0v3m7q2w9c4t6y8ze > asha.json')
    .action((id: string, options: StoreOptions) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const { publicUrl } = config
        const parts: string[] = []
        for await (const part of exportCustomer({ db, store, publicUrl, clock: systemClock }, id)) parts.push(part)
        await db.tx(async (tx) => noteExport(tx, store, commandLine, id))
        print(parts.join(''))
      }),
    )

const addErase = (customer: Command) =>
  customer
    .command('erase <id>')
    .description('Erase the personal data of a customer; amounts and tax of orders stay; it cannot be undone')
    .option(...storeOption)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine customer erase cus_01k8x0v3m7q2w9c4t6y8ze')
    .action((id: string, options: StoreOptions) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const status = await eraseCustomerBy({ db, store }, commandLine, id)
        printResult(options, { id, status }, () =>
          status === 'erased'
            ? `${id} is erased.`
            : `The account of ${id} has ended. The running service erases the rest.`,
        )
      }),
    )
