import type { Command } from 'commander'
import { loadConfig } from '../config.ts'
import { migrate } from '../db/migrate.ts'
import { openDatabase } from './database.ts'
import { type OutputOptions, print, printResult } from './output.ts'
import { separateFiles } from './separate-files.ts'

export const addMigrate = (program: Command) =>
  program
    .command('migrate')
    .description('Update the database to the schema of this version (start does this too)')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nEach migration says beside which versions it works; "vitrine doctor" shows it before. It can be interrupted at any\ntime and continues when it is run again.\n\nExample:\n  DATABASE_URL=postgres://me@db/shop vitrine migrate',
    )
    .action(async (options: OutputOptions) => {
      const config = loadConfig(process.env)
      const database = await openDatabase(config, { role: 'command' })
      try {
        const applied = await migrate(database.directConnection, { onProgress: options.json ? () => {} : print })
        const separated = await separateFiles(config, database)
        const files = separated && { files: { copied: separated.copied, missing: separated.missing } }
        printResult(options, { applied, ...files }, () =>
          [
            ...(applied.length === 0 ? ['The database is up to date.'] : applied.map((name) => `Applied ${name}`)),
            ...(separated === null ? [] : [separated.sentence]),
          ].join('\n'),
        )
      } finally {
        await database.close()
      }
    })
