import { hash } from 'node:crypto'
import { type Fields, toFields } from '../../core/fields.ts'
import { readDecimal, readText, readTextOrNull } from '../read-fields.ts'
import type { CarrierReport, CarrierStatus } from './carrier.ts'

/** Null for the empty call by which Shiprocket tests an address. A field that is missing or unreadable is null. */
export const readShiprocketEvent = (body: unknown): CarrierReport | null => {
  const event = toFields(body)
  if (Object.keys(event).length === 0) return null
  const trackingNumber = readTrackingNumber(event)
  const statusId = readDecimal(event, 'shipment_status_id')
  const sentAt = readText(event, 'current_timestamp')
  const status = statusOf(statusId)
  const at = parseIndianTime(sentAt)
  // A parcel that a customer sends back has a tracking number of its own and may have the reference of the first one.
  const isSentBack = readDecimal(event, 'is_return') === 1
  const isIdentified = trackingNumber !== null && statusId !== null && at !== null
  return {
    // Shiprocket has no event ids.
    eventId: isIdentified
      ? `shiprocket ${trackingNumber} ${statusId} ${sentAt}`
      : `shiprocket ${hash('sha256', JSON.stringify(body))}`,
    reference: isSentBack ? null : readTrimmed(event, 'order_id'),
    trackingNumber,
    status,
    label: readTrimmed(event, 'shipment_status') ?? readTrimmed(event, 'current_status') ?? '',
    partner: readTrimmed(event, 'courier_name'),
    estimatedDelivery: parseIndianTime(readText(event, 'etd')),
    deliveredAt: status === 'delivered' ? at : null,
    trackingUrl: null,
    at,
  }
}

const maxLength = 100

export const readTrimmed = (fields: Fields, name: string) =>
  readTextOrNull(fields, name)?.trim().slice(0, maxLength) || null

/** Null for a JSON number that is too large to be exact: a wrong number would replace the one of the shipment. */
const readTrackingNumber = (event: Fields) =>
  typeof event.awb === 'number' && !Number.isSafeInteger(event.awb) ? null : readTrimmed(event, 'awb')

/** Public copies of the table of statuses disagree about the other ids, so those decide nothing. */
export const statusOf = (statusId: number | null): CarrierStatus | null =>
  statusId === null ? null : (statuses.get(statusId) ?? null)

const statuses = new Map<number, CarrierStatus>([
  [6, 'in_transit'],
  [7, 'delivered'],
  [8, 'cancelled'],
  [9, 'returning'],
  [10, 'returned'],
  [17, 'out_for_delivery'],
  [18, 'in_transit'],
  [21, 'undelivered'],
  [38, 'in_transit'],
  [42, 'in_transit'],
])

const indianOffset = '+05:30'

/**
 * Reads `2023-05-23 15:40:19`, `2023-05-23` and `23 05 2023 11:43:52`, all in Indian time. Null for anything else, such
 * as `NA` and `0000-00-00 00:00:00`.
 */
export const parseIndianTime = (text: string): Date | null => {
  const [, day, month, year, dayTime] = /^(\d\d) (\d\d) (\d{4})(?: (\d\d:\d\d(?::\d\d)?))?$/.exec(text.trim()) ?? []
  const iso = day === undefined ? text.trim() : `${year}-${month}-${day} ${dayTime ?? '00:00'}`
  const [, date, time = '00:00'] = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?))?$/.exec(iso) ?? []
  if (date === undefined) return null
  try {
    // Unlike Date, Temporal refuses 31 February instead of turning it into a day in March.
    const { epochMilliseconds } = Temporal.Instant.from(`${date}T${time}${indianOffset}`)
    return epochMilliseconds < 0 ? null : new Date(epochMilliseconds)
  } catch {
    return null
  }
}
