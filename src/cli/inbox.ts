import type { Command } from 'commander'
import type { Db } from '../db/database.ts'
import type { Store } from '../features/context.ts'
import { findOrder, readOrderNumber } from '../features/orders/store-orders.ts'
import { type InboxEvent, listInbox, replayEvent } from '../features/payments/inbox.ts'
import { withDatabase, withReadableDatabase } from './database.ts'
import { type OutputOptions, printResult, table, wholeNumber } from './output.ts'
import { paymentServices } from './payments.ts'
import { whichStore } from './which-store.ts'

type ListOptions = OutputOptions & { store?: string; order?: string; outcome?: string; limit: string }

export const addInbox = (program: Command) => {
  const inbox = program.command('inbox').description('List and replay payment events')

  inbox
    .command('list')
    .description('List the payment events of a store, newest first; --json includes the original payload')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--order <id>', 'only events of this order, by id or number')
    .option(
      '--outcome <outcome>',
      'only this outcome: applied, ignored, no_effect, duplicate_payment, mismatch, unknown_order or malformed',
    )
    .option('--limit <n>', 'maximum number of events', '20')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine inbox list --outcome mismatch')
    .action((options: ListOptions) =>
      withReadableDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const events = await listInbox(db, store, {
          orderId: await findOrderId(db, store, options.order),
          outcome: options.outcome ?? null,
          limit: wholeNumber('--limit', options.limit, { min: 1, max: 10_000 }),
        })
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
        const replayed = await replayEvent(paymentServices(db, config), id)
        printResult(options, replayed, () => `${replayed.outcome}: ${replayed.detail}`)
      }),
    )
}

/** An id is used without a lookup: the inbox also has events of orders that do not exist. */
const findOrderId = async (db: Db, store: Store, name: string | undefined) => {
  if (name === undefined) return null
  return readOrderNumber(name) !== null ? (await findOrder(db, name, store.publicId)).order.id : name
}

const showEvents = (events: readonly InboxEvent[]) =>
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
