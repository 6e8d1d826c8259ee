import type { Fields } from '../../core/fields.ts'
import { toWire } from '../../core/money.ts'
import { isWebAddress } from '../../core/web-address.ts'
import { type ProviderAnswer, ProviderRefused, ProviderUnavailable } from '../http.ts'
import { fieldsAt, readDecimal, readList, readText } from '../read-fields.ts'
import type { AssignedCourier, Carrier, CarrierAccount, CarrierShipment, Parcel, TrackedParcel } from './carrier.ts'
import { type CallShiprocket, callShiprocket, toSentence } from './shiprocket-call.ts'
import { refuseParcel } from './shiprocket-parcel.ts'
import { parseIndianTime, readTrimmed, statusOf } from './shiprocket-webhook.ts'

/** Shiprocket, which books parcels with many couriers in India. It has no sandbox and no idempotency keys. */
export const createShiprocket = (origin: string): Carrier => {
  const call = callShiprocket(origin)
  return {
    name: 'shiprocket',
    label: 'Shiprocket',
    credentials: ['email', 'password'],
    optionalCredentials: ['pickupLocation'],
    refuseParcel,
    check: (account, signal) => checkAccount(call, account, signal),
    createShipment: (account, parcel, signal) => createShipment(call, account, parcel, signal),
    findShipment: async (account, reference, signal) =>
      carrierShipmentOf(await findCarrierOrder(call, account, reference, signal)),
    assignCourier: (account, shipment, courierId, signal) => assignCourier(call, account, shipment, courierId, signal),
    makeLabel: async (account, shipment, signal) => {
      const json = { shipment_id: [Number(shipment.carrierShipment)] }
      const body = accepted(await call(account, signal, { method: 'POST', path: '/courier/generate/label', json }))
      const url = readAddress(body, 'label_url')
      if (readDecimal(body, 'label_created') !== 1 || url === null) throw refusalOf({ status: 200, body })
      return url
    },
    schedulePickup: (account, shipment, signal) => schedulePickup(call, account, shipment, signal),
    track: async (account, trackingNumber, signal) => {
      const path = `/courier/track/awb/${encodeURIComponent(trackingNumber)}`
      return trackedOf(fieldsAt(accepted(await call(account, signal, { method: 'GET', path })), 'tracking_data'))
    },
    cancelShipment: async (account, shipment, signal) => {
      const json = { ids: [Number(shipment.carrierOrder)] }
      const answer = await call(account, signal, { method: 'POST', path: '/orders/cancel', json })
      if (isAccepted(answer)) return
      const order = await readCarrierOrder(call, account, shipment, signal)
      if (!isCancelled(order)) throw refusalOf(answer)
    },
  }
}

const isAccepted = ({ status, body }: Pick<ProviderAnswer, 'status' | 'body'>) =>
  status < 300 && (readDecimal(body, 'status_code') ?? 0) < 400

const accepted = (answer: ProviderAnswer): Fields => {
  if (!isAccepted(answer)) throw refusalOf(answer)
  return answer.body
}

/** Says why, in the words of Shiprocket. The reason stands in one of several places. */
const refusalOf = ({ status, body }: Pick<ProviderAnswer, 'status' | 'body'>) => {
  const [reason] = [
    ...Object.values(fieldsAt(body, 'errors')).map((texts) => String(Array.isArray(texts) ? texts[0] : texts)),
    readText(fieldsAt(body, 'response', 'data'), 'awb_assign_error'),
    readText(fieldsAt(body, 'response'), 'data'),
    readText(body, 'response'),
    readText(body, 'message'),
  ].filter((text) => text !== '')
  return new ProviderRefused(`Shiprocket: ${toSentence(reason ?? `answered with ${status}`)}`, {
    status,
    code: readText(body, 'status_code'),
  })
}

const maxAddressLength = 2_000

/** Null for anything that is not the address of a page, because it is shown as a link. */
const readAddress = (fields: Fields, name: string): string | null => {
  const text = readText(fields, name).trim()
  return text.length <= maxAddressLength && isWebAddress(text) ? text : null
}

const pickupLocationOf = ({ credentials }: CarrierAccount) => credentials.pickupLocation ?? 'Primary'

