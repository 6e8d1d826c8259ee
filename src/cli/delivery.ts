import type { Command } from 'commander'
import { refuse } from '../core/domain-errors.ts'
import { OperatorError } from '../core/operator-error.ts'
import type { DeliveryRow } from '../features/outgoing-webhooks/deliveries.sql.ts'
import {
  listDeliveries,
  maxDeliveriesListed,
  redeliver,
  redeliverFailed,
} from '../features/outgoing-webhooks/deliveries.ts'
import { endpointIdIn } from '../features/outgoing-webhooks/delivery-id.ts'
import { withDatabase, withReadableDatabase } from './database.ts'
import { type OutputOptions, printResult, table, wholeNumber } from './output.ts'
import { storeOfEndpoint } from './webhook.ts'
import { whichStore } from './which-store.ts'

type ListOptions = OutputOptions & { store?: string; endpoint?: string; state?: string; before?: string; limit: string }
type RedeliverOptions = OutputOptions & { store?: string; endpoint?: string; failed?: true }

export const addDelivery = (program: Command) => {
  const delivery = program.command('delivery').description('List what was sent to webhook endpoints, and send it again')
  addList(delivery)
  addRedeliver(delivery)
}

const addList = (delivery: Command) =>
  delivery
    .command('list')
    .description('List the deliveries of the last thirty days with their last attempt, newest first')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--endpoint <id>', 'only those of this endpoint')
    .option('--state <state>', 'only this state: waiting, delivered or failed')
    .option('--before <id>', 'only those before this delivery, for the next page')
    .option('--limit <n>', 'maximum number of deliveries', '20')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine delivery list --state failed')
    .action((options: ListOptions) =>
      withReadableDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const deliveries = await listDeliveries(db, store, {
          endpointId: options.endpoint ?? null,
          state: options.state ?? null,
          before: options.before ?? null,
          limit: wholeNumber('--limit', options.limit, { min: 1, max: maxDeliveriesListed }),
        })
        printResult(options, deliveries, () =>
          table(['id', 'type', 'state', 'attempts', 'created', 'last attempt'], deliveries.map(toCells)),
        )
      }),
    )

const toCells = ({ id, type, state, attempts, createdAt, lastAttempt }: DeliveryRow) => [
  ...[id, type ?? '', state, String(attempts), createdAt.toISOString()],
  lastAttempt === null
    ? ''
    : `${lastAttempt.status ?? 'no answer'} in ${lastAttempt.durationMs} ms${lastAttempt.error && `: ${lastAttempt.error}`}`,
]

const addRedeliver = (delivery: Command) =>
  delivery
    .command('redeliver [id]')
    .description('Send a delivery again, or all that have failed; the running service sends them')
    .option('--failed', 'all that were given up, except tests')
    .option('--store <id>', 'store id; default: the only store, the demo store, or that of the delivery')
    .option('--endpoint <id>', 'with --failed: only those of this endpoint')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  vitrine delivery redeliver dlv_01k8x0v3m7q2w9c4t6y8za_01k8x0v3m7q2w9c4t6y8zb\n  vitrine delivery redeliver --failed --endpoint whk_01k8x0v3m7q2w9c4t6y8zb',
    )
    .action((id: string | undefined, options: RedeliverOptions) =>
      withDatabase(async (db, config) => {
        if ((id === undefined) !== (options.failed === true)) {
          throw new OperatorError('Name one delivery, or use --failed for all that were given up.')
        }
        if (id === undefined) {
          const store = await whichStore(db, config, options)
          const queued = await redeliverFailed(db, store, options.endpoint ?? null)
          return printResult(
            options,
            { queued },
            () => `${queued} deliveries are queued. The running service sends them.`,
          )
        }
        const endpointId = endpointIdIn(id)
        if (endpointId === null) throw refuse('DELIVERY_NOT_FOUND', { deliveryId: id })
        await redeliver(db, await storeOfEndpoint(db, endpointId, options), id)
        printResult(options, { queued: 1 }, () => `${id} is queued. The running service sends it.`)
      }),
    )
