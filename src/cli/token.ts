import type { Command } from 'commander'
import { systemClock } from '../core/clock.ts'
import { permissions, roles } from '../features/access/admin.contract.ts'
import { commandLine } from '../features/audit/record.ts'
import { createToken, listTokensOf, revokeToken } from '../features/staff/tokens.ts'
import { withDatabase, withReadableDatabase } from './database.ts'
import { readExpiry } from './expiry.ts'
import { fields, type OutputOptions, printResult, table } from './output.ts'
import { whichStore } from './which-store.ts'

type StoreOptions = OutputOptions & { store?: string }
type CreateOptions = StoreOptions & { name: string; role?: string; permissions?: string; expires?: string }

export const addToken = (program: Command) => {
  const token = program.command('token').description('Create, list and revoke tokens for the admin API')

  token
    .command('create')
    .description('Create a token for a program; it is shown only once')
    .option('--role <role>', `give it the permissions of a role: ${roles.join(', ')}`)
    .option('--permissions <list>', 'give it these permissions, comma-separated')
    .option('--name <name>', 'a name to recognise it by', '')
    .option('--expires <time>', 'ISO 8601 time, such as 2027-01-31T00:00:00Z, or a day')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `\nPermissions: ${permissions.join(', ')}\n\nExample:\n  vitrine token create --name Warehouse --permissions orders:read,orders:fulfil`,
    )
    .action((options: CreateOptions) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const { name, role, expires } = options
        const named = options.permissions?.split(',').map((permission) => permission.trim())
        const made = await createToken({ db, clock: systemClock }, { store }, commandLine, {
          name,
          ...(role === undefined ? {} : { role }),
          ...(named === undefined ? {} : { permissions: named }),
          expiresAt: expires === undefined ? null : readExpiry(expires),
        })
        printResult(options, { ...made, storeId: store.publicId }, () =>
          fields({ id: made.id, token: made.token, store: store.publicId, permissions: made.permissions.join(', ') }),
        )
      }),
    )

  token
    .command('list')
    .description('List the tokens of a store, without their secrets, which are stored only as hashes')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine token list')
    .action((options: StoreOptions) =>
      withReadableDatabase(async (db, config) => {
        const tokens = await listTokensOf(db, await whichStore(db, config, options))
        printResult(options, tokens, () =>
          tokens.length === 0
            ? 'This store has no tokens.'
            : table(
                ['id', 'name', 'last use', 'expires', 'permissions'],
                tokens.map((row) => [
                  ...[row.id, row.name, row.usedAt ?? '', row.expiresAt ?? ''],
                  row.permissions.join(','),
                ]),
              ),
        )
      }),
    )

  token
    .command('revoke <id>')
    .description('Revoke a token; all instances reject it at once')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine token revoke tok_01k8x0v3m7q2w9c4t6y8za')
    .action((id: string, options: StoreOptions) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        await revokeToken(db, { store }, commandLine, id)
        printResult(options, { id }, () => `${id} is revoked.`)
      }),
    )
}
