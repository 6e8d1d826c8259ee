import type { CarrierStatus, TrackedParcel } from '../../providers/carrier/carrier.ts'
import { readShiprocketEvent } from '../../providers/carrier/shiprocket-webhook.ts'
import type { Services, Store } from '../context.ts'
import { applyOnce } from './carrier.ts'
import type { DeliveryUpdate } from './carrier-event.ts'
import { readReference } from './parcel.ts'

type Names = Pick<DeliveryUpdate, 'eventId' | 'orderId' | 'shipmentId' | 'trackingNumber'>

/**
 * Stores an event of Shiprocket and applies it once. It is never refused: Shiprocket would send it again, and an event
 * that matches no shipment may be about a parcel that the store booked elsewhere.
 */
export const receiveParcelEvent = async (
  services: Pick<Services, 'db' | 'clock'>,
  store: Store,
  body: unknown,
): Promise<{ received: true; duplicate: boolean }> => {
  const update = readParcelEvent(body, services.clock.now())
  if (update === null) return { received: true, duplicate: false }
  const { outcome } = await services.db
    .forStore(store.id)
    .tx((tx) => applyOnce(tx, { store }, update, { source: 'shiprocket', body }))
  return { received: true, duplicate: outcome === 'duplicate' }
}

/** Null if the body is not about a parcel. */
export const readParcelEvent = (body: unknown, nowMs: number): DeliveryUpdate | null => {
  const report = readShiprocketEvent(body)
  if (report === null) return null
  const { eventId, reference, trackingNumber } = report
  const names = { eventId, orderId: null, shipmentId: readReference(reference), trackingNumber }
  return toDeliveryUpdate(report, names, nowMs)
}

/** The report of a carrier in the terms of an order. A report without a sure meaning keeps the carrier's text. */
export const toDeliveryUpdate = (parcel: TrackedParcel, names: Names, nowMs: number): DeliveryUpdate => {
  const { status, label, partner, estimatedDelivery, deliveredAt, trackingUrl } = parcel
  const meaning = status === null ? { status: plainLabel(label), moves: null } : meanings[status]
  return {
    ...names,
    ...meaning,
    ...{ partner, estimatedDelivery, deliveredAt, trackingUrl },
    // A time in the future, from a carrier whose clock is ahead, would make later events look stale.
    at: new Date(Math.min(parcel.at?.getTime() ?? nowMs, nowMs)),
  }
}

const meanings: Record<CarrierStatus, Pick<DeliveryUpdate, 'status' | 'moves' | 'attention'>> = {
  in_transit: { status: 'out_for_delivery', moves: 'out_for_delivery' },
  out_for_delivery: { status: 'out_for_delivery', moves: 'out_for_delivery' },
  undelivered: { status: 'undelivered', moves: null },
  delivered: { status: 'delivered', moves: 'delivered' },
  returning: {
    status: 'returning',
    moves: null,
    attention: { code: 'PARCEL_RETURNING', message: 'The carrier is returning the parcel to the store.' },
  },
  returned: {
    status: 'returned',
    moves: null,
    attention: { code: 'PARCEL_RETURNED', message: 'The carrier returned the parcel to the store.' },
  },
  cancelled: { status: 'cancelled', moves: null },
}

const reserved = new Set(['preparing', 'booked', ...Object.values(meanings).map(({ status }) => status)])

/** A text that equals one of our statuses must not have its meaning. */
const plainLabel = (label: string) => (reserved.has(label) ? label.toUpperCase() : label || 'UNKNOWN')
