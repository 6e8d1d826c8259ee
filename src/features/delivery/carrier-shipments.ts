import { DomainError, refuse } from '../../core/domain-errors.ts'
import { newId } from '../../core/ids.ts'
import type { Tx } from '../../db/database.ts'
import type { Carrier, CarrierShipment, Parcel } from '../../providers/carrier/carrier.ts'
import { readContact } from '../accounts/customer.ts'
import type { Author } from '../context.ts'
import { holdOrder } from '../orders/lock-order.ts'
import type { LockedOrder } from '../orders/orders.sql.ts'
import { isPaid, noteShipment } from '../orders/settle.ts'
import { isActive, readRefundedUnshipped, unitsOf, unitsToShip } from '../orders/shipment-units.ts'
import { refreshToShip } from '../orders/to-ship.sql.ts'
import { findCarrier, openCarrierAccount } from './carrier-accounts.ts'
import * as sql from './carrier-shipments.sql.ts'
import { type CarrierCtx, callCarrier, storing } from './carriers.ts'
import { listShipments } from './delivery.sql.ts'
import { makeParcel, type ParcelItems, type ParcelSize } from './parcel.ts'
import { noteShipped, readItems, type ShipRequest } from './ship.ts'

export type CarrierShipRequest = ParcelSize &
  Pick<ShipRequest, 'items'> & {
    carrier: string
    /** Null: the carrier chooses. */
    courierId: string | null
  }

/**
 * Books a parcel with the carrier: all units that are left to ship, or those of `items`. The shipment is stored before
 * the carrier is called, and each answer is stored before the next call. After a crash or a lost answer the same request
 * continues at the step that was not done. `by` is noted in the audit log.
 */
export const createCarrierShipment = async (
  ctx: CarrierCtx,
  orderId: string,
  request: CarrierShipRequest,
  by?: Author,
): Promise<sql.BookedShipment> => {
  // Refused before anything is stored.
  await openCarrierAccount(ctx, request.carrier)
  const begun = await ctx.db.tx((tx) => beginShipment(tx, ctx, orderId, request))
  return bookBegun(ctx, orderId, request, begun, by)
}

/** Books a shipment that `beginShipment` has stored. */
export const bookBegun = async (
  caller: CarrierCtx,
  orderId: string,
  request: CarrierShipRequest,
  begun: Begun,
  by?: Author,
): Promise<sql.BookedShipment> => {
  const ctx = storing(caller)
  const { id } = begun
  const names = begun.names ?? (await createAtCarrier(ctx, orderId, request.carrier, begun))
  const courier = await namingShipment(id, () =>
    callCarrier(ctx, request.carrier, (carrier, account, signal) =>
      carrier.assignCourier(account, names, request.courierId, signal),
    ),
  )
  const isBooked = await ctx.db.tx(async (tx) => {
    const order = await holdOrder(tx, ctx, orderId)
    if (order === undefined || !(await sql.bookShipment(tx, ctx.store.id, id, courier))) return false
    await noteShipment(tx, ctx, order, `Booked with ${courier.partner}, number ${courier.trackingNumber}.`)
    const { carrier, items } = request
    if (by !== undefined) noteShipped(tx, ctx, by, orderId, { id, carrier, ...courier, items })
    return true
  })
  const shipment = await readBookedShipment(ctx, id)
  if (!isBooked && shipment.status === 'cancelled') return cancelAtCarrier(ctx, request.carrier, id, names)
  return shipment
}

/** It was cancelled while the carrier made it, and perhaps before the carrier knew it. */
const cancelAtCarrier = async (ctx: CarrierCtx, name: string, id: string, names: CarrierShipment): Promise<never> => {
  await callCarrier(ctx, name, (carrier, account, signal) => carrier.cancelShipment(account, names, signal))
  throw refuse('SHIPMENT_ENDED', { shipment: id, status: 'cancelled' })
}

export const readBookedShipment = async ({ db, store }: Pick<CarrierCtx, 'db' | 'store'>, shipmentId: string) => {
  const shipment = await sql.findBookedShipment(db, store.id, shipmentId)
  if (shipment === undefined) throw refuse('SHIPMENT_NOT_FOUND', { shipment: shipmentId })
  return shipment
}

/** `isNew`: no earlier call can have made it at the carrier. */
export type Begun = { id: string; isNew: boolean; names: CarrierShipment | null; parcel: Parcel }

