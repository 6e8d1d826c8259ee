import type { Command } from 'commander'
import { systemClock } from '../core/clock.ts'
import { deliverOrder } from '../features/delivery/deliver.ts'
import { findOrder, listOrdersOfStore } from '../features/orders/store-orders.ts'
import { cancelUnpaid } from '../features/payments/cancel.ts'
import { createPayments } from '../features/payments/providers.ts'
import { loadSecrets, withDatabase, withReadableDatabase } from './database.ts'
import { describeOrder, readOrderDetails } from './order-details.ts'
import { type OutputOptions, printResult, table, wholeNumber } from './output.ts'
import { addRefund } from './refund.ts'
import { addShip } from './ship.ts'
import { whichStore } from './which-store.ts'

type ListOptions = OutputOptions & { store?: string; status?: string; attention?: true; limit: string }
type OrderOptions = OutputOptions & { store?: string }

export const addOrder = (program: Command) => {
  const order = program.command('order').description('List, ship, deliver, cancel and refund orders')
  addList(order)
  addShow(order)
  addShip(order)
  addDeliver(order)
  addCancel(order)
  addRefund(order)
}

const addList = (order: Command) =>
  order
    .command('list')
    .description('List the orders of a store, newest first')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--status <status>', 'only this status: pending, paid, out_for_delivery, delivered, cancelled or refunded')
    .option('--attention', 'only orders that need attention')
    .option('--limit <n>', 'maximum number of orders', '20')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExamples:\n  vitrine order list --status paid\n  vitrine order list --attention')
    .action((options: ListOptions) =>
      withReadableDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const orders = await listOrdersOfStore(db, store, {
          status: options.status ?? null,
          isFlagged: options.attention === true,
          limit: wholeNumber('--limit', options.limit, { min: 1, max: 10_000 }),
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
        const { delivered } = await db.tx((tx) => deliverOrder(tx, { store }, found.id, systemClock.now()))
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
        await cancelUnpaid(ctx, found, 'Cancelled by the store.')
        const after = await readOrderDetails(db, config, found.id)
        printResult(options, after, ({ number }) => `Order ${number} is cancelled.`)
      }),
    )
