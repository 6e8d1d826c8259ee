import { fail } from '../../core/errors.ts'
import { isWebAddress } from '../../core/web-address.ts'
import { type CreatingCall, writeOnceByAuthor } from '../access/idempotency.ts'
import type { AdminCtx } from '../context.ts'
import { openCarrierAccount } from './carrier-accounts.ts'
import { parseTime } from './carrier-event.ts'
import { findBookedShipment } from './carrier-shipments.sql.ts'
import {
  type Begun,
  beginShipment,
  bookBegun,
  type CarrierShipRequest,
  createCarrierShipment,
} from './carrier-shipments.ts'
import type { ShipmentBody } from './orders.admin.contract.ts'
import { type ShipRequest, shipOrderBy } from './ship.ts'

/** Ships an order for staff or a program: notes a parcel that was handed over, or books one. Returns the shipment's id. */
export const shipForMerchant = (ctx: AdminCtx, orderId: string, body: ShipmentBody): Promise<string> =>
  body.carrier === undefined
    ? noteParcel(ctx, orderId, body, readParcel(body))
    : bookParcel(ctx, orderId, body, readBooking(body, body.carrier))

const callOf = (orderId: string, body: ShipmentBody): Omit<CreatingCall<string>, 'write'> => ({
  route: 'adminShipOrder',
  request: { orderId, ...body },
  refer: (shipmentId) => shipmentId,
  readAgain: async (_, shipmentId) => ({ body: shipmentId }),
})

const noteParcel = async (ctx: AdminCtx, orderId: string, body: ShipmentBody, request: ShipRequest) => {
  const answer = await writeOnceByAuthor(ctx, {
    ...callOf(orderId, body),
    write: async (tx) => ({ body: (await shipOrderBy(tx, ctx, ctx.by, orderId, request)).shipmentId }),
  })
  return answer.body
}

/**
 * The shipment is stored with its idempotency key before the carrier is called. A repeated call returns it, and goes on
 * with a booking that was interrupted. One that the carrier has refused is gone, and is tried again.
 */
const bookParcel = async (ctx: AdminCtx, orderId: string, body: ShipmentBody, request: CarrierShipRequest) => {
  await openCarrierAccount(ctx, request.carrier)
  let begun: Begun | undefined
  const { body: shipmentId } = await writeOnceByAuthor(ctx, {
    ...callOf(orderId, body),
    write: async (tx) => {
      begun = await beginShipment(tx, ctx, orderId, request)
      return { body: begun.id }
    },
  })
  if (begun !== undefined) return (await bookBegun(ctx, orderId, request, begun, ctx.by)).id
  const known = await findBookedShipment(ctx.db, ctx.store.id, shipmentId)
  if (known !== undefined && known.status !== 'preparing') return shipmentId
  return (await createCarrierShipment(ctx, orderId, request, ctx.by)).id
}

const readParcel = (body: ShipmentBody): ShipRequest => {
  const { trackingNumber = '', partner = '', trackingUrl = '', estimatedDelivery, items } = body
  if (partner.trim() === '') {
    throw fail('BAD_REQUEST', 'A shipment needs partner, who brings the parcel, or a carrier to book it with.')
  }
  if (trackingUrl !== '' && !isWebAddress(trackingUrl)) {
    throw fail('BAD_REQUEST', 'trackingUrl must be an address such as https://bluebird.example/BB123.')
  }
  const expected = estimatedDelivery === undefined ? null : parseTime(estimatedDelivery)
  if (expected === null && estimatedDelivery !== undefined) {
    throw fail('BAD_REQUEST', 'estimatedDelivery must be a day such as 2027-01-31 or a time.')
  }
  return {
    ...{ trackingNumber: trackingNumber.trim(), partner: partner.trim(), trackingUrl },
    ...{ estimatedDelivery: expected, items: readLines(items) },
  }
}

const readBooking = (body: ShipmentBody, carrier: string): CarrierShipRequest => {
  const { weightKg, lengthCm = 10, breadthCm = 10, heightCm = 10, courierId = null, items } = body
  if (weightKg === undefined) throw fail('BAD_REQUEST', 'A parcel that is booked with a carrier needs weightKg.')
  if (courierId !== null && !/^\d{1,15}$/.test(courierId)) {
    throw fail('BAD_REQUEST', "courierId must be the carrier's id of a courier, such as 24.")
  }
  if (body.trackingNumber !== undefined || body.partner !== undefined) {
    throw fail('BAD_REQUEST', 'The carrier chooses trackingNumber and partner.')
  }
  return { carrier, courierId, weightKg, lengthCm, breadthCm, heightCm, items: readLines(items) }
}

const readLines = (items: ShipmentBody['items'] = []) => items.map(({ id, quantity }) => ({ line: id, quantity }))
