import type { Command } from 'commander'
import type { Config } from '../config.ts'
import { systemClock } from '../core/clock.ts'
import { Failure } from '../core/errors.ts'
import { OperatorError } from '../core/operator-error.ts'
import type { Db } from '../db/database.ts'
import { cancelUnpaid } from '../features/checkout/cancel.ts'
import { parseTime } from '../features/delivery/carrier-event.ts'
import { shipOrder } from '../features/delivery/ship.ts'
import type { Order } from '../features/orders/order.contract.ts'
import { findOrder, listOrdersOfStore } from '../features/orders/order-book.ts'
import { showOrder } from '../features/orders/show-order.ts'
import { createPayments } from '../features/payments/providers.ts'
import { loadSecrets, withDatabase, withReadableDatabase } from './database.ts'
import { fields, type OutputOptions, printResult, table, wholeNumber } from './output.ts'
import { addRefund } from './refund.ts'
import { whichStore } from './which-store.ts'

type ListOptions = OutputOptions & { store?: string; status?: string; limit: string }
type ShipOptions = OutputOptions & {
  tracking: string
  partner: string
  url?: string
  eta?: string
  item: readonly string[]
}

export const addOrder = (program: Command) => {
  const order = program.command('order').description('What was ordered, and what becomes of it')
  addList(order)
  addShow(order)
  addShip(order)
  addCancel(order)
  addRefund(order)
}

const addList = (order: Command) =>
  order
    .command('list')
    .description('List the orders of a store, the newest first')
    .option('--store <id>', 'which store; the only one, or the demo store, unless set')
    .option('--status <status>', 'only those: pending, paid, out_for_delivery, delivered, cancelled or refunded')
    .option('--limit <n>', 'how many at most', '20')
    .option('--json', 'answer in JSON')
    .addHelpText('after', '\nExample:\n  vitrine order list --status paid')
    .action((options: ListOptions) =>
      withReadableDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const orders = await listOrdersOfStore(db, store, {
          status: options.status ?? null,
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
    .description('Show an order with its lines, its shipments and what happened to it')
    .option('--json', 'answer in JSON')
    .addHelpText('after', '\nExample:\n  vitrine order show ord_01k8x0v3m7q2w9c4t6y8za')
    .action((id: string, options: OutputOptions) =>
      withReadableDatabase(async (db, config) => printResult(options, await readOrder(db, config, id), describe)),
    )

const addShip = (order: Command) =>
  order
    .command('ship <order>')
    .description('Hand an order, or a part of it, to a carrier; what the carrier tells later moves the order')
    .requiredOption('--tracking <number>', "the carrier's number")
    .requiredOption('--partner <name>', 'who carries it')
    .option('--url <address>', 'where the shopper can follow it')
    .option('--eta <time>', 'when it should arrive: a day or a time in ISO 8601')
    .option('--item <line=quantity>', 'a line, by id or SKU, that is in this parcel; again for more', collect, [])
    .option('--json', 'answer in JSON')
    .addHelpText(
      'after',
      '\nExample:\n  vitrine order ship ord_01k8x0v3m7q2w9c4t6y8za --tracking BB123 --partner Bluebird --item KC-MUG-OAT=1',
    )
    .action((id: string, options: ShipOptions) =>
      withDatabase(async (db, config) => {
        const request = {
          trackingNumber: notEmpty('--tracking', options.tracking),
          partner: notEmpty('--partner', options.partner),
          trackingUrl: options.url === undefined ? '' : readUrl(options.url),
          estimatedDelivery: options.eta === undefined ? null : readEta(options.eta),
          items: options.item.map(readItem),
        }
        const { store } = await findOrder(db, id)
        const { shipmentId } = await db.tx((tx) => shipOrder(tx, { store }, id, request))
        const { shipments } = await readOrder(db, config, id)
        const shipment = shipments.find((row) => row.id === shipmentId)
        printResult(options, { orderId: id, shipmentId, ...shipment }, () => `${shipmentId} is on its way.`)
      }),
    )

const addCancel = (order: Command) =>
  order
    .command('cancel <order>')
    .description('Cancel an order that is not paid, also at the payment provider')
    .option('--json', 'answer in JSON')
    .addHelpText('after', '\nExample:\n  vitrine order cancel ord_01k8x0v3m7q2w9c4t6y8za')
    .action((id: string, options: OutputOptions) =>
      withDatabase(async (db, config) => {
        const { store, order: found } = await findOrder(db, id)
        const payments = createPayments({ ...config, db, secrets: loadSecrets(config) })
        const ctx = { db, clock: systemClock, publicUrl: config.publicUrl, payments, store }
        await cancelUnpaid(ctx, found, 'Cancelled by the store.').catch(explain)
        printResult(options, await readOrder(db, config, id), ({ number }) => `Order ${number} is cancelled.`)
      }),
    )

/** What a caller of the API would be told is what the operator can read, too. */
export const explain = (error: unknown): never => {
  throw error instanceof Failure && error.status !== 500 ? new OperatorError(error.message, { cause: error }) : error
}

const readOrder = async (db: Db, { publicUrl }: Config, id: string): Promise<Order> => {
  const { store, order } = await findOrder(db, id)
  return showOrder({ store, publicUrl }, order)
}

const describe = (order: Order) =>
  [
    fields({
      order: `${order.number} (${order.id})`,
      status: order.status,
      payment: `${order.paymentStatus}, ${order.paymentMethod}`,
      total: `${order.total} ${order.currency}`,
      ...(order.needsAttention === null ? {} : { attention: order.needsAttention }),
    }),
    table(
      ['line', 'sku', 'name', 'quantity', 'total'],
      order.items.map((item) => [
        item.id,
        item.sku,
        [item.name, item.variant].filter(Boolean).join(', '),
        String(item.quantity),
        String(item.lineTotal),
      ]),
    ),
    ...(order.shipments.length === 0 ? [] : [describeShipments(order)]),
    table(
      ['when', 'what'],
      order.timeline.map(({ at, message }) => [at, message]),
    ),
  ].join('\n\n')

const describeShipments = ({ shipments }: Order) =>
  table(
    ['shipment', 'number', 'partner', 'status', 'delivered'],
    shipments.map((row) => [row.id, row.trackingNumber, row.partner, row.status, row.deliveredAt ?? '']),
  )

const collect = (text: string, before: readonly string[]) => [...before, text]

const notEmpty = (name: string, text: string) => {
  if (text.trim() === '') throw new OperatorError(`${name} must not be empty.`)
  return text.trim()
}

const readUrl = (text: string) => {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text
  throw new OperatorError(`--url must be an address such as https://bluebird.example/BB123, not "${text}".`)
}

const readEta = (text: string) => {
  const time = parseTime(text)
  if (time === null) throw new OperatorError(`--eta must be a day such as 2027-01-31 or a time, not "${text}".`)
  return time
}

const readItem = (text: string) => {
  const [, line, quantity] = /^(.+)=(\d+)$/.exec(text) ?? []
  if (line === undefined || quantity === undefined) {
    throw new OperatorError(`--item must be a line and a quantity, such as KC-MUG-OAT=1, not "${text}".`)
  }
  return { line, quantity: wholeNumber('--item', quantity, { min: 1, max: 999 }) }
}