const checkAccount = async (call: CallShiprocket, account: CarrierAccount, signal: AbortSignal) => {
  const body = accepted(await call(account, signal, { method: 'GET', path: '/settings/company/pickup' }))
  const places = readList(fieldsAt(body, 'data'), 'shipping_address').map((row) => readText(row, 'pickup_location'))
  const wanted = pickupLocationOf(account)
  if (places.includes(wanted)) return `Shiprocket accepted the login and knows the pickup location ${wanted}.`
  const known = places.join(', ') || 'none'
  throw new ProviderRefused(`Shiprocket has no pickup location "${wanted}". The pickup locations are: ${known}.`, {
    status: 200,
    code: '',
  })
}

/**
 * A reference that is known is refused. Then an earlier call, or this one if its answer was lost, has made the order, and
 * it is found by its reference.
 */
const createShipment = async (
  call: CallShiprocket,
  account: CarrierAccount,
  parcel: Parcel,
  signal: AbortSignal,
): Promise<CarrierShipment> => {
  const json = orderOf(parcel, pickupLocationOf(account))
  const answer = await answerOrLoss(call(account, signal, { method: 'POST', path: createPath, json, isSentOnce: true }))
  if (!(answer instanceof ProviderUnavailable) && isAccepted(answer)) {
    const made = namesOf(readText(answer.body, 'order_id'), readText(answer.body, 'shipment_id'))
    if (made !== null) return made
  }
  const order = await findCarrierOrder(call, account, parcel.reference, signal)
  const found = carrierShipmentOf(order)
  if (found === null) throw answer instanceof ProviderUnavailable ? answer : refusalOf(answer)
  if (isCancelled(order)) {
    throw new ProviderRefused('Shiprocket: this shipment was cancelled.', { status: 200, code: '' })
  }
  return found
}

const createPath = '/orders/create/adhoc'

/** A lost answer leaves the effect open, which the caller finds out by reading. A refused login is thrown. */
const answerOrLoss = async (answer: Promise<ProviderAnswer>): Promise<ProviderAnswer | ProviderUnavailable> => {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ProviderUnavailable) return error
    throw error
  }
}

const namesOf = (carrierOrder: string, carrierShipment: string): CarrierShipment | null =>
  carrierOrder === '' || carrierShipment === '' ? null : { carrierOrder, carrierShipment }

const carrierShipmentOf = (order: Fields = {}) => namesOf(readText(order, 'id'), readText(firstShipment(order), 'id'))

/** The search also finds other orders, so each row is compared. */
const findCarrierOrder = async (
  call: CallShiprocket,
  account: CarrierAccount,
  reference: string,
  signal: AbortSignal,
): Promise<Fields | undefined> => {
  const path = `/orders?search=${encodeURIComponent(reference)}`
  const orders = readList(accepted(await call(account, signal, { method: 'GET', path })), 'data')
  return orders.find((order) => readText(order, 'channel_order_id') === reference)
}

const readCarrierOrder = async (
  call: CallShiprocket,
  account: CarrierAccount,
  { carrierOrder }: CarrierShipment,
  signal: AbortSignal,
): Promise<Fields> => {
  const path = `/orders/show/${encodeURIComponent(carrierOrder)}`
  return fieldsAt(accepted(await call(account, signal, { method: 'GET', path })), 'data')
}

/** A list where orders are listed, an object where one is shown. */
const firstShipment = (order: Fields): Fields => readList(order, 'shipments')[0] ?? fieldsAt(order, 'shipments')

/** Statuses of orders, not of shipments: cancelled, and cancellation requested. */
const isCancelled = (order: Fields | undefined) => [5, 18].includes(readDecimal(order ?? {}, 'status_code') ?? 0)

