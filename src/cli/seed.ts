import type { Command } from 'commander'
import { OperatorError } from '../core/operator-error.ts'
import { seedDemo } from '../features/demo-store/demo-store.ts'
import { withDatabase } from './database.ts'
import { fields, type OutputOptions, printResult } from './output.ts'

export const addSeed = (program: Command) => {
  const seed = program.command('seed').description('Create demo data')
  seed
    .command('demo')
    .description('Create a demo store with products, variants, two outlets and a menu')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine seed demo --json')
    .action((options: OutputOptions) =>
      withDatabase(async (db, config) => {
        if (config.production)
          throw new OperatorError('A demo store cannot be created in production (NODE_ENV=production).')
        const made = await db.tx(seedDemo)
        printResult(options, made, () =>
          fields({
            store: made.storeId,
            'server key': made.serverKey,
            'browser key': made.browserKey,
            outlets: Object.values(made.outlets).join(', '),
          }),
        )
      }),
    )
}
