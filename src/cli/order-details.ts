import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import { readAdminOrder } from '../features/orders/admin-order.ts'
import type { PostalAddress } from '../features/orders/order.contract.ts'
import { findOrder } from '../features/orders/store-orders.ts'
import { fields, table } from './output.ts'

/** Everything about an order, as the admin API shows it, with its store. */
export const readOrderDetails = async (db: Db, { publicUrl }: Config, name: string, storeId?: string) => {
  const { store, order } = await findOrder(db, name, storeId)
  return { ...(await readAdminOrder({ db, store, publicUrl }, order.id)), storeId: store.publicId }
}

type Details = Awaited<ReturnType<typeof readOrderDetails>>

export const describeOrder = (order: Details) =>
  [
    fields(summarise(order)),
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
    ...(order.shipments.length === 0 ? [] : [describeParcels(order)]),
    ...(order.payments.length === 0 ? [] : [describePayments(order)]),
    ...(order.refunds.length === 0 ? [] : [describeRefunds(order)]),
    table(
      ['time', 'event'],
      order.timeline.map(({ at, message, author }) => [at, author === null ? message : `${author}: ${message}`]),
    ),
  ].join('\n\n')

const summarise = (order: Details) => {
  const { customer, shippingAddress, billingAddress, needsAttention, couponCode, note } = order
  const money = (amount: number) => `${amount} ${order.currency}`
  return {
    order: `${order.number} (${order.id})`,
    status: order.status,
    payment: `${order.paymentStatus}, ${order.paymentMethod}`,
    ...(needsAttention === null ? {} : { attention: needsAttention }),
    placed: order.createdAt,
    subtotal: money(order.subtotal),
    ...(order.discount === 0 ? {} : { discount: `${money(order.discount)}${couponCode ? ` (${couponCode})` : ''}` }),
    shipping: money(order.shipping),
    tax: money(order.tax),
    total: money(order.total),
    customer: [customer.name, customer.id].filter(Boolean).join(', '),
    'e-mail': customer.email,
    phone: customer.phone,
    'deliver to': shippingAddress === null ? 'no delivery' : describeAddress(shippingAddress),
    'bill to': billingAddress === null ? 'no separate address' : describeAddress(billingAddress),
    note,
  }
}

const describeAddress = ({ name, line1, line2, landmark, city, state, postalCode, country, phone }: PostalAddress) =>
  [name, line1, line2, landmark, `${postalCode} ${city}`.trim(), state, country, phone].filter(Boolean).join(', ')

const describeParcels = ({ shipments, items }: Details) => {
  const nameOf = (id: string) => items.find((item) => item.id === id)?.name ?? id
  return table(
    ['parcel', 'tracking number', 'partner', 'status', 'expected', 'delivered', 'items', 'tracking URL'],
    shipments.map((row) => [
      ...[row.id, row.trackingNumber, row.partner, row.status, row.estimatedDelivery ?? '', row.deliveredAt ?? ''],
      row.items.map(({ id, quantity }) => `${quantity} × ${nameOf(id)}`).join(', ') || 'the whole order',
      row.trackingUrl,
    ]),
  )
}

const describePayments = ({ payments }: Details) =>
  table(
    ['payment', 'provider', 'status', 'amount', 'reference', 'started'],
    payments.map((row) => [
      ...[row.id, row.provider, row.status, `${row.amount} ${row.currency}`, row.reference ?? '', row.createdAt],
    ]),
  )

const describeRefunds = ({ refunds, currency }: Details) =>
  table(
    ['refund', 'status', 'amount', 'reason', 'requested'],
    refunds.map(({ id, status, amount, reason, createdAt }) => [
      id ?? '',
      status,
      `${amount} ${currency}`,
      reason,
      createdAt,
    ]),
  )
