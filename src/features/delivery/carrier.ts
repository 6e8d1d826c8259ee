import { fail } from '../../core/errors.ts'
import { readHeader } from '../../core/headers.ts'
import { newId } from '../../core/ids.ts'
import { mustExist } from '../../core/must-exist.ts'
import { hashSecret, type Signer } from '../../core/secrets.ts'
import type { Tx } from '../../db/database.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import type { WebhookArrival } from '../access/webhooks.ts'
import type { Services, Store } from '../context.ts'
import type { LockedOrder, TimelineEntry } from '../orders/orders.sql.ts'
import { holdOrder, moveOrder } from '../orders/settle.ts'
import { noteCashPaid } from '../payments/payments.sql.ts'
import { findStoreByLogisticsKey } from '../stores/webhook-credentials.sql.ts'
import { type News, readCarrierEvent } from './carrier-event.ts'
import type { CarrierEvent } from './delivery.contract.ts'
import * as sql from './delivery.sql.ts'
import { unitsIn } from './ship.ts'
import { readSimulatedKey } from './simulated-key.ts'

/** `simulated` recognises the keys of `vitrine simulate`; null where nothing may be simulated. */
export type CarrierServices = Pick<Services, 'db' | 'clock' | 'boundLookup'> & { simulated: Signer | null }

type Ctx = { store: Store }
type Applied = { outcome: sql.DeliveryOutcome | 'duplicate' }

/** The store whose deliveries this key may speak of. */
export const admitCarrier = async (
  services: CarrierServices,
  { headers, lookUp }: Pick<WebhookArrival, 'headers' | 'lookUp'>,
): Promise<Store> => {
  const key = readHeader(headers, 'x-api-key') ?? ''
  const store =
    key.startsWith('vlk_') && key.length <= longestKey ? await lookUp(() => findStoreByKey(services, key)) : undefined
  if (store === undefined) throw fail('UNAUTHORIZED', 'x-api-key is not the logistics key of a store.')
  return store
}

/** A carrier tells where a delivery is. The event is kept, matched or not, and has its effect once. */
export const receiveCarrierEvent = async (
  services: Pick<Services, 'db' | 'clock'>,
  store: Store,
  body: CarrierEvent,
) => {
  const news = readCarrierEvent(body, services.clock.now())
  const { outcome } = await services.db.forStore(store.id).tx((tx) => applyOnce(tx, { store }, news, body))
  if (outcome === 'unmatched') throw fail('NOT_FOUND', 'The store has no such order or shipment. The event was kept.')
  return { received: true, duplicate: outcome === 'duplicate' }
}

/** Keys of ours have 36 characters, those of `vitrine simulate` some more. */
const longestKey = 200

const findStoreByKey = async ({ db, simulated }: CarrierServices, key: string) => {
  const publicId =
    (simulated === null ? undefined : readSimulatedKey(simulated, key)) ??
    (await findStoreByLogisticsKey(db, hashSecret(key)))
  return publicId === undefined ? undefined : findStoreByPublicId(db, publicId)
}

const applyOnce = async (tx: Tx, ctx: Ctx, news: News, body: CarrierEvent): Promise<Applied> => {
  const { id: storeId } = ctx.store
  if (!(await sql.claimDeliveryEvent(tx, storeId, news.eventId, body))) return { outcome: 'duplicate' }
  const orderId = await findOrderId(tx, ctx, news)
  const order = orderId === undefined ? undefined : await holdOrder(tx, ctx, orderId)
  const result =
    order === undefined
      ? { outcome: 'unmatched' as const, orderId: null, shipmentId: null }
      : await applyToOrder(tx, ctx, order, news)
  await sql.concludeEvent(tx, storeId, news.eventId, result)
  return result
}

const findOrderId = async (tx: Tx, { store }: Ctx, { orderId, shipmentId, trackingNumber }: News) => {
  if (shipmentId !== null) {
    const found = await sql.findOrderByShipment(tx, store.id, shipmentId)
    return orderId === null || orderId === found ? found : undefined
  }
  return orderId ?? sql.findOrderByTracking(tx, store.id, mustExist(trackingNumber, 'a name of the shipment'))
}

