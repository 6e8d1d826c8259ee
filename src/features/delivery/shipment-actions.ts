import { refuse } from '../../core/domain-errors.ts'
import type { Tx } from '../../db/database.ts'
import { recordChange } from '../audit/record.ts'
import type { Author } from '../context.ts'
import { holdOrder } from '../orders/lock-order.ts'
import { moveOrder } from '../orders/settle.ts'
import { isActive } from '../orders/shipment-units.ts'
import { applyToOrder } from './carrier.ts'
import {
  type BookedShipment,
  findBookedShipment,
  noteTracked,
  saveCarrierNames,
  saveLabel,
  savePickup,
} from './carrier-shipments.sql.ts'
import { namesAtCarrier, readBookedShipment } from './carrier-shipments.ts'
import { type CarrierCtx, callCarrier, storing } from './carriers.ts'
import { listShipments, saveShipment } from './delivery.sql.ts'
import { referenceOf } from './parcel.ts'
import { toDeliveryUpdate } from './parcel-events.ts'

/** Has the carrier make the label, and returns the shipment with its address. `by` is noted in the audit log. */
export const labelShipment = async (ctx: CarrierCtx, shipmentId: string, by?: Author): Promise<BookedShipment> => {
  const { carrier, names, orderId } = await openShipment(ctx, shipmentId)
  const labelUrl = await callCarrier(ctx, carrier, (one, account, signal) => one.makeLabel(account, names, signal))
  await storing(ctx).db.tx(async (tx) => {
    await saveLabel(tx, ctx.store.id, shipmentId, labelUrl)
    note(tx, ctx, by, 'order.parcel_labelled', orderId, shipmentId)
  })
  return readBookedShipment(ctx, shipmentId)
}

/** Has the courier come for the parcel, and returns the shipment with the time. */
export const schedulePickup = async (ctx: CarrierCtx, shipmentId: string, by?: Author): Promise<BookedShipment> => {
  const { carrier, names, orderId } = await openShipment(ctx, shipmentId)
  const pickupAt = await callCarrier(ctx, carrier, (one, account, signal) => one.schedulePickup(account, names, signal))
  await storing(ctx).db.tx(async (tx) => {
    await savePickup(tx, ctx.store.id, shipmentId, pickupAt)
    note(tx, ctx, by, 'order.parcel_pickup', orderId, shipmentId)
  })
  return readBookedShipment(ctx, shipmentId)
}

/** Asks the carrier about the parcel and applies the answer, as the webhook does. */
export const trackShipment = async (ctx: CarrierCtx, shipmentId: string): Promise<BookedShipment> => {
  const { carrier, orderId, trackingNumber } = await openShipment(ctx, shipmentId)
  const parcel = await callCarrier(ctx, carrier, (one, account, signal) => one.track(account, trackingNumber, signal))
  await ctx.db.tx(async (tx) => {
    const order = await holdOrder(tx, ctx, orderId)
    const isKnown = parcel.status !== null || parcel.label !== ''
    const names = { eventId: '', orderId, shipmentId, trackingNumber }
    // A webhook may have brought the number of another courier while the carrier was asked about the old one.
    const isCurrent = (await findBookedShipment(tx, ctx.store.id, shipmentId))?.trackingNumber === trackingNumber
    if (order !== undefined && isKnown && isCurrent) {
      await applyToOrder(tx, ctx, order, toDeliveryUpdate(parcel, names, ctx.clock.now()))
    }
    await noteTracked(tx, ctx.store.id, shipmentId)
  })
  return readBookedShipment(ctx, shipmentId)
}

/** Cancels a parcel that the courier has not taken yet. Its units can be shipped again. */
export const cancelShipment = async (ctx: CarrierCtx, shipmentId: string, by?: Author): Promise<BookedShipment> => {
  const shipment = await readBookedShipment(ctx, shipmentId)
  const carrier = carrierOf(shipment)
  if (shipment.status === 'cancelled') return shipment
  if (shipment.status === 'delivered') throw refuse('SHIPMENT_ENDED', { shipment: shipmentId, status: shipment.status })
  const names = namesAtCarrier(shipment) ?? (await findLostShipment(ctx, carrier, shipment))
  if (names !== null) {
    await callCarrier(ctx, carrier, (one, account, signal) => one.cancelShipment(account, names, signal))
  }
  await storing(ctx).db.tx((tx) => markCancelled(tx, ctx, shipment, by))
  return readBookedShipment(ctx, shipmentId)
}

const carrierOf = ({ id, carrier }: BookedShipment): string => {
  if (carrier === null) throw refuse('SHIPMENT_WITHOUT_CARRIER', { shipment: id })
  return carrier
}

/** A shipment that was booked and not cancelled. */
const openShipment = async (ctx: CarrierCtx, shipmentId: string) => {
  const shipment = await readBookedShipment(ctx, shipmentId)
  const carrier = carrierOf(shipment)
  const names = namesAtCarrier(shipment)
  if (!isActive(shipment)) throw refuse('SHIPMENT_ENDED', { shipment: shipmentId, status: shipment.status })
  if (names === null || shipment.trackingNumber === '') throw refuse('SHIPMENT_NOT_BOOKED', { shipment: shipmentId })
  return { ...shipment, carrier, names }
}

/** The carrier may have made a shipment whose answer was lost. */
const findLostShipment = async (ctx: CarrierCtx, carrier: string, { id, orderNumber }: BookedShipment) => {
  const reference = referenceOf(orderNumber, id)
  const names = await callCarrier(ctx, carrier, (one, account, signal) => one.findShipment(account, reference, signal))
  if (names !== null) await ctx.db.tx((tx) => saveCarrierNames(tx, ctx.store.id, id, names))
  return names
}

const note = (
  tx: Tx,
  { store }: CarrierCtx,
  by: Author | undefined,
  action: `order.parcel_${string}`,
  orderId: string,
  shipmentId: string,
) => {
  const changes = { shipment: { before: null, after: shipmentId } }
  if (by !== undefined) recordChange(tx, store, by, { action, id: orderId, changes })
}

const markCancelled = async (
  tx: Tx,
  ctx: CarrierCtx,
  { id, orderId, trackingNumber }: BookedShipment,
  by: Author | undefined,
) => {
  const order = await holdOrder(tx, ctx, orderId)
  const known = (await listShipments(tx, ctx.store.id, orderId)).find((shipment) => shipment.id === id)
  if (order === undefined || known === undefined || !isActive(known)) return
  await saveShipment(tx, ctx.store.id, orderId, { ...known, status: 'cancelled' })
  note(tx, ctx, by, 'order.parcel_cancelled', orderId, id)
  const { deliveryPartner, estimatedDelivery, trackingUrl, deliveredAt } = order
  const named = trackingNumber === '' ? 'A shipment' : `The shipment with the number ${trackingNumber}`
  await moveOrder(tx, ctx, order, { status: null, deliveryPartner, estimatedDelivery, trackingUrl, deliveredAt }, [
    { type: 'shipment', message: `${named} was cancelled by the store.` },
  ])
}
