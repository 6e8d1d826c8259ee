import type { Queries, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { CarrierShipment } from '../../providers/carrier/carrier.ts'
import type { StoreId } from '../context.ts'
import { trackAfter } from './delivery.sql.ts'

/** A shipment with its names at the carrier. */
export type BookedShipment = {
  id: string
  orderId: string
  orderNumber: number
  trackingNumber: string
  partner: string
  status: string
  carrier: string | null
  carrierOrder: string | null
  carrierShipment: string | null
  labelUrl: string
  pickupAt: Date | null
  items: { id: string; quantity: number }[]
}

const columns = sql`s.id, s.order_id as "orderId", o.number as "orderNumber", s.tracking_number as "trackingNumber",
  s.partner, s.status, s.carrier, s.carrier_order as "carrierOrder", s.carrier_shipment as "carrierShipment",
  s.label_url as "labelUrl", s.pickup_at as "pickupAt", s.items`

export const findBookedShipment = (db: Queries, storeId: StoreId, shipmentId: string) => db.maybeOne<BookedShipment>`
  select ${columns} from shipment s join orders o on o.store_id = s.store_id and o.id = s.order_id
  where s.store_id = ${storeId} and s.id = ${shipmentId}`

/** The shipment of a locked order that a command began to book and did not finish. */
export const findUnbooked = (tx: Tx, storeId: StoreId, orderId: string) => tx.maybeOne<BookedShipment>`
  select ${columns} from shipment s join orders o on o.store_id = s.store_id and o.id = s.order_id
  where s.store_id = ${storeId} and s.order_id = ${orderId} and s.status = 'preparing' and s.carrier is not null
  order by s.created_at, s.id limit 1`

export type NewCarrierShipment = Pick<BookedShipment, 'id' | 'orderId' | 'items'> & { carrier: string }

export const insertUnbooked = (tx: Tx, storeId: StoreId, { id, orderId, carrier, items }: NewCarrierShipment) => tx.run`
  insert into shipment (store_id, order_id, id, tracking_number, partner, status, items, carrier, created_at, updated_at)
  values (${storeId}, ${orderId}, ${id}, '', '', 'preparing', ${JSON.stringify(items)}, ${carrier}, vitrine_now(),
    vitrine_now())`

/** The carrier has refused it, so it exists nowhere. */
export const deleteUnbooked = (tx: Tx, storeId: StoreId, shipmentId: string) => tx.run`
  delete from shipment
  where store_id = ${storeId} and id = ${shipmentId} and status = 'preparing' and carrier_order is null`

/** False if it was cancelled meanwhile. */
export const saveCarrierNames = async (
  tx: Tx,
  storeId: StoreId,
  shipmentId: string,
  { carrierOrder, carrierShipment }: CarrierShipment,
) =>
  (await tx.run`
    update shipment set carrier_order = ${carrierOrder}, carrier_shipment = ${carrierShipment}, updated_at = vitrine_now()
    where store_id = ${storeId} and id = ${shipmentId} and status <> 'cancelled'`) > 0

/** False if another call, or an event of the carrier, was faster. */
export const bookShipment = async (
  tx: Tx,
  storeId: StoreId,
  shipmentId: string,
  { trackingNumber, partner }: Pick<BookedShipment, 'trackingNumber' | 'partner'>,
) =>
  (await tx.run`
    update shipment
    set tracking_number = ${trackingNumber}, partner = ${partner}, status = 'booked', updated_at = vitrine_now(),
      tracked_at = vitrine_now(), track_due_at = vitrine_now() + ${trackAfter}
    where store_id = ${storeId} and id = ${shipmentId} and status = 'preparing'`) > 0

export const saveLabel = (tx: Tx, storeId: StoreId, shipmentId: string, labelUrl: string) => tx.run`
  update shipment set label_url = ${labelUrl}, updated_at = vitrine_now()
  where store_id = ${storeId} and id = ${shipmentId}`

export const savePickup = (tx: Tx, storeId: StoreId, shipmentId: string, pickupAt: Date | null) => tx.run`
  update shipment set pickup_at = coalesce(${pickupAt}::timestamptz, pickup_at), updated_at = vitrine_now()
  where store_id = ${storeId} and id = ${shipmentId}`

const isGivenUp = sql`s.created_at < vitrine_now() - interval '60 days'`

/** The carrier was asked. A parcel that is 60 days old is not asked about again. */
export const noteTracked = (tx: Tx, storeId: StoreId, shipmentId: string) => tx.run`
  update shipment s
  set tracked_at = vitrine_now(), track_attempts = 0,
    track_due_at = (select case when s.track_due_at is null or ${isGivenUp} then null else vitrine_now() + ${trackAfter} end)
  where store_id = ${storeId} and id = ${shipmentId}`

export type DueShipment = { storeNumber: StoreId; storeId: string; orderId: string; id: string; attempt: number }

export const findShipmentsToTrack = (db: Queries) => db.many<{ storeId: StoreId; waiting: number; oldestAt: Date }>`
  select store_id as "storeId", count(*) as waiting, min(track_due_at) as "oldestAt"
  from shipment where track_due_at <= vitrine_now()
  group by store_id order by "oldestAt" limit 1000`

/**
 * Other instances skip these shipments until the claim expires after a minute. By row id, because by `id` the planner took
 * the primary key, in which the order comes first, and read all shipments of the store.
 */
export const claimShipmentsToTrack = (db: Queries, storeId: StoreId, limit: number) => db.many<DueShipment>`
  with claimed as (
    update shipment s set track_attempts = s.track_attempts + 1, track_due_at = vitrine_now() + interval '1 minute'
    where s.store_id = ${storeId} and s.ctid = any(array(
      select q.ctid from shipment q where q.store_id = ${storeId} and q.track_due_at <= vitrine_now()
      order by q.track_due_at limit ${limit} for update skip locked))
    returning s.store_id as "storeNumber", s.order_id as "orderId", s.id, s.track_attempts as attempt)
  select c.*, s.public_id as "storeId" from claimed c join store s on s.id = c."storeNumber"`

/** Doubles the delay after each failure, up to a day. */
export const postponeTracking = (db: Queries, { storeNumber, id, attempt }: DueShipment) => db.run`
  update shipment s
  set track_due_at = (select case when ${isGivenUp} then null
    else vitrine_now() + least(power(2, least(${attempt}::integer - 1, 5)), 24) * interval '1 hour' end)
  where store_id = ${storeNumber} and id = ${id} and track_due_at is not null and track_attempts = ${attempt}`
