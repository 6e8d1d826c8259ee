import { fail } from '../../core/errors.ts'
import type { CarrierEvent } from './delivery.contract.ts'

/** What a carrier has told, in our own terms. */
export type News = {
  eventId: string
  orderId: string | null
  trackingNumber: string | null
  shipmentId: string | null
  /** Ours where it is one that moves an order, and the carrier's own word otherwise. */
  status: string
  moves: 'out_for_delivery' | 'delivered' | null
  partner: string | null
  estimatedDelivery: Date | null
  deliveredAt: Date | null
  trackingUrl: string | null
  at: Date
  /** For the timeline, in place of our own words for the status. */
  message?: string
}

const moving: Record<string, NonNullable<News['moves']>> = {
  in_transit: 'out_for_delivery',
  out_for_delivery: 'out_for_delivery',
  delivered: 'delivered',
}

export const readCarrierEvent = (body: CarrierEvent, nowMs: number): News => {
  const text = (name: keyof CarrierEvent) => body[name]?.trim() || null
  const [eventId, told] = [text('eventId'), text('status')]
  if (eventId === null || told === null) throw fail('BAD_REQUEST', 'eventId and status must not be empty.')
  const names = { orderId: text('orderId'), trackingNumber: text('trackingNumber'), shipmentId: text('shipmentId') }
  if (Object.values(names).every((name) => name === null))
    throw fail('BAD_REQUEST', 'Name the shipment by orderId, trackingNumber or shipmentId.')
  const trackingUrl = text('trackingUrl')
  if (trackingUrl !== null && !isWebAddress(trackingUrl))
    throw fail('BAD_REQUEST', 'trackingUrl must be an address that begins with http:// or https://.')
  // "In Transit", "IN-TRANSIT" and "in_transit" are one.
  const moves = moving[told.toLowerCase().replaceAll(/[\s-]+/g, '_')] ?? null
  const at = readTime('occurredAt', text('occurredAt')) ?? new Date(nowMs)
  return {
    ...names,
    eventId,
    status: moves ?? told,
    moves,
    partner: text('partner'),
    estimatedDelivery: readTime('estimatedDelivery', text('estimatedDelivery')),
    deliveredAt: readTime('deliveredAt', text('deliveredAt')),
    trackingUrl,
    // A carrier whose clock is ahead would otherwise make everything that follows look old.
    at: new Date(Math.min(at.getTime(), nowMs)),
  }
}

/** It becomes a link on a page, so nothing that would run there. */
const isWebAddress = (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text)

/** A day is its first moment, and a time without a zone is in UTC. */
export const parseTime = (text: string): Date | null => {
  const full = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text
  const zoned = /(z|[+-]\d\d:?\d\d)$/i.test(full) ? full : `${full}Z`
  try {
    // Unlike Date, Temporal does not turn the 31st of February into a day of March.
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
