import { fail } from '../../core/errors.ts'
import { readHeader } from '../../core/headers.ts'
import { newId } from '../../core/ids.ts'
import { mustExist } from '../../core/must-exist.ts'
import { hashSecret, type Signer } from '../../core/secrets.ts'
import type { Tx } from '../../db/database.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import type { WebhookArrival } from '../access/webhooks.ts'
import type { Services, Store } from '../context.ts'
import { holdOrder } from '../orders/lock-order.ts'
import type { LockedOrder, TimelineEntry } from '../orders/orders.sql.ts'
import { flagOrder, moveOrder } from '../orders/settle.ts'
import { isActive, isAllDelivered, readRefundedUnshipped } from '../orders/shipment-units.ts'
import { noteCashPaid } from '../payments/payments.sql.ts'
import { findStoreByLogisticsKey } from '../stores/webhook-credentials.sql.ts'
import { type DeliveryUpdate, readCarrierEvent } from './carrier-event.ts'
import type { CarrierEvent } from './delivery.contract.ts'
import * as sql from './delivery.sql.ts'
import { eraseDeliveryEvent } from './erase.sql.ts'
import { readSimulatedKey } from './simulated-key.ts'

/** `simulated` verifies the keys of `vitrine simulate`; null in production. */
export type CarrierServices = Pick<Services, 'db' | 'clock' | 'limitSubjects'> & { simulated: Signer | null }

type Ctx = { store: Store }
type Applied = { outcome: sql.DeliveryOutcome | 'duplicate' }

/** Authenticates a carrier by the logistics key, which also identifies the store. */
export const admitCarrier = async (
  services: CarrierServices,
  { headers, lookUp }: Pick<WebhookArrival, 'headers' | 'lookUp'>,
): Promise<Store> => {
  const key = readHeader(headers, 'x-api-key') ?? ''
  const isPossible = key.startsWith('vlk_') && key.length <= maxKeyLength
  const store = isPossible ? await lookUp(key, () => findStoreByKey(services, key)) : undefined
  if (store === undefined) throw fail('UNAUTHORIZED', 'x-api-key is not the logistics key of a store.')
  return store
}

/** Stores a carrier event, even if it matches no shipment, and applies it once. */
export const receiveCarrierEvent = async (
  services: Pick<Services, 'db' | 'clock'>,
  store: Store,
  body: CarrierEvent,
) => {
  const update = readCarrierEvent(body, services.clock.now())
  const { outcome } = await services.db
    .forStore(store.id)
    .tx((tx) => applyOnce(tx, { store }, update, { source: 'carrier', body }))
  if (outcome === 'unmatched') throw fail('NOT_FOUND', 'The store has no such order or shipment. The event was stored.')
  return { received: true, duplicate: outcome === 'duplicate' }
}

/** Logistics keys have 36 characters, those of `vitrine simulate` a few more. */
const maxKeyLength = 200

const findStoreByKey = async ({ db, simulated }: CarrierServices, key: string) => {
  const publicId =
    (simulated === null ? undefined : readSimulatedKey(simulated, key)) ??
    (await findStoreByLogisticsKey(db, hashSecret(key)))
  return publicId === undefined ? undefined : findStoreByPublicId(db, publicId)
}

/** Stores an event and applies it, unless it was applied before. */
export const applyOnce = async (
  tx: Tx,
  ctx: Ctx,
  update: DeliveryUpdate,
  received: sql.ReceivedBody,
): Promise<Applied> => {
  const { id: storeId } = ctx.store
  if (!(await sql.claimDeliveryEvent(tx, storeId, update.eventId, received))) return { outcome: 'duplicate' }
  return applyClaimed(tx, ctx, update)
}

/** Applies an event whose row this transaction has locked. What it has changed before is not changed again. */
export const applyClaimed = async (tx: Tx, ctx: Ctx, update: DeliveryUpdate) => {
  const { id: storeId } = ctx.store
  const orderId = await findOrderIdInStore(tx, ctx, update)
  const order = orderId === undefined ? undefined : await holdOrder(tx, ctx, orderId)
  const result =
    order === undefined
      ? { outcome: 'unmatched' as const, orderId: null, shipmentId: null }
      : await applyToOrder(tx, ctx, order, update)
  await sql.concludeEvent(tx, storeId, update.eventId, result)
  if (order?.isErased) await eraseDeliveryEvent(tx, storeId, update.eventId)
  return result
}

const findOrderIdInStore = async (tx: Tx, { store }: Ctx, { orderId, shipmentId, trackingNumber }: DeliveryUpdate) => {
  if (shipmentId !== null) {
    const found = await sql.findOrderByShipment(tx, store.id, shipmentId)
    return orderId === null || orderId === found ? found : undefined
  }
  if (orderId !== null) return orderId
  return trackingNumber === null ? undefined : sql.findOrderByTracking(tx, store.id, trackingNumber)
}

