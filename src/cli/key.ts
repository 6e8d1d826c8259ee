import type { Command } from 'commander'
import { commandLine } from '../features/audit/record.ts'
import { changeKeyBy, createKeyBy, revokeKeyBy } from '../features/stores/audited.ts'
import { listKeys } from '../features/stores/stores.ts'
import { withDatabase, withReadableDatabase } from './database.ts'
import { readExpiry } from './expiry.ts'
import { fields, type OutputOptions, printResult, table, wholeNumber } from './output.ts'
import { whichStore } from './which-store.ts'

type CreateOptions = OutputOptions & {
  store?: string
  browser?: boolean
  name: string
  scopes?: string
  rateLimit?: string
  expires?: string
}

export const addKey = (program: Command) => {
  const key = program.command('key').description('Create, list, change and revoke the keys of a store')

  key
    .command('create')
    .description('Create a key; it is shown only once')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--browser', 'for browsers and apps; by default without the scope customers:assert')
    .option('--name <name>', 'a name to recognise it by', '')
    .option('--scopes <list>', 'comma-separated; default: all scopes of its kind')
    .option('--rate-limit <n>', 'requests per minute; default: 60')
    .option('--expires <time>', 'ISO 8601 time, such as 2027-01-31T00:00:00Z, or a day')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  vitrine key create --browser --rate-limit 600 --scopes products:read,store:read',
    )
    .action((options: CreateOptions) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const made = await db.tx((tx) =>
          createKeyBy(tx, store, commandLine, {
            kind: options.browser ? 'browser' : 'server',
            name: options.name,
            scopes: options.scopes?.split(',').map((scope) => scope.trim()) ?? null,
            rateLimit:
              options.rateLimit === undefined
                ? null
                : wholeNumber('--rate-limit', options.rateLimit, { min: 1, max: 1_000_000_000 }),
            expiresAt: options.expires === undefined ? null : readExpiry(options.expires),
          }),
        )
        printResult(options, made, () =>
          fields({
            id: made.id,
            key: made.key,
            scopes: made.scopes.join(', '),
            'rate limit': `${made.rateLimit ?? 60} requests per minute${options.browser ? ', for all shoppers together' : ''}`,
          }),
        )
      }),
    )

  key
    .command('list')
    .description('List the keys of a store, without their secrets, which are stored only as hashes')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine key list')
    .action((options: OutputOptions & { store?: string }) =>
      withReadableDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const keys = await listKeys(db, store)
        printResult(options, keys, () =>
          table(
            ['id', 'kind', 'name', 'rate limit', 'state', 'scopes'],
            keys.map((row) => [
              row.id,
              row.kind,
              row.name,
              String(row.rateLimit ?? 60),
              stateOf(row),
              row.scopes.join(','),
            ]),
          ),
        )
      }),
    )

  key
    .command('set <id>')
    .description('Change the rate limit of a key; all instances apply it within a second')
    .requiredOption('--rate-limit <n>', 'requests per minute')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine key set key_01k8x0v3m7q2w9c4t6y8za --rate-limit 6000')
    .action((id: string, options: OutputOptions & { rateLimit: string }) =>
      withDatabase(async (db) => {
        const rateLimit = wholeNumber('--rate-limit', options.rateLimit, { min: 1, max: 1_000_000_000 })
        await db.tx((tx) => changeKeyBy(tx, commandLine, { keyId: id, storeId: null }, { rateLimit }))
        printResult(options, { id, rateLimit }, () => `The rate limit of ${id} is ${rateLimit} requests per minute.`)
      }),
    )

  key
    .command('revoke <id>')
    .description('Revoke a key; all instances reject it within a second')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine key revoke key_01k8x0v3m7q2w9c4t6y8za')
    .action((id: string, options: OutputOptions) =>
      withDatabase(async (db) => {
        const revoked = await db.tx((tx) => revokeKeyBy(tx, commandLine, { keyId: id, storeId: null }))
        printResult(options, revoked, () => `${id} is revoked.`)
      }),
    )
}

const stateOf = ({ revokedAt, expiresAt }: { revokedAt: Date | null; expiresAt: Date | null }) => {
  if (revokedAt !== null) return 'revoked'
  if (expiresAt === null) return 'active'
  return expiresAt.getTime() <= Date.now() ? 'expired' : `until ${expiresAt.toISOString()}`
}
