import type { Command } from 'commander'
import { systemClock } from '../core/clock.ts'
import { OperatorError } from '../core/operator-error.ts'
import { commandLine } from '../features/audit/record.ts'
import { deliverOrderBy } from '../features/delivery/deliver.ts'
import { addNote, resolveOrder } from '../features/orders/manage-orders.ts'
import { listOrdersOfStore, type OrderListQuery } from '../features/orders/order-list.ts'
import { findOrder } from '../features/orders/store-orders.ts'
import { cancelUnpaid } from '../features/payments/cancel.ts'
import { createPayments } from '../features/payments/providers.ts'
import { loadSecrets, withDatabase, withReadableDatabase } from './database.ts'
import { addInvoice } from './invoice.ts'
import { describeOrder, readOrderDetails } from './order-details.ts'
import { type OutputOptions, printResult, table, wholeNumber } from './output.ts'
import { addRefund } from './refund.ts'
import { addShip } from './ship.ts'
import { whichStore } from './which-store.ts'

type ListOptions = OutputOptions &
  Pick<OrderListQuery, 'status' | 'payment' | 'delivery' | 'outlet' | 'from' | 'to' | 'q'> & {
    store?: string
    attention?: true
    toShip?: true
    oldestFirst?: true
    limit: string
  }
type OrderOptions = OutputOptions & { store?: string }

export const addOrder = (program: Command) => {
  const order = program.command('order').description('List, ship, deliver, cancel and refund orders')
  addList(order)
  addShow(order)
  addShip(order)
  addDeliver(order)
  addCancel(order)
  addRefund(order)
  addNoteCommand(order)
  addResolve(order)
  addInvoice(order)
}

const addList = (order: Command) =>
  order
    .command('list')
    .description('List the orders of a store, newest first')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--status <status>', 'only this status: pending, paid, out_for_delivery, delivered, cancelled or refunded')
    .option('--payment <status>', 'only this payment: pending, paid, failed, partially_refunded or refunded')
    .option('--delivery <status>', 'only this delivery: none, out_for_delivery or delivered')
    .option('--to-ship', 'only orders with something left to ship: paid, or with cash on delivery')
    .option('--attention', 'only orders that need attention')
    .option('--outlet <id>', 'only orders of this outlet')
    .option('--from <day>', "only orders from this day on, in the store's time zone, or from this time on")
    .option('--to <day>', 'only orders up to this day, or before this time')
    .option('--q <text>', 'only this number, or a name, phone, email or SKU that begins so')
    .option('--oldest-first', 'oldest first')
    .option('--limit <n>', 'maximum number of orders', '20')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  vitrine order list --to-ship\n  vitrine order list --attention\n  vitrine order list --q asha',
    )
    .action((options: ListOptions) =>
      withReadableDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const { json: _, store: __, limit, attention, oldestFirst, ...filters } = options
        const orders = await listOrdersOfStore(db, store, {
          ...filters,
          ...(attention === undefined ? {} : { attention }),
          ...(oldestFirst === undefined ? {} : { sort: 'createdAt' }),
          limit: wholeNumber('--limit', limit, { min: 1, max: 10_000 }),
        })
        printResult(options, orders, () =>
          table(
            ['number', 'id', 'status', 'payment', 'total', 'customer', 'placed', 'attention'],
            orders.map((row) => [
              row.number,
              row.id,
              row.status,
              `${row.paymentStatus}${row.paymentMethod === 'cod' ? ' (cod)' : ''}`,
              `${row.total} ${row.currency}`,
              row.customer || row.customerId,
              row.createdAt,
              row.needsAttention ?? '',
            ]),
          ),
        )
      }),
    )

const addShow = (order: Command) =>
  order
    .command('show <order>')
    .description('Show an order by id or number: customer, addresses, items, parcels, payments and history')
    .option('--store <id>', 'store id; needed when several stores have an order with this number')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExamples:\n  vitrine order show 1001\n  vitrine order show ord_01k8x0v3m7q2w9c4t6y8za')
    .action((name: string, options: OrderOptions) =>
      withReadableDatabase(async (db, config) =>
        printResult(options, await readOrderDetails(db, config, name, options.store), describeOrder),
      ),
    )

const addDeliver = (order: Command) =>
  order
    .command('deliver <order>')
    .description('Mark an order as delivered when no carrier reports it; a cash order becomes paid')
    .option('--store <id>', 'store id; needed when several stores have an order with this number')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine order deliver 1001')
    .action((name: string, options: OrderOptions) =>
      withDatabase(async (db, config) => {
        const { store, order: found } = await findOrder(db, name, options.store)
        const { delivered } = await db.tx((tx) =>
          deliverOrderBy(tx, { store }, commandLine, found.id, systemClock.now()),
        )
        const after = await readOrderDetails(db, config, found.id)
        printResult(options, { ...after, delivered }, ({ number, paymentStatus }) =>
          delivered
            ? `Order ${number} is delivered; its payment is ${paymentStatus}.`
            : `Order ${number} was already delivered.`,
        )
      }),
    )

const addCancel = (order: Command) =>
  order
    .command('cancel <order>')
    .description('Cancel an unpaid order, and its payment at the provider')
    .option('--store <id>', 'store id; needed when several stores have an order with this number')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine order cancel ord_01k8x0v3m7q2w9c4t6y8za')
    .action((name: string, options: OrderOptions) =>
      withDatabase(async (db, config) => {
        const { store, order: found } = await findOrder(db, name, options.store)
        const payments = createPayments({ ...config, db, secrets: loadSecrets(config) })
        const ctx = { db, clock: systemClock, publicUrl: config.publicUrl, payments, store }
        await cancelUnpaid(ctx, found, 'Cancelled by the store.', commandLine)
        const after = await readOrderDetails(db, config, found.id)
        printResult(options, after, ({ number }) => `Order ${number} is cancelled.`)
      }),
    )

const addNoteCommand = (order: Command) =>
  order
    .command('note <order> <text>')
    .description('Add a note to an order; the customer does not see it')
    .option('--store <id>', 'store id; needed when several stores have an order with this number')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', "\nExample:\n  vitrine order note 1001 'Call before delivery'")
    .action((name: string, text: string, options: OrderOptions) =>
      withDatabase(async (db) => {
        if (text.length > 5000) throw new OperatorError('A note is limited to 5000 characters.')
        const { store, order: found } = await findOrder(db, name, options.store)
        const note = await db.tx((tx) => addNote(tx, { store }, commandLine, found.id, text))
        printResult(options, { orderId: found.id, ...note }, () => `Order ${found.number} has a new note.`)
      }),
    )

const addResolve = (order: Command) =>
  order
    .command('resolve <order>')
    .description('Say that an order no longer needs attention')
    .option('--store <id>', 'store id; needed when several stores have an order with this number')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine order resolve 1001')
    .action((name: string, options: OrderOptions) =>
      withDatabase(async (db, config) => {
        const { store, order: found } = await findOrder(db, name, options.store)
        await db.tx((tx) => resolveOrder(tx, { store }, commandLine, found.id))
        const after = await readOrderDetails(db, config, found.id)
        printResult(options, after, ({ number }) => `Order ${number} no longer needs attention.`)
      }),
    )