/** For a locked order. */
export const applyToOrder = async (tx: Tx, ctx: Ctx, order: LockedOrder, update: DeliveryUpdate) => {
  const before = await sql.listShipments(tx, ctx.store.id, order.id)
  const matching = chooseShipments(before, update)
  const open = matching.filter((shipment) => shipment.status !== 'delivered' && !isOldParcelCancelled(shipment, update))
  const due = open.filter(({ lastEventAt }) => lastEventAt === null || lastEventAt <= update.at)
  const [first] = matching
  const named = { orderId: order.id, shipmentId: matching.length === 1 && first !== undefined ? first.id : null }
  const isDone = matching.every(({ status }) => status === 'delivered')
  if (due.length === 0) return { ...named, outcome: isDone ? ('after_delivery' as const) : ('stale' as const) }

  const changed = due.map((shipment) => updateShipment(shipment, update))
  for (const shipment of changed) await sql.saveShipment(tx, ctx.store.id, order.id, shipment)
  const after = [...new Map([...before, ...changed].map((shipment) => [shipment.id, shipment])).values()]
  const isDelivered = isAllDelivered(order, after, await readRefundedUnshipped(tx, ctx, order))
  const events = due.every(({ status }) => status === update.status)
    ? []
    : [describeUpdate(update, changed, isDelivered)]
  const moved = await moveOrder(tx, ctx, order, summarise(order, update, changed, after, isDelivered), events)
  // A delivery changes the payment status only of cash orders.
  if (moved.paymentStatus !== order.paymentStatus) await noteCashPaid(tx, ctx.store.id, order.id)
  if (update.attention !== undefined && events.length > 0) {
    await flagOrder(tx, ctx, moved, update.attention.code, update.attention.message)
  }
  return { ...named, outcome: 'applied' as const }
}

/** The shipments that an event is about, or a new one if the order has no matching shipment. */
const chooseShipments = (shipments: readonly sql.Shipment[], { shipmentId, trackingNumber }: DeliveryUpdate) => {
  if (shipmentId !== null) return shipments.filter(({ id }) => id === shipmentId)
  const active = shipments.filter(isActive)
  if (trackingNumber === null) return active.length > 0 ? active : [newShipment('')]
  const known = shipments.filter((shipment) => shipment.trackingNumber === trackingNumber)
  if (known.length > 0) return known
  // An earlier event named only the order; this one adds the tracking number.
  const unnumbered = active.find(
    ({ trackingNumber: known, status, carrier }) => known === '' && status !== 'delivered' && carrier === null,
  )
  return [unnumbered ?? newShipment(trackingNumber)]
}

/** Whether the store has given a booked parcel to another courier, in the carrier's panel, which changes its number. */
const isRenumbered = ({ carrier, trackingNumber }: sql.Shipment, update: DeliveryUpdate) =>
  carrier !== null &&
  trackingNumber !== '' &&
  update.trackingNumber !== null &&
  withoutZeros(update.trackingNumber) !== withoutZeros(trackingNumber)

/** Carriers that send the number as a JSON number lose its leading zeros. */
const withoutZeros = (trackingNumber: string) => trackingNumber.replace(/^0+/, '')

/** The carrier cancels the old number when a parcel gets another courier. The parcel itself is not cancelled. */
const isOldParcelCancelled = (shipment: sql.Shipment, update: DeliveryUpdate) =>
  isRenumbered(shipment, update) && update.status.toLowerCase().includes('cancel')

export const newShipment = (trackingNumber: string): sql.Shipment => ({
  ...{ id: newId('ship'), trackingNumber, partner: '', status: '', trackingUrl: '', items: [] },
  ...{ estimatedDelivery: null, deliveredAt: null, lastEventAt: null, carrier: null },
})

/** Fields that the event leaves out stay unchanged. */
const updateShipment = (shipment: sql.Shipment, update: DeliveryUpdate): sql.Shipment => ({
  ...shipment,
  trackingNumber: isRenumbered(shipment, update)
    ? (update.trackingNumber ?? '')
    : shipment.trackingNumber || (update.trackingNumber ?? ''),
  partner: update.partner ?? shipment.partner,
  status: update.status,
  estimatedDelivery: update.estimatedDelivery ?? shipment.estimatedDelivery,
  deliveredAt: update.moves === 'delivered' ? (update.deliveredAt ?? update.at) : null,
  trackingUrl: update.trackingUrl ?? (isRenumbered(shipment, update) ? '' : shipment.trackingUrl),
  lastEventAt: update.at,
})

/** The delivery state of the whole order, which is delivered when all its units are. */
const summarise = (
  order: LockedOrder,
  update: DeliveryUpdate,
  changed: readonly sql.Shipment[],
  after: readonly sql.Shipment[],
  isDelivered: boolean,
) => {
  const last = mustExist(changed.at(-1), 'a changed shipment')
  const times = after.map(({ deliveredAt }) => deliveredAt?.getTime() ?? 0)
  return {
    status: update.moves === null ? null : isDelivered ? ('delivered' as const) : ('out_for_delivery' as const),
    deliveryPartner: last.partner || order.deliveryPartner,
    estimatedDelivery: last.estimatedDelivery ?? order.estimatedDelivery,
    trackingUrl: last.trackingUrl || order.trackingUrl,
    deliveredAt: isDelivered ? new Date(Math.max(...times)) : null,
  }
}

const describeUpdate = (
  { moves, status, partner, message = 'Delivered.' }: DeliveryUpdate,
  changed: readonly sql.Shipment[],
  isDelivered: boolean,
): TimelineEntry => {
  const who = partner ?? changed.at(-1)?.partner
  if (moves === null) return { type: 'shipment', message: `${who || 'The carrier'} reports: ${status}.` }
  if (moves === 'out_for_delivery') return { type: moves, message: who ? `On its way with ${who}.` : 'On its way.' }
  if (isDelivered) return { type: 'delivered', message }
  return { type: 'shipment_delivered', message: 'Part of the order was delivered.' }
}