const orderOf = (parcel: Parcel, pickupLocation: string) => {
  const { to } = parcel
  return {
    order_id: parcel.reference,
    order_date: showIndianTime(parcel.orderedAt),
    pickup_location: pickupLocation,
    billing_customer_name: to.name,
    billing_last_name: '',
    billing_address: to.line1,
    billing_address_2: to.line2,
    billing_city: to.city,
    billing_pincode: Number(to.postalCode),
    billing_state: to.state,
    billing_country: 'India',
    billing_email: to.email,
    billing_phone: Number(to.phone.slice(-10)),
    shipping_is_billing: true,
    order_items: parcel.items.map(({ sku, name, quantity, unitMinor }) => ({
      name,
      sku,
      units: quantity,
      selling_price: toWire(unitMinor, parcel.currency),
    })),
    payment_method: parcel.isCash ? 'COD' : 'Prepaid',
    // All of it, without `shipping_charges` and `total_discount`, so that nothing is added to what the courier collects.
    sub_total: toWire(parcel.valueMinor, parcel.currency),
    length: parcel.lengthCm,
    breadth: parcel.breadthCm,
    height: parcel.heightCm,
    weight: parcel.weightKg,
  }
}

const indianOffsetMs = 5.5 * 3_600_000

/** `2026-01-31 18:30` */
const showIndianTime = (time: Date) =>
  new Date(time.getTime() + indianOffsetMs).toISOString().slice(0, 16).replace('T', ' ')

/** A shipment with a courier refuses another one, and its order names the first. */
const assignCourier = async (
  call: CallShiprocket,
  account: CarrierAccount,
  shipment: CarrierShipment,
  courierId: string | null,
  signal: AbortSignal,
): Promise<AssignedCourier> => {
  const answer = await answerOrLoss(
    call(account, signal, {
      method: 'POST',
      path: '/courier/assign/awb',
      json: {
        shipment_id: Number(shipment.carrierShipment),
        ...(courierId === null ? {} : { courier_id: Number(courierId) }),
      },
      isSentOnce: true,
    }),
  )
  if (!(answer instanceof ProviderUnavailable) && readDecimal(answer.body, 'awb_assign_status') === 1) {
    const data = fieldsAt(answer.body, 'response', 'data')
    const trackingNumber = readText(data, 'awb_code')
    if (trackingNumber !== '') return { trackingNumber, partner: readTrimmed(data, 'courier_name') ?? '' }
  }
  const known = firstShipment(await readCarrierOrder(call, account, shipment, signal))
  const trackingNumber = readText(known, 'awb')
  if (trackingNumber !== '') return { trackingNumber, partner: readTrimmed(known, 'courier') ?? '' }
  throw answer instanceof ProviderUnavailable ? answer : refusalOf(answer)
}

const schedulePickup = async (
  call: CallShiprocket,
  account: CarrierAccount,
  shipment: CarrierShipment,
  signal: AbortSignal,
): Promise<Date | null> => {
  const json = { shipment_id: [Number(shipment.carrierShipment)] }
  const answer = await call(account, signal, { method: 'POST', path: '/courier/generate/pickup', json })
  if (isAccepted(answer) && readDecimal(answer.body, 'pickup_status') === 1) {
    return parseIndianTime(readText(fieldsAt(answer.body, 'response'), 'pickup_scheduled_date'))
  }
  if (!/already in pickup queue/i.test(readText(answer.body, 'message'))) throw refusalOf(answer)
  const known = firstShipment(await readCarrierOrder(call, account, shipment, signal))
  return parseIndianTime(readText(known, 'pickup_scheduled_date'))
}

/** A parcel that no courier has scanned yet comes with an error text, and reads as one without a status. */
const trackedOf = (data: Fields): TrackedParcel => {
  const [parcel = {}] = readList(data, 'shipment_track')
  const scanned = readList(data, 'shipment_track_activities')
    .map((activity) => parseIndianTime(readText(activity, 'date'))?.getTime())
    .filter((ms) => ms !== undefined)
  const status = readText(data, 'error') === '' ? statusOf(readDecimal(data, 'shipment_status')) : null
  return {
    status,
    label: readText(data, 'error') === '' ? (readTrimmed(parcel, 'current_status') ?? '') : '',
    partner: readTrimmed(parcel, 'courier_name'),
    estimatedDelivery: parseIndianTime(readText(data, 'etd')) ?? parseIndianTime(readText(parcel, 'edd')),
    deliveredAt: status === 'delivered' ? parseIndianTime(readText(parcel, 'delivered_date')) : null,
    trackingUrl: readAddress(data, 'track_url'),
    at: scanned.length === 0 ? null : new Date(Math.max(...scanned)),
  }
}
