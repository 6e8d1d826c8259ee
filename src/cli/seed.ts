import type { Command } from 'commander'
import { OperatorError } from '../core/operator-error.ts'
import { seedDemo } from '../features/demo-store/demo-store.ts'
import { withDatabase } from './database.ts'
import { fields, type OutputOptions, printResult } from './output.ts'

export const addSeed = (program: Command) => {
  const seed = program.command('seed').description('Fill the database with something to try')
  seed
    .command('demo')
    .description('Make a demo store with products, variants, two outlets and a menu')
    .option('--json', 'answer in JSON')
    .addHelpText('after', '\nExample:\n  vitrine seed demo --json')
    .action((options: OutputOptions) =>
      withDatabase(async (db, config) => {
        if (config.production) throw new OperatorError('A demo store has no place in production (NODE_ENV=production).')
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
