import type { AdminOrder, OrderEventData } from '../../api.ts'

export type ListedOrder = Pick<
  OrderEventData,
  'status' | 'paymentStatus' | 'paymentMethod' | 'deliveryStatus' | 'shipments' | 'items'
> & { refunds: readonly Pick<OrderEventData['refunds'][number], 'status' | 'items'>[] }

/** A customer who has not given a name is known by that of the parcel. */
export const nameOf = ({ customer, shippingAddress }: Pick<OrderEventData, 'customer' | 'shippingAddress'>) =>
  customer.name.replace('[erased]', 'Erased customer') ||
  shippingAddress?.name ||
  customer.email ||
  customer.phone ||
  'Guest'

export type WithStatus = { status: string; paymentMethod?: string }

const isCashToCome = ({ status, paymentMethod }: WithStatus) => status === 'pending' && paymentMethod === 'cod'

/** For `statusWords`: a cash order needs no payment before it is shipped. */
export const statusOf = (order: WithStatus) => (isCashToCome(order) ? 'paid' : order.status)

/** For `paymentWords`. */
export const paymentOf = (order: ListedOrder) =>
  order.paymentMethod === 'cod' && order.paymentStatus === 'pending' ? 'cash' : order.paymentStatus

const sumOf = (items: readonly { quantity: number }[]) => items.reduce((sum, { quantity }) => sum + quantity, 0)

/** Units that can be sent, without those that were refunded. */
const physicalUnits = ({ items, refunds }: ListedOrder) => {
  const physical = items.filter(({ digital }) => !digital)
  const ids = new Set(physical.map(({ id }) => id))
  const refunded = refunds.filter(({ status }) => status !== 'failed').flatMap((refund) => refund.items)
  return sumOf(physical) - sumOf(refunded.filter(({ id }) => ids.has(id)))
}

export const shippedUnits = (order: ListedOrder) => {
  const shipments = order.shipments.filter(({ status }) => status !== 'cancelled')
  if (shipments.some(({ items }) => items.length === 0)) return sumOf(order.items.filter(({ digital }) => !digital))
  return sumOf(shipments.flatMap(({ items }) => items))
}

/** About how many units of a listed order are still to be shipped. The order itself says it by line. */
export const unitsLeft = (order: ListedOrder) => {
  if (order.status !== 'paid' && order.status !== 'out_for_delivery' && !isCashToCome(order)) return 0
  return Math.max(0, physicalUnits(order) - shippedUnits(order))
}

/** For `deliveryWords`: a carrier may not have reported anything yet. */
export const deliveryOf = (order: ListedOrder) => {
  if (order.deliveryStatus !== null) return order.deliveryStatus
  if (order.items.every(({ digital }) => digital)) return 'digital'
  if (shippedUnits(order) === 0) return 'none'
  return unitsLeft(order) > 0 ? 'part' : 'shipped'
}

export const canDeliver = (order: ListedOrder) => {
  if (order.items.every(({ digital }) => digital)) return false
  if (order.status === 'pending') return order.paymentMethod === 'cod' || shippedUnits(order) > 0
  return order.status === 'paid' || order.status === 'out_for_delivery'
}

/** What a flag means, and what can be done about it. */
export const attentionWords: Readonly<Record<string, [title: string, advice: string]>> = {
  OUT_OF_STOCK: [
    'Paid, but not enough in stock',
    'The payment came when the units were no longer held. Get more stock and ship, or refund the order.',
  ],
  DUPLICATE_PAYMENT: [
    'Paid twice',
    'The customer has paid more than once. The second payment is refunded by itself; check that it was.',
  ],
  DISPUTE: [
    'The customer disputes the payment',
    'The bank of the customer asks about this payment. Answer in the dashboard of your payment provider.',
  ],
  REFUND_FAILED: [
    'A refund has failed',
    'The payment provider refused it. Try again, or return the money in another way.',
  ],
  REFUND_MISMATCH: [
    'A refund does not fit this order',
    'The payment provider reports a refund that does not fit what was paid. Compare it with the dashboard of the provider.',
  ],
  PARCEL_RETURNING: ['The parcel is coming back', 'It could not be delivered. Ask the customer about the address.'],
  PARCEL_RETURNED: ['The parcel came back', 'Ship it again, or refund the order and put the units back in stock.'],
  SENT_UNPAID: [
    'Shipped without payment',
    'The order had been cancelled or refunded before. Ask for the parcel back, or for the money.',
  ],
}

export const attentionOf = (code: string): [title: string, advice: string] =>
  attentionWords[code] ?? ['Needs a decision', 'See the timeline for what happened.']

/** What the customer gets. */
export const messageWords: Readonly<Record<string, string>> = {
  'order.placed': 'Order received',
  'order.paid': 'Payment received',
  'order.payment_failed': 'Payment failed',
  'order.cancelled': 'Order cancelled',
  'order.shipped': 'Parcel shipped',
  'order.delivered': 'Order delivered',
  'order.refunded': 'Money refunded',
}

/** A parcel whose booking has begun and was not confirmed. */
export const unfinishedParcel = (shipments: AdminOrder['shipments']) =>
  shipments.find(({ status, carrier }) => status === 'preparing' && carrier !== null)

export const attemptWords: Readonly<Record<string, [string, 'good' | 'bad' | 'warn' | 'plain']>> = {
  starting: ['Started', 'plain'],
  open: ['Waiting for the customer', 'warn'],
  due: ['Due on delivery', 'plain'],
  paid: ['Paid', 'good'],
  failed: ['Failed', 'bad'],
  closed: ['Closed', 'plain'],
  refunded: ['Refunded', 'plain'],
}

export const parcelWords: Readonly<Record<string, [string, 'good' | 'bad' | 'warn' | 'plain']>> = {
  preparing: ['Not booked yet', 'warn'],
  booked: ['Booked', 'plain'],
  shipped: ['Shipped', 'plain'],
  out_for_delivery: ['On the way', 'plain'],
  delivered: ['Delivered', 'good'],
  cancelled: ['Cancelled', 'plain'],
  undelivered: ['Not delivered', 'bad'],
  returning: ['Coming back', 'bad'],
  returned: ['Came back', 'bad'],
}

export const refundWords: Readonly<Record<string, [string, 'good' | 'bad' | 'warn' | 'plain']>> = {
  pending: ['On its way', 'warn'],
  succeeded: ['Refunded', 'good'],
  failed: ['Failed', 'bad'],
}

export const returnWords: Readonly<Record<string, [string, 'good' | 'bad' | 'warn' | 'plain']>> = {
  requested: ['Requested', 'warn'],
  approved: ['Waiting for the items', 'plain'],
  received: ['Items are here', 'warn'],
  refunded: ['Refunded', 'good'],
  rejected: ['Rejected', 'plain'],
}
