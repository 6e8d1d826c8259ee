import type { Queries, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'

/** `source`: the format of the body, our own or that of a carrier. */
export type ReceivedBody = { source: 'carrier' | 'shiprocket'; body: unknown }

/**
 * False if the event was received before. Of two concurrent copies the second waits for the first. An event that matched
 * nothing is claimed again, since its order or shipment may exist by now.
 */
export const claimDeliveryEvent = async (tx: Tx, storeId: StoreId, eventId: string, { source, body }: ReceivedBody) =>
  (await tx.run`
    insert into delivery_event as e (store_id, event_id, source, body, received_at, outcome)
    values (${storeId}, ${eventId}, ${source}, ${JSON.stringify(body)}, vitrine_now(), 'claimed')
    on conflict (store_id, event_id) do update
    set source = excluded.source, body = excluded.body, received_at = excluded.received_at, outcome = 'claimed'
    where e.outcome = 'unmatched'`) > 0

export type DeliveryOutcome = 'applied' | 'stale' | 'after_delivery' | 'unmatched'

export const concludeEvent = (
  tx: Tx,
  storeId: StoreId,
  eventId: string,
  { outcome, orderId, shipmentId }: { outcome: DeliveryOutcome; orderId: string | null; shipmentId: string | null },
) => tx.run`
  update delivery_event set outcome = ${outcome}, order_id = ${orderId}, shipment_id = ${shipmentId}
  where store_id = ${storeId} and event_id = ${eventId}`

export const findOrderByShipment = async (db: Queries, storeId: StoreId, shipmentId: string) =>
  (
    await db.maybeOne<{ orderId: string }>`
    select order_id as "orderId" from shipment where store_id = ${storeId} and id = ${shipmentId}`
  )?.orderId

/** Carriers reuse tracking numbers, so the newest shipment is the right one. */
export const findOrderByTracking = async (db: Queries, storeId: StoreId, trackingNumber: string) =>
  (
    await db.maybeOne<{ orderId: string }>`
    select order_id as "orderId" from shipment
    where store_id = ${storeId} and tracking_number = ${trackingNumber}
    order by created_at desc, id desc
    limit 1`
  )?.orderId

export type Shipment = {
  id: string
  trackingNumber: string
  partner: string
  status: string
  estimatedDelivery: Date | null
  deliveredAt: Date | null
  trackingUrl: string
  items: { id: string; quantity: number }[]
  lastEventAt: Date | null
  /** Set if the shipment is booked through an account of the store. Never changed by `saveShipment`. */
  carrier: string | null
}

/** For a locked order. Its lock covers the shipments, which are only written while it is held. */
export const listShipments = (tx: Tx, storeId: StoreId, orderId: string) => tx.many<Shipment>`
  select id, tracking_number as "trackingNumber", partner, status, estimated_delivery as "estimatedDelivery",
    delivered_at as "deliveredAt", tracking_url as "trackingUrl", items, last_event_at as "lastEventAt", carrier
  from shipment
  where store_id = ${storeId} and order_id = ${orderId}
  order by created_at, id`

/** A shipment with one of these is not tracked any more. */
const endedStatuses = ['delivered', 'returned', 'cancelled']

/** How long after the last news a carrier is asked. */
export const trackAfter = sql`interval '6 hours'`

/** An event counts as news of the carrier, so that the tracking job does not ask for a while. */
export const saveShipment = (tx: Tx, storeId: StoreId, orderId: string, shipment: Shipment) => tx.run`
  with known as (
    update shipment s
    set tracking_number = ${shipment.trackingNumber}, partner = ${shipment.partner}, status = ${shipment.status},
      estimated_delivery = ${shipment.estimatedDelivery}, delivered_at = ${shipment.deliveredAt},
      tracking_url = ${shipment.trackingUrl}, last_event_at = ${shipment.lastEventAt}, updated_at = vitrine_now(),
      tracked_at = vitrine_now(), track_attempts = 0, track_due_at = ${
        endedStatuses.includes(shipment.status)
          ? sql`null`
          : sql`case when s.carrier is not null then (select vitrine_now() + ${trackAfter}) end`
      }
    where s.store_id = ${storeId} and s.order_id = ${orderId} and s.id = ${shipment.id}
    returning s.id)
  insert into shipment (store_id, order_id, id, tracking_number, partner, status, estimated_delivery, delivered_at,
    tracking_url, items, last_event_at, created_at, updated_at)
  select ${storeId}, ${orderId}, ${shipment.id}, ${shipment.trackingNumber}, ${shipment.partner}, ${shipment.status},
    ${shipment.estimatedDelivery}::timestamptz, ${shipment.deliveredAt}::timestamptz, ${shipment.trackingUrl},
    ${JSON.stringify(shipment.items)}::jsonb, ${shipment.lastEventAt}::timestamptz, vitrine_now(), vitrine_now()
  where not exists (select from known)
  returning 1`