export const beginShipment = async (
  tx: Tx,
  ctx: CarrierCtx,
  orderId: string,
  request: CarrierShipRequest,
): Promise<Begun> => {
  const order = await holdOrder(tx, ctx, orderId)
  if (order === undefined) throw refuse('ORDER_NOT_FOUND', { order: orderId })
  refuseUnshippable(order)
  const shipments = await listShipments(tx, ctx.store.id, orderId)
  const unbooked = await sql.findUnbooked(tx, ctx.store.id, orderId)
  const others = shipments.filter((shipment) => shipment.id !== unbooked?.id && isActive(shipment))
  const left = unitsToShip(order, others, await readRefundedUnshipped(tx, ctx, order))
  const items = chooseItems(order, left, unbooked, request)
  const id = unbooked?.id ?? newId('ship')
  const { carrier, weightKg, lengthCm, breadthCm, heightCm } = request
  const size = { weightKg, lengthCm, breadthCm, heightCm }
  const contact = await readContact(tx, ctx.store, order.customerId)
  const parcel = makeParcel({ order, shipmentId: id, items, others, size, contact, store: ctx.store })
  refuseInvalid(findCarrier(ctx.carriers, carrier), parcel)
  if (unbooked !== undefined) return { id, isNew: false, names: namesAtCarrier(unbooked), parcel }
  await sql.insertUnbooked(tx, ctx.store.id, { id, orderId, items: [...items], carrier })
  await refreshToShip(tx, ctx.store.id, orderId)
  return { id, isNew: true, names: null, parcel }
}

/** The courier collects cash, but hands out an unpaid online order for nothing. */
const refuseUnshippable = (order: LockedOrder) => {
  const { id, number, status, paymentMethod } = order
  if (status === 'cancelled' || status === 'refunded') throw refuse('ORDER_NOT_SHIPPABLE', { order: id, status })
  if (paymentMethod === 'online' && !isPaid(order)) throw refuse('ORDER_NOT_PAID', { order: String(number) })
}

const refuseInvalid = (carrier: Carrier, parcel: Parcel) => {
  const reason = carrier.refuseParcel(parcel)
  if (reason !== null) throw refuse('PARCEL_INVALID', { reason })
}

const chooseItems = (
  order: LockedOrder,
  left: ParcelItems,
  unbooked: sql.BookedShipment | undefined,
  { items, carrier }: CarrierShipRequest,
): ParcelItems => {
  const wanted = readItems(order, items, ({ id }) => unitsOf(left, id))
  if (unbooked !== undefined) {
    const isSame = unbooked.carrier === carrier && (wanted.length === 0 || isSameItems(wanted, unbooked.items))
    if (!isSame) throw refuse('SHIPMENT_UNFINISHED', { order: String(order.number), shipment: unbooked.id })
    return unbooked.items
  }
  if (left.length === 0) throw refuse('NOTHING_TO_SHIP', { order: String(order.number) })
  return wanted.length === 0 ? left : wanted
}

const isSameItems = (some: ParcelItems, others: ParcelItems) =>
  some.length === others.length &&
  some.every(({ id, quantity }) => others.some((other) => other.id === id && other.quantity === quantity))

/** Null until the carrier has answered. */
export const namesAtCarrier = ({ carrierOrder, carrierShipment }: sql.BookedShipment): CarrierShipment | null =>
  carrierOrder === null || carrierShipment === null ? null : { carrierOrder, carrierShipment }

const createAtCarrier = async (ctx: CarrierCtx, orderId: string, name: string, { id, isNew, parcel }: Begun) => {
  const create = () =>
    callCarrier(ctx, name, (carrier, account, signal) => carrier.createShipment(account, parcel, signal))
  try {
    const names = await (isNew ? create() : namingShipment(id, create))
    const isSaved = await ctx.db.tx((tx) => sql.saveCarrierNames(tx, ctx.store.id, id, names))
    return isSaved ? names : await cancelAtCarrier(ctx, name, id, names)
  } catch (error) {
    // The carrier has no such shipment. Without this the order would look shipped.
    if (isNew && isRefusal(error)) await ctx.db.tx((tx) => forgetUnbooked(tx, ctx, orderId, id))
    throw error
  }
}

const forgetUnbooked = async (tx: Tx, ctx: CarrierCtx, orderId: string, shipmentId: string) => {
  await holdOrder(tx, ctx, orderId)
  await sql.deleteUnbooked(tx, ctx.store.id, shipmentId)
  await refreshToShip(tx, ctx.store.id, orderId)
}

const isRefusal = (error: unknown): error is DomainError<'CARRIER_REFUSED'> =>
  error instanceof DomainError && error.code === 'CARRIER_REFUSED'

/** Adds to a refusal which shipment stays unbooked. */
const namingShipment = async <Result>(shipment: string, work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work()
  } catch (error) {
    if (!isRefusal(error)) throw error
    throw refuse('CARRIER_REFUSED', { ...error.data, shipment }, { cause: error.cause })
  }
}
