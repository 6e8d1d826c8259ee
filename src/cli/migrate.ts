import type { Command } from 'commander'
import type pg from 'pg'
import { loadConfig } from '../config.ts'
import { type Distributed, distribute } from '../db/distribute.ts'
import { connectOrExplain, migrate } from '../db/migrate.ts'
import { openDatabase } from './database.ts'
import { type OutputOptions, print, printResult } from './output.ts'
import { separateFiles } from './separate-files.ts'

export const addMigrate = (program: Command) =>
  program
    .command('migrate')
    .description('Update the database to the schema of this version (start does this too)')
    .option('--distribute', 'then spread the stores over the servers of a Citus cluster; stop the service before')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nEach migration says beside which versions it works; "vitrine doctor" shows it before. It can be interrupted at any\ntime and continues when it is run again.\n\nExample:\n  DATABASE_URL=postgres://me@db/shop vitrine migrate',
    )
    .action(async (options: OutputOptions & { distribute?: true }) => {
      const config = loadConfig(process.env)
      const database = await openDatabase(config, { role: 'command' })
      try {
        const applied = await migrate(database.directConnection, { onProgress: options.json ? () => {} : print })
        const distributed = options.distribute ? await distributeAt(database.directConnection, options) : null
        const separated = await separateFiles(config, database)
        const files = separated && { files: { copied: separated.copied, missing: separated.missing } }
        printResult(options, { applied, ...(distributed && { distributed }), ...files }, () =>
          [
            ...(applied.length === 0 ? ['The database is up to date.'] : applied.map((name) => `Applied ${name}`)),
            ...(distributed === null ? [] : [describe(distributed)]),
            ...(separated === null ? [] : [separated.sentence]),
          ].join('\n'),
        )
      } finally {
        await database.close()
      }
    })

const distributeAt = async (connection: pg.ClientConfig, { json }: OutputOptions) => {
  const client = await connectOrExplain({ application_name: 'vitrine migrate', ...connection })
  try {
    return await distribute(client, json ? () => {} : print)
  } finally {
    await client.end()
  }
}

const describe = ({ tables, keys }: Distributed) =>
  tables.length === 0 && keys === 0
    ? 'The database is distributed.'
    : `The database is distributed: ${tables.length} tables moved, ${keys} foreign keys made.`
