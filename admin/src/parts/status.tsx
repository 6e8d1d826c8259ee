import type { OrderEventData } from '../api.ts'

type Tone = 'good' | 'bad' | 'warn' | 'plain'
type Words = Readonly<Record<string, [text: string, tone: Tone]>>

export const statusWords: Words = {
  pending: ['Waiting for payment', 'warn'],
  paid: ['Confirmed', 'good'],
  out_for_delivery: ['On the way', 'plain'],
  delivered: ['Delivered', 'good'],
  cancelled: ['Cancelled', 'plain'],
  refunded: ['Refunded', 'plain'],
}

export const paymentWords: Words = {
  pending: ['Unpaid', 'warn'],
  paid: ['Paid', 'good'],
  cash: ['Cash on delivery', 'plain'],
  failed: ['Failed', 'bad'],
  partially_refunded: ['Refunded in part', 'plain'],
  refunded: ['Refunded', 'plain'],
}

export const deliveryWords: Words = {
  none: ['Not shipped', 'plain'],
  part: ['Shipped in part', 'warn'],
  shipped: ['Shipped', 'plain'],
  digital: ['Download', 'plain'],
  out_for_delivery: ['On the way', 'plain'],
  delivered: ['Delivered', 'good'],
}

export const StatusBadge = ({ words, value }: { words: Words; value: string }) => {
  const [text, tone] = words[value] ?? [value, 'plain']
  return <span class={`status ${tone}`}>{text}</span>
}

export const productWords: Words = {
  ACTIVE: ['Active', 'good'],
  DRAFT: ['Draft', 'plain'],
  ARCHIVED: ['Archived', 'warn'],
}

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
