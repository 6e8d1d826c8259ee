/**
 * The expected state of orders, written from the documentation and as plainly as possible, so that it and the
 * service can disagree. Where a rule of the providers leaves more than one end, all of them are named and what has
 * happened must be one of them. Nothing in this file talks to the service.
 */
export type Shop = {
  things: Thing[]
  orders: Order[]
  /** Every event that the payment webhook accepted, for repeating it. */
  events: { order: Order; body: Record<string, unknown> }[]
  /** Makes names that were not there before. */
  count: number
}

/** `units`: all units ever added to stock. */
export type Thing = { name: string; id: string; variantId: string; units: number }

export type State = {
  status: 'pending' | 'paid' | 'out_for_delivery' | 'delivered' | 'cancelled' | 'refunded'
  payment: 'pending' | 'paid' | 'failed' | 'partially_refunded' | 'refunded'
  units: 'reserved' | 'sold' | 'released'
}

export type Order = State & {
  id: string
  buyer: number
  cartId: string
  method: 'online' | 'cod'
  total: number
  lines: { thing: Thing; quantity: number }[]
  lineIds: string[]
  placedMs: number
  parcels: Parcel[]
  replacedBy: Order | null
  /** All known orders, the newest last. */
  payments: { id: string; page: string }[]
}

export type Parcel = { lastMs: number | null; isDelivered: boolean }

export const stateOf = ({ status, payment, units }: Order): State => ({ status, payment, units })

export const reservationMinutes = 30

/** How many can still be bought: neither reserved nor sold. */
export const freeUnits = ({ orders }: Shop, thing: Thing) =>
  orders.filter(({ units }) => units !== 'released').reduce((left, order) => left - unitsOf(order, thing), thing.units)

export const unitsOf = ({ lines }: Order, thing: Thing) =>
  lines.filter((line) => line.thing === thing).reduce((sum, { quantity }) => sum + quantity, 0)

export const soldUnits = ({ orders }: Shop, thing: Thing) =>
  orders.filter(({ units }) => units === 'sold').reduce((sum, order) => sum + unitsOf(order, thing), 0)

/** Orders of one cart that took each other's place, directly or over others. What is placed with cash will be paid. */
const isPaidElsewhere = ({ orders }: Shop, order: Order) => {
  const kin = new Set([order])
  for (let size = 0; size < kin.size; ) {
    size = kin.size
    for (const one of orders) {
      if (one.replacedBy !== null && (kin.has(one) || kin.has(one.replacedBy))) kin.add(one).add(one.replacedBy)
    }
  }
  const isOver = ({ status }: Order) => status === 'cancelled' || status === 'refunded'
  const counts = (one: Order) => isPaid(one) || (one.method === 'cod' && !isOver(one))
  return order.method === 'online' && [...kin].some((one) => one !== order && counts(one))
}

const canTakeAgain = (shop: Shop, { lines }: Order) =>
  lines.every(({ thing, quantity }) => freeUnits(shop, thing) >= quantity)

/** Also after a refund of a part. */
export const isPaid = ({ payment }: State) => payment === 'paid' || payment === 'partially_refunded'

export const isAway = ({ status }: State) => status === 'out_for_delivery' || status === 'delivered'

export const isCancellable = (order: Order) =>
  order.status === 'pending' && !isPaid(order) && order.parcels.length === 0

export const cancelled = (order: Order): State => ({ ...stateOf(order), status: 'cancelled', units: 'released' })

/** A payment counts even when it arrives late. */
export const settled = (shop: Shop, order: Order): State => {
  const { status, payment, units } = order
  if (isPaid(order) || payment === 'refunded') return stateOf(order)
  if (isAway(order)) return { status, payment: 'paid', units }
  if (isPaidElsewhere(shop, order)) return { status: 'paid', payment: 'paid', units: 'released' }
  if (units === 'released')
    return { status: 'paid', payment: 'paid', units: canTakeAgain(shop, order) ? 'sold' : units }
  return { status: 'paid', payment: 'paid', units: 'sold' }
}

/** Units that were not handed to a carrier return to stock. */
export const refunded = (shop: Shop, order: Order): State => {
  const { status, units } = settled(shop, order)
  const isHere = !isAway(order) && order.parcels.length === 0
  return { status: isAway(order) ? status : 'refunded', payment: 'refunded', units: isHere ? 'released' : units }
}

/** An amount, after which something is left or not. No unit goes back to stock. */
export const refundedInPart = (shop: Shop, order: Order): State[] => {
  const { units } = order
  return [
    { ...stateOf(order), payment: 'partially_refunded' },
    { ...refunded(shop, order), units },
  ]
}

export const failed = (order: Order): State => ({
  ...stateOf(order),
  payment:
    order.status === 'pending' && order.payment === 'pending' && order.method === 'online' ? 'failed' : order.payment,
})

/** Units that leave the stock are sold. */
const gone = (shop: Shop, order: Order): State['units'] =>
  order.units === 'reserved' || (order.units === 'released' && canTakeAgain(shop, order)) ? 'sold' : order.units

export const shipped = (shop: Shop, order: Order): State => {
  const units = gone(shop, order)
  order.parcels.push({ lastMs: null, isDelivered: false })
  return { ...stateOf(order), units }
}

export type CarrierWord = 'picked up' | 'in_transit' | 'delivered'

/** An event about the whole order: applies to every parcel on its way, or to an unrecorded one if there is none. */
export const carried = (shop: Shop, order: Order, word: CarrierWord, atMs: number): State => {
  if (order.parcels.length === 0) order.parcels.push({ lastMs: null, isDelivered: false })
  const due = order.parcels.filter(({ isDelivered, lastMs }) => !isDelivered && (lastMs === null || lastMs <= atMs))
  if (due.length === 0) return stateOf(order)
  for (const parcel of due) Object.assign(parcel, { lastMs: atMs, isDelivered: word === 'delivered' })
  if (order.status === 'delivered') return stateOf(order)
  // It is with a carrier, who says nothing of where.
  if (word === 'picked up') return order.status === 'pending' ? { ...stateOf(order), units: 'sold' } : stateOf(order)
  const units = gone(shop, order)
  const isDelivered = order.parcels.every((parcel) => parcel.isDelivered)
  const isPaidNow = isDelivered && order.method === 'cod' && order.payment === 'pending'
  return {
    status: isDelivered ? 'delivered' : 'out_for_delivery',
    payment: isPaidNow ? 'paid' : order.payment,
    units,
  }
}
