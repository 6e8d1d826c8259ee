import type { Command } from 'commander'
import { OperatorError } from '../core/operator-error.ts'
import type { Db } from '../db/database.ts'
import type { Store } from '../features/context.ts'
import { listReceived, type ReceivedEvent, replayReceived } from '../features/delivery/inbox.ts'
import { findOrder, readOrderNumber } from '../features/orders/store-orders.ts'
import { withDatabase, withReadableDatabase } from './database.ts'
import { type OutputOptions, printResult, table, wholeNumber } from './output.ts'
import { paymentServices } from './payments.ts'
import { whichStore } from './which-store.ts'

type ListOptions = OutputOptions & { store?: string; order?: string; outcome?: string; kind?: string; limit: string }

export const addInbox = (program: Command) => {
  const inbox = program.command('inbox').description('List and replay events of payment providers and carriers')

  inbox
    .command('list')
    .description('List the events that a store received, newest first; --json includes the original payload')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--order <id>', 'only events of this order, by id or number')
    .option(
      '--outcome <outcome>',
      'only this outcome: applied, ignored, no_effect, duplicate_payment, mismatch, unknown_order or malformed of payments; applied, stale, after_delivery or unmatched of deliveries',
    )
    .option('--kind <kind>', 'only events of this kind: payment or delivery')
    .option('--limit <n>', 'maximum number of events', '20')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine inbox list --outcome mismatch')
    .action((options: ListOptions) =>
      withReadableDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const filter = {
          kind: readKind(options.kind),
          orderId: await findOrderId(db, store, options.order),
          outcome: options.outcome ?? null,
        }
        const limit = wholeNumber('--limit', options.limit, { min: 1, max: 10_000 })
        const events = await listReceived(db, store, filter, { before: null, limit })
        printResult(options, events, showEvents)
      }),
    )

  inbox
    .command('replay <event>')
    .description('Process a stored event again; effects that it already had are not repeated')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine inbox replay 1042')
    .action((event: string, options: OutputOptions) =>
      withDatabase(async (db, config) => {
        const id = wholeNumber('The event number', event, { min: 1, max: Number.MAX_SAFE_INTEGER })
        const replayed = await replayReceived(paymentServices(db, config), id)
        printResult(options, replayed, () => [replayed.outcome, replayed.detail].filter(Boolean).join(': '))
      }),
    )
}

const readKind = (kind: string | undefined): ReceivedEvent['kind'] | null => {
  if (kind === undefined || kind === 'payment' || kind === 'delivery') return kind ?? null
  throw new OperatorError(`--kind must be payment or delivery, not "${kind}".`)
}

/** An id is used without a lookup: the inbox also has events of orders that do not exist. */
const findOrderId = async (db: Db, store: Store, name: string | undefined) => {
  if (name === undefined) return null
  return readOrderNumber(name) !== null ? (await findOrder(db, name, store.publicId)).order.id : name
}

const showEvents = (events: readonly ReceivedEvent[]) =>
  table(
    ['number', 'received', 'source', 'event', 'order', 'outcome', 'detail'],
    events.map((event) => [
      String(event.id),
      event.receivedAt.toISOString(),
      event.source,
      event.eventId,
      event.orderId ?? '',
      event.outcome,
      event.detail,
    ]),
  )
