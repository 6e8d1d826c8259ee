import type { Command } from 'commander'
import { readSetup } from '../features/doctor/setup.ts'
import { hasMailSender } from '../providers/mail/choose.ts'
import { withReadableDatabase } from './database.ts'
import { type OutputOptions, printResult, table } from './output.ts'
import { paymentServices } from './payments.ts'
import { whichStore } from './which-store.ts'

export const addSetup = (store: Command) =>
  store
    .command('setup')
    .description('Show what a store still needs before its first real payment')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nThe page at /admin shows the same list.\n\nExample:\n  vitrine store setup')
    .action((options: OutputOptions & { store?: string }) =>
      withReadableDatabase(async (db, config) => {
        const chosen = await whichStore(db, config, options)
        const { payments } = paymentServices(db, config)
        const setup = await readSetup({ db, payments, store: chosen, sendsMail: hasMailSender(config) })
        printResult(options, setup, ({ done, steps }) =>
          [
            table(
              ['step', 'done', 'detail'],
              steps.map((step) => [step.name, step.done ? 'yes' : 'no', step.detail]),
            ),
            `${done} of ${steps.length} done.`,
          ].join('\n'),
        )
      }),
    )
