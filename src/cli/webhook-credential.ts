import { type Command, Option } from 'commander'
import { hours } from '../core/clock.ts'
import { commandLine } from '../features/audit/record.ts'
import { rotateCredentialBy } from '../features/stores/audited.ts'
import { withDatabase } from './database.ts'
import { fields, type OutputOptions, printResult, wholeNumber } from './output.ts'
import { whichStore } from './which-store.ts'

type RotateOptions = OutputOptions & { store?: string; kind: 'payment' | 'logistics'; overlap: string }

const maxOverlapHours = 720

export const addWebhookCredential = (program: Command) => {
  const credential = program
    .command('webhook-credential')
    .description('Rotate the credentials that payment providers and carriers use for webhooks')
  credential
    .command('rotate')
    .description('Create new webhook credentials, shown only once; the old ones stay valid for a while')
    .addOption(new Option('--kind <kind>', 'which credentials').choices(['payment', 'logistics']).makeOptionMandatory())
    .option('--overlap <hours>', 'hours for which the old ones stay valid; 0 revokes them at once', '24')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine webhook-credential rotate --kind payment --overlap 48')
    .action((options: RotateOptions) =>
      withDatabase(async (db, config) => {
        const overlap = wholeNumber('--overlap', options.overlap, { min: 0, max: maxOverlapHours })
        const store = await whichStore(db, config, options)
        const { kind } = options
        const made = await db.tx((tx) =>
          rotateCredentialBy(tx, store, commandLine, { kind, overlapMs: hours(overlap) }),
        )
        const { oldValidUntil, ...shown } = made
        printResult(options, made, () =>
          fields({
            ...shown,
            'old valid until': oldValidUntil?.toISOString() ?? 'there were none',
            '': 'Save these now: only hashes are stored, and they are not shown again.',
          }),
        )
      }),
    )
}
