import { fail } from '../../core/errors.ts'
import { isWebAddress } from '../../core/web-address.ts'
import type { CarrierEvent } from './delivery.contract.ts'

/** A carrier event, converted to our own terms. */
export type DeliveryUpdate = {
  eventId: string
  orderId: string | null
  trackingNumber: string | null
  shipmentId: string | null
  /** One of `moves` if it moves the order, otherwise the carrier's own text. */
  status: string
  moves: 'out_for_delivery' | 'delivered' | null
  partner: string | null
  estimatedDelivery: Date | null
  deliveredAt: Date | null
  trackingUrl: string | null
  at: Date
  /** Replaces the default timeline message. */
  message?: string
  /** Flags the order for the merchant. */
  attention?: { code: string; message: string }
}

const moving: Record<string, NonNullable<DeliveryUpdate['moves']>> = {
  in_transit: 'out_for_delivery',
  out_for_delivery: 'out_for_delivery',
  delivered: 'delivered',
}

export const readCarrierEvent = (body: CarrierEvent, nowMs: number): DeliveryUpdate => {
  const text = (name: keyof CarrierEvent) => body[name]?.trim() || null
  const [eventId, sentStatus] = [text('eventId'), text('status')]
  if (eventId === null || sentStatus === null) throw fail('BAD_REQUEST', 'eventId and status must not be empty.')
  const names = { orderId: text('orderId'), trackingNumber: text('trackingNumber'), shipmentId: text('shipmentId') }
  if (Object.values(names).every((name) => name === null))
    throw fail('BAD_REQUEST', 'One of orderId, trackingNumber and shipmentId is required.')
  const trackingUrl = text('trackingUrl')
  if (trackingUrl !== null && !isWebAddress(trackingUrl))
    throw fail('BAD_REQUEST', 'trackingUrl must be a URL that begins with http:// or https://.')
  // "In Transit", "IN-TRANSIT" and "in_transit" are the same status.
  const moves = moving[sentStatus.toLowerCase().replaceAll(/[\s-]+/g, '_')] ?? null
  const at = readTime('occurredAt', text('occurredAt')) ?? new Date(nowMs)
  return {
    ...names,
    eventId,
    status: moves ?? sentStatus,
    moves,
    partner: text('partner'),
    estimatedDelivery: readTime('estimatedDelivery', text('estimatedDelivery')),
    deliveredAt: readTime('deliveredAt', text('deliveredAt')),
    trackingUrl,
    // A time in the future, from a carrier whose clock is ahead, would make later events look stale.
    at: new Date(Math.min(at.getTime(), nowMs)),
  }
}

/** A date means its first moment. A time without an offset is in UTC. */
export const parseTime = (text: string): Date | null => {
  const full = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text
  const zoned = /(z|[+-]\d\d:?\d\d)$/i.test(full) ? full : `${full}Z`
  try {
    // Unlike Date, Temporal refuses 31 February instead of turning it into a day in March.
    const time = new Date(Temporal.Instant.from(zoned).epochMilliseconds)
    return time.getUTCFullYear() >= 1970 && time.getUTCFullYear() <= 9999 ? time : null
  } catch {
    return null
  }
}

const readTime = (name: string, text: string | null): Date | null => {
  if (text === null) return null
  const time = parseTime(text)
  if (time === null) throw fail('BAD_REQUEST', `${name} must be a time such as 2027-01-31T10:00:00Z.`)
  return time
}
