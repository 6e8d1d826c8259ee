import type { Command } from 'commander'
import { OperatorError } from '../core/operator-error.ts'
import { changeKey, createKey, listKeys, revokeKey } from '../features/stores/stores.ts'
import { withDatabase, withReadableDatabase } from './database.ts'
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
  const key = program.command('key').description('The keys that open a store')

  key
    .command('create')
    .description('Make a key; it is shown this once')
    .option('--store <id>', 'which store; the only one, or the demo store, unless set')
    .option('--browser', 'for pages and apps: it may not speak for a customer')
    .option('--name <name>', 'to know it again', '')
    .option('--scopes <list>', 'comma-separated; all that fit its kind otherwise')
    .option('--rate-limit <n>', 'requests a minute; 60 otherwise')
    .option('--expires <time>', 'ISO 8601, such as 2027-01-31T00:00:00Z')
    .option('--json', 'answer in JSON')
    .addHelpText(
      'after',
      '\nExample:\n  vitrine key create --browser --rate-limit 600 --scopes products:read,store:read',
    )
    .action((options: CreateOptions) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const made = await db.tx((tx) =>
          createKey(tx, store.id, {
            kind: options.browser ? 'browser' : 'server',
            name: options.name,
            scopes: options.scopes?.split(',').map((scope) => scope.trim()) ?? null,
            rateLimit:
              options.rateLimit === undefined
                ? null
                : wholeNumber('--rate-limit', options.rateLimit, { min: 1, max: 1_000_000_000 }),
            expiresAt: options.expires === undefined ? null : readTime(options.expires),
          }),
        )
        printResult(options, made, () =>
          fields({
            id: made.id,
            key: made.key,
            scopes: made.scopes.join(', '),
            'rate limit': `${made.rateLimit ?? 60} requests a minute${options.browser ? ', for all shoppers together' : ''}`,
          }),
        )
      }),
    )

  key
    .command('list')
    .description('List the keys of a store; the keys themselves are not stored')
    .option('--store <id>', 'which store; the only one, or the demo store, unless set')
    .option('--json', 'answer in JSON')
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
    .description('Change the rate limit of a key, on every instance within a second')
    .requiredOption('--rate-limit <n>', 'requests a minute')
    .option('--json', 'answer in JSON')
    .addHelpText('after', '\nExample:\n  vitrine key set key_01k8x0v3m7q2w9c4t6y8za --rate-limit 6000')
    .action((id: string, options: OutputOptions & { rateLimit: string }) =>
      withDatabase(async (db) => {
        const rateLimit = wholeNumber('--rate-limit', options.rateLimit, { min: 1, max: 1_000_000_000 })
        const changed = await db.tx((tx) => changeKey(tx, id, { rateLimit }))
        printResult(options, changed, () => `${id} may call ${rateLimit} times a minute.`)
      }),
    )

  key
    .command('revoke <id>')
    .description('Switch a key off, on every instance within a second')
    .option('--json', 'answer in JSON')
    .addHelpText('after', '\nExample:\n  vitrine key revoke key_01k8x0v3m7q2w9c4t6y8za')
    .action((id: string, options: OutputOptions) =>
      withDatabase(async (db) => {
        const revoked = await db.tx((tx) => revokeKey(tx, id))
        printResult(options, revoked, () => `${id} is revoked.`)
      }),
    )
}

const stateOf = ({ revokedAt, expiresAt }: { revokedAt: Date | null; expiresAt: Date | null }) => {
  if (revokedAt !== null) return 'revoked'
  if (expiresAt === null) return 'active'
  return expiresAt.getTime() <= Date.now() ? 'expired' : `until ${expiresAt.toISOString()}`
}

/** A day without a time is its first moment in UTC. */
const readTime = (text: string) => {
  const ms = parseInstant(text.includes('T') ? text : `${text}T00:00:00Z`)
  if (ms === null) {
    throw new OperatorError(`--expires must be a time such as 2027-01-31T00:00:00Z or a day, not "${text}".`)
  }
  if (ms <= Date.now()) throw new OperatorError(`--expires must lie ahead, and ${text} is over.`)
  return new Date(ms)
}

/** Unlike Date, Temporal does not turn the 31st of February into a day of March. */
const parseInstant = (text: string) => {
  try {
    return Temporal.Instant.from(text).epochMilliseconds
  } catch {
    return null
  }
}