/** For an order that is locked. */
export const applyToOrder = async (tx: Tx, ctx: Ctx, order: LockedOrder, news: News) => {
  const before = await sql.listShipments(tx, ctx.store.id, order.id)
  const meant = chooseShipments(before, news)
  const open = meant.filter(({ status }) => status !== 'delivered')
  const due = open.filter(({ lastEventAt }) => lastEventAt === null || lastEventAt <= news.at)
  const [first] = meant
  const named = { orderId: order.id, shipmentId: meant.length === 1 && first !== undefined ? first.id : null }
  if (due.length === 0)
    return { ...named, outcome: open.length === 0 ? ('after_delivery' as const) : ('stale' as const) }

  const changed = due.map((shipment) => update(shipment, news))
  for (const shipment of changed) await sql.saveShipment(tx, ctx.store.id, order.id, shipment)
  const after = [...new Map([...before, ...changed].map((shipment) => [shipment.id, shipment])).values()]
  const events = due.every(({ status }) => status === news.status) ? [] : [tell(order, news, changed, after)]
  const moved = await moveOrder(tx, ctx, order, summarise(order, news, changed, after), events)
  // Only cash is paid by a delivery.
  if (moved.paymentStatus !== order.paymentStatus) tx.later(noteCashPaid(tx, ctx.store.id, order.id))
  return { ...named, outcome: 'applied' as const }
}

/** Those that an event speaks of; a new one where the store has not written down any that it could mean. */
const chooseShipments = (shipments: readonly sql.Shipment[], { shipmentId, trackingNumber }: News) => {
  if (shipmentId !== null) return shipments.filter(({ id }) => id === shipmentId)
  if (trackingNumber === null) return shipments.length > 0 ? shipments : [newShipment('')]
  const known = shipments.filter((shipment) => shipment.trackingNumber === trackingNumber)
  if (known.length > 0) return known
  // The carrier told of the order before it told the number.
  const unnumbered = shipments.find((shipment) => shipment.trackingNumber === '' && shipment.status !== 'delivered')
  return [unnumbered ?? newShipment(trackingNumber)]
}

export const newShipment = (trackingNumber: string): sql.Shipment => ({
  ...{ id: newId('ship'), trackingNumber, partner: '', status: '', trackingUrl: '', items: [] },
  ...{ estimatedDelivery: null, deliveredAt: null, lastEventAt: null },
})

/** What the event leaves out stays as it was. */
const update = (shipment: sql.Shipment, news: News): sql.Shipment => ({
  ...shipment,
  trackingNumber: shipment.trackingNumber || (news.trackingNumber ?? ''),
  partner: news.partner ?? shipment.partner,
  status: news.status,
  estimatedDelivery: news.estimatedDelivery ?? shipment.estimatedDelivery,
  deliveredAt: news.moves === 'delivered' ? (news.deliveredAt ?? news.at) : null,
  trackingUrl: news.trackingUrl ?? shipment.trackingUrl,
  lastEventAt: news.at,
})

/** The order as a whole: it is delivered when everything in it is. */
const summarise = (
  order: LockedOrder,
  news: News,
  changed: readonly sql.Shipment[],
  after: readonly sql.Shipment[],
) => {
  const last = mustExist(changed.at(-1), 'a changed shipment')
  const isDelivered = isAllDelivered(order, after)
  const times = after.map(({ deliveredAt }) => deliveredAt?.getTime() ?? 0)
  return {
    status: news.moves === null ? null : isDelivered ? ('delivered' as const) : ('out_for_delivery' as const),
    deliveryPartner: last.partner || order.deliveryPartner,
    estimatedDelivery: last.estimatedDelivery ?? order.estimatedDelivery,
    trackingUrl: last.trackingUrl || order.trackingUrl,
    deliveredAt: isDelivered ? new Date(Math.max(...times)) : null,
  }
}

/** A shipment that names no lines is the whole order, or one parcel of it; otherwise every unit must be in one. */
const isAllDelivered = (order: LockedOrder, shipments: readonly sql.Shipment[]) => {
  if (shipments.some(({ status }) => status !== 'delivered')) return false
  if (shipments.some(({ items }) => items.length === 0)) return true
  return order.lines.every(({ id, digital, quantity }) => digital !== null || unitsIn(shipments, id) >= quantity)
}

const tell = (
  order: LockedOrder,
  { moves, status, partner, message = 'Delivered.' }: News,
  changed: readonly sql.Shipment[],
  after: readonly sql.Shipment[],
): TimelineEntry => {
  const who = partner ?? changed.at(-1)?.partner
  if (moves === null) return { type: 'shipment', message: `${who || 'The carrier'} says: ${status}.` }
  if (moves === 'out_for_delivery') return { type: moves, message: who ? `On its way with ${who}.` : 'On its way.' }
  if (isAllDelivered(order, after)) return { type: 'delivered', message }
  return { type: 'shipment_delivered', message: 'A part of the order was delivered.' }
}
