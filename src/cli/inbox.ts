import type { Command } from 'commander'
import type { Db } from '../db/database.ts'
import type { Store } from '../features/context.ts'
import { findOrder, readOrderNumber } from '../features/orders/order-book.ts'
import { type InboxEvent, listInbox, replayEvent } from '../features/payments/inbox.ts'
import { withDatabase, withReadableDatabase } from './database.ts'
import { type OutputOptions, printResult, table, wholeNumber } from './output.ts'
import { paymentServices } from './payments.ts'
import { whichStore } from './which-store.ts'

type ListOptions = OutputOptions & { store?: string; order?: string; outcome?: string; limit: string }

export const addInbox = (program: Command) => {
  const inbox = program.command('inbox').description('What payment providers have told, and what became of it')

  inbox
    .command('list')
    .description('List the payment events of a store, the newest first; with --json also as they came')
    .option('--store <id>', 'which store; the only one, or the demo store, unless set')
    .option('--order <id>', 'only those about this order, by id or number')
    .option('--outcome <outcome>', 'only applied, no_effect, duplicate_payment, mismatch, unknown_order or malformed')
    .option('--limit <n>', 'how many at most', '20')
    .option('--json', 'answer in JSON')
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
    .description('Apply an event again as it came; what it has done is not done twice')
    .option('--json', 'answer in JSON')
    .addHelpText('after', '\nExample:\n  vitrine inbox replay 1042')
    .action((event: string, options: OutputOptions) =>
      withDatabase(async (db, config) => {
        const id = wholeNumber('The number of the event', event, { min: 1, max: Number.MAX_SAFE_INTEGER })
        const replayed = await replayEvent(paymentServices(db, config), id)
        printResult(options, replayed, () => `${replayed.outcome}: ${replayed.detail}`)
      }),
    )
}

/** An id is taken as it is: what was told of an order that we do not know is in the inbox too. */
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
