import { type Command, Option } from 'commander'
import { hours } from '../core/clock.ts'
import { rotateWebhookCredential } from '../features/stores/webhook-credentials.ts'
import { withDatabase } from './database.ts'
import { fields, type OutputOptions, printResult, wholeNumber } from './output.ts'
import { whichStore } from './which-store.ts'

type RotateOptions = OutputOptions & { store?: string; kind: 'payment' | 'logistics'; overlap: string }

const longestOverlapHours = 720

export const addWebhookCredential = (program: Command) => {
  const credential = program
    .command('webhook-credential')
    .description('What payment providers and carriers prove themselves with at the webhooks')
  credential
    .command('rotate')
    .description('Make new webhook credentials, shown this once; the old ones are accepted for a while')
    .addOption(new Option('--kind <kind>', 'whose').choices(['payment', 'logistics']).makeOptionMandatory())
    .option('--overlap <hours>', 'how long the old ones are accepted beside the new; 0 ends them at once', '24')
    .option('--store <id>', 'which store; the only one, or the demo store, unless set')
    .option('--json', 'answer in JSON')
    .addHelpText('after', '\nExample:\n  vitrine webhook-credential rotate --kind payment --overlap 48')
    .action((options: RotateOptions) =>
      withDatabase(async (db, config) => {
        const overlap = wholeNumber('--overlap', options.overlap, { min: 0, max: longestOverlapHours })
        const store = await whichStore(db, config, options)
        const made = await db.tx((tx) => rotateWebhookCredential(tx, store, options.kind, hours(overlap)))
        const { oldValidUntil, ...shown } = made
        printResult(options, made, () =>
          fields({
            ...shown,
            'old valid until': oldValidUntil?.toISOString() ?? 'there was none',
            '': 'Keep these now: they are stored only as hashes and are not shown again.',
          }),
        )
      }),
    )
}
