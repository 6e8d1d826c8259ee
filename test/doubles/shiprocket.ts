import { randomBytes } from 'node:crypto'
import { type Fields, toFields } from '../../src/core/fields.ts'
import {
  type Double,
  type DoubleAnswer,
  type DoubleRequest,
  type ListenOptions,
  parcelPage,
  startDouble,
} from './double.ts'

export type CarrierDoubleOptions = ListenOptions & {
  /** The time at the carrier. */
  now?: () => number
}

type Account = { email: string; password: string; tokens: Set<string>; webhook: { url: string; key: string } }
type Scan = { at: number; statusId: number }
type Order = {
  id: number
  shipmentId: number
  account: Account
  request: Fields
  awb: string | null
  courier: string
  pickupAt: string | null
  isCancelled: boolean
  scans: Scan[]
}

/** A test double of Shiprocket: orders, couriers, labels, pickups, tracking and webhooks. */
export type ShiprocketDouble = Double & {
  name: 'shiprocket'
  /** Whether the next couriers and labels can be had. A refusal comes with 200, as at Shiprocket. */
  behaviour: { courier: 'assigned' | 'refused'; label: 'made' | 'refused' }
  /** Makes an account for a store, and sends its events to the service from now on. Returns the credentials to set. */
  openAccount(serviceUrl: string, logisticsKey: string): Record<string, string>
  /** All tokens end, as they do after ten days. */
  expireTokens(): void
  /** A courier scans the parcel. Sends a webhook. */
  scan(awb: string, statusId: number): Promise<void>
  /** What was booked and not cancelled, by the reference of the store. */
  shipments(): { reference: string; awb: string | null; courier: string; request: Fields }[]
}

const labels = new Map([
  [6, 'SHIPPED'],
  [7, 'DELIVERED'],
  [8, 'CANCELLED'],
  [9, 'RTO INITIATED'],
  [10, 'RTO DELIVERED'],
  [17, 'OUT FOR DELIVERY'],
  [18, 'IN TRANSIT'],
  [19, 'OUT FOR PICKUP'],
  [21, 'UNDELIVERED'],
  [38, 'REACHED AT DESTINATION HUB'],
  [42, 'PICKED UP'],
])

const couriers = new Map([
  [24, 'Xpressbees Surface'],
  [51, 'Delhivery Air'],
])

export const startShiprocketDouble = async ({
  now = Date.now,
  ...listening
}: CarrierDoubleOptions = {}): Promise<ShiprocketDouble> => {
  const accounts = new Map<string, Account>()
  const orders = new Map<number, Order>()
  const behaviour: ShiprocketDouble['behaviour'] = { courier: 'assigned', label: 'made' }
  let lastId = 16_000_000
  let double: Double

  const logIn = ({ email, password }: Fields): DoubleAnswer => {
    const account = accounts.get(String(email))
    if (account === undefined || account.password !== password) {
      return refused(403, 'Invalid email and password combination')
    }
    const token = randomBytes(12).toString('hex')
    account.tokens.add(token)
    return { status: 200, body: { id: 1, email, first_name: 'API', last_name: 'USER', company_id: 1, token } }
  }

  const create = (account: Account, request: Fields): DoubleAnswer => {
    const errors = findWrongFields(request)
    if (Object.keys(errors).length > 0) {
      return { status: 422, body: { message: 'The given data was invalid.', errors, status_code: 422 } }
    }
    if (request.pickup_location !== 'Primary') {
      // Shiprocket answers this one with 200.
      return {
        status: 200,
        body: { message: 'Wrong Pickup location entered. Please choose one location from data given' },
      }
    }
    const isTaken = [...orders.values()].some(
      (order) => order.account === account && order.request.order_id === request.order_id,
    )
    if (isTaken) return refused(400, 'Order id already exists.')
    lastId += 2
    orders.set(lastId, {
      ...{ id: lastId, shipmentId: lastId + 1, account, request, awb: null, courier: '', pickupAt: null },
      ...{ isCancelled: false, scans: [] },
    })
    return {
      status: 200,
      body: {
        ...{ order_id: lastId, shipment_id: lastId + 1, status: 'NEW', status_code: 1, onboarding_completed_now: 0 },
        ...{ awb_code: '', courier_company_id: '', courier_name: '' },
      },
    }
  }

  const findByShipment = (account: Account, id: unknown) =>
    [...orders.values()].find((order) => order.account === account && order.shipmentId === id)

  const assign = (account: Account, { shipment_id: id, courier_id: courierId = 24 }: Fields): DoubleAnswer => {
    const order = findByShipment(account, id)
    if (order === undefined || order.isCancelled) return refused(400, 'Shipment id not found')
    const error =
      order.awb !== null
        ? 'AWB is already assigned'
        : behaviour.courier === 'refused' || !couriers.has(Number(courierId))
          ? 'This courier is not serviceable.'
          : ''
    if (error !== '') {
      return { status: 200, body: { awb_assign_status: 0, response: { data: { awb_assign_error: error } } } }
    }
    order.awb = `14${order.shipmentId}`
    order.courier = couriers.get(Number(courierId)) ?? ''
    const data = { awb_code: order.awb, courier_company_id: courierId, courier_name: order.courier, order_id: order.id }
    return { status: 200, body: { awb_assign_status: 1, response: { data: { ...data, shipment_id: id } } } }
  }

  const pickUp = (order: Order): DoubleAnswer => {
    if (order.pickupAt !== null) return refused(400, 'Already in Pickup Queue.')
    order.pickupAt = showTime(now() + 24 * 3_600_000)
    const response = { pickup_scheduled_date: order.pickupAt, pickup_token_number: 'Reference No: 1', status: 3 }
    return { status: 200, body: { pickup_status: 1, response } }
  }

  const label = (order: Order): DoubleAnswer => {
    if (behaviour.label === 'refused') {
      return {
        status: 200,
        body: { label_created: 0, response: 'Label could not be created.', not_created: [order.shipmentId] },
      }
    }
    const url = `${double.url}/labels/${order.shipmentId}.pdf`
    return {
      status: 200,
      body: { label_created: 1, label_url: url, response: 'Label has been created.', not_created: [] },
    }
  }

  const cancel = (account: Account, { ids }: Fields): DoubleAnswer => {
    const wanted = Array.isArray(ids) ? ids : []
    const found = wanted.map((id) => orders.get(id)).filter((order) => order?.account === account)
    if (found.length === 0 || found.some((order) => order === undefined)) return refused(400, 'Order not found')
    if (found.some((order) => order?.isCancelled)) return refused(400, 'Order is already cancelled.')
    if (found.some((order) => (order?.scans.length ?? 0) > 0)) return refused(400, 'Cannot cancel a shipped order.')
    for (const order of found) if (order !== undefined) order.isCancelled = true
    return { status: 200, body: { status_code: 200, message: 'Order cancelled successfully.' } }
  }

  const track = (account: Account, awb: string): DoubleAnswer => {
    const order = [...orders.values()].find((one) => one.account === account && one.awb === awb)
    const scan = order?.scans.at(-1)
    if (order === undefined || scan === undefined) {
      const error = 'There is no activities found in our DB. Please have some patience it will be updated soon.'
      return {
        status: 200,
        body: { tracking_data: { track_status: 0, shipment_status: 0, shipment_track: [], error } },
      }
    }
    return { status: 200, body: { tracking_data: showTracking(order, scan) } }
  }

  const act = (account: Account, request: DoubleRequest): DoubleAnswer | undefined => {
    const json = readJson(request.text)
    const path = request.path.slice('/v1/external'.length)
    if (request.method === 'GET') {
      if (path === '/settings/company/pickup') {
        return { status: 200, body: { data: { shipping_address: [{ id: 1, pickup_location: 'Primary' }] } } }
      }
      if (path === '/orders') {
        const search = request.query.get('search') ?? ''
        const found = [...orders.values()].filter(
          (order) => order.account === account && String(order.request.order_id).includes(search),
        )
        return { status: 200, body: { data: found.map((order) => showOrder(order, true)), meta: {} } }
      }
      if (path.startsWith('/orders/show/')) {
        const order = orders.get(Number(path.slice('/orders/show/'.length)))
        return order?.account === account
          ? { status: 200, body: { data: showOrder(order, false) } }
          : refused(404, 'Order not found')
      }
      if (path.startsWith('/courier/track/awb/')) return track(account, path.slice('/courier/track/awb/'.length))
      return undefined
    }
    if (path === '/orders/create/adhoc') return create(account, json)
    if (path === '/courier/assign/awb') return assign(account, json)
    if (path === '/orders/cancel') return cancel(account, json)
    if (path !== '/courier/generate/pickup' && path !== '/courier/generate/label') return undefined
    const order = findByShipment(account, Array.isArray(json.shipment_id) ? json.shipment_id[0] : undefined)
    if (order === undefined || order.awb === null) return refused(400, 'Shipment id not found or has no AWB')
    return path.endsWith('/pickup') ? pickUp(order) : label(order)
  }

  const scan = async (awb: string, statusId: number) => {
    const order = [...orders.values()].find((one) => one.awb === awb)
    if (order === undefined) throw new Error(`There is no parcel ${awb}.`)
    order.scans.push({ at: now(), statusId })
    const { url, key } = order.account.webhook
    await double.notify({ url, headers: () => ({ 'x-api-key': key }), body: JSON.stringify(showEvent(order)) })
  }

  double = await startDouble({
    ...listening,
    page: async ({ method, path, text }) => {
      if (path !== '/') return undefined
      if (method === 'POST') {
        const form = new URLSearchParams(text)
        await scan(form.get('awb') ?? '', Number(form.get('statusId')))
        return { status: 303, location: '/' }
      }
      const parcels = [...orders.values()].flatMap(({ awb, isCancelled, request }) =>
        awb === null || isCancelled ? [] : [{ awb, reference: String(request.order_id) }],
      )
      return { status: 200, html: parcelPage('Shiprocket', parcels) }
    },
    api: (request) => {
      if (!request.path.startsWith('/v1/external/')) return undefined
      if (request.method === 'POST' && request.headers['content-type'] !== 'application/json') {
        return refused(400, 'The body must be JSON.')
      }
      if (request.path === '/v1/external/auth/login') return logIn(readJson(request.text))
      const token = /^Bearer (\w+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
      const account = [...accounts.values()].find(({ tokens }) => tokens.has(token))
      return account === undefined ? refused(401, 'Token has expired') : act(account, request)
    },
  })

  return {
    ...double,
    name: 'shiprocket',
    behaviour,
    openAccount: (serviceUrl, logisticsKey) => {
      const email = `api-${randomBytes(4).toString('hex')}@shop.example`
      const password = randomBytes(9).toString('hex')
      const webhook = { url: `${serviceUrl}/webhook/logistics/parcel`, key: logisticsKey }
      accounts.set(email, { email, password, tokens: new Set(), webhook })
      return { email, password }
    },
    expireTokens: () => {
      for (const { tokens } of accounts.values()) tokens.clear()
    },
    scan,
    shipments: () =>
      [...orders.values()]
        .filter(({ isCancelled }) => !isCancelled)
        .map(({ request, awb, courier }) => ({ reference: String(request.order_id), awb, courier, request })),
  }
}

const refused = (status: number, message: string): DoubleAnswer => ({ status, body: { message, status_code: status } })

const readJson = (text: string): Fields => {
  try {
    return toFields(JSON.parse(text))
  } catch {
    return {}
  }
}

/** `2026-01-31 18:30:00` in Indian time. */
const showTime = (ms: number) => new Date(ms + 5.5 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')

/** `31 01 2026 18:30:00` in Indian time. */
const showEventTime = (ms: number) => {
  const [date = '', time = ''] = showTime(ms).split(' ')
  return `${date.split('-').reverse().join(' ')} ${time}`
}

const orderFields = new Set([
  ...['order_id', 'order_date', 'pickup_location', 'billing_customer_name', 'billing_last_name', 'billing_address'],
  ...['billing_address_2', 'billing_city', 'billing_pincode', 'billing_state', 'billing_country', 'billing_email'],
  ...['billing_phone', 'shipping_is_billing', 'order_items', 'payment_method', 'sub_total', 'length', 'breadth'],
  ...['height', 'weight'],
])

/** As `{field: [text]}`. Stricter than Shiprocket, which ignores fields that it does not know. */
const findWrongFields = (request: Fields): Record<string, string[]> => {
  const text = (name: string) => String(request[name] ?? '')
  const amount = (value: unknown) => typeof value === 'number' && value >= 0 && Math.round(value * 100) / 100 === value
  const items = Array.isArray(request.order_items) ? request.order_items.map(toFields) : []
  const checks: [name: string, isRight: boolean][] = [
    ...Object.keys(request).map((name): [string, boolean] => [name, orderFields.has(name)]),
    ['order_id', /^\S{1,50}$/.test(text('order_id'))],
    ['order_date', /^\d{4}-\d\d-\d\d \d\d:\d\d$/.test(text('order_date'))],
    ['billing_customer_name', text('billing_customer_name') !== ''],
    ['billing_address', text('billing_address').length >= 3],
    ['billing_city', text('billing_city') !== '' && text('billing_city').length <= 30],
    ['billing_pincode', /^[1-9]\d{5}$/.test(text('billing_pincode'))],
    ['billing_state', text('billing_state') !== ''],
    ['billing_country', text('billing_country') === 'India'],
    ['billing_email', /^\S+@\S+\.\S+$/.test(text('billing_email'))],
    ['billing_phone', /^[6-9]\d{9}$/.test(text('billing_phone'))],
    ['shipping_is_billing', request.shipping_is_billing === true],
    ['payment_method', ['COD', 'Prepaid'].includes(text('payment_method'))],
    ['sub_total', amount(request.sub_total)],
    ...['length', 'breadth', 'height'].map((name): [string, boolean] => [name, Number(request[name]) > 0.5]),
    ['weight', Number(request.weight) > 0],
    ['order_items', items.length > 0 && items.every(({ units }) => Number.isInteger(units) && Number(units) > 0)],
    ['order_items', items.every((item) => item.name !== '' && item.sku !== '' && amount(item.selling_price))],
  ]
  return Object.fromEntries(
    checks.filter(([, isRight]) => !isRight).map(([name]) => [name, [`The ${name.replaceAll('_', ' ')} is invalid.`]]),
  )
}

const showOrder = (order: Order, isListed: boolean) => {
  const shipment = {
    ...{ id: order.shipmentId, awb: order.awb ?? '', courier: order.courier, etd: 'NA', delivered_date: null },
    pickup_scheduled_date: order.pickupAt,
  }
  return {
    ...{ id: order.id, channel_order_id: order.request.order_id, payment_method: order.request.payment_method },
    ...(order.isCancelled ? { status: 'CANCELED', status_code: 5 } : { status: 'NEW', status_code: 1 }),
    shipments: isListed ? [shipment] : shipment,
  }
}

const showTracking = (order: Order, { at, statusId }: Scan) => {
  const status = labels.get(statusId) ?? 'UNKNOWN'
  const track = {
    ...{ awb_code: order.awb, courier_name: order.courier, shipment_id: order.shipmentId, order_id: order.id },
    ...{ current_status: status, delivered_date: statusId === 7 ? showTime(at) : null, edd: null },
  }
  return {
    ...{ track_status: 1, shipment_status: statusId, shipment_track: [track] },
    // The newest first.
    shipment_track_activities: order.scans.toReversed().map((scan) => showScan(scan)),
    ...{ track_url: `https://shiprocket.co/tracking/${order.awb}`, etd: showTime(at + 2 * 24 * 3_600_000) },
  }
}

const showScan = ({ at, statusId }: Scan) => ({
  ...{ date: showTime(at), status: 'X-UCI', activity: 'Manifested', location: 'Delhi', 'sr-status': String(statusId) },
  'sr-status-label': labels.get(statusId) ?? 'NA',
})

const showEvent = (order: Order) => {
  const { at, statusId } = order.scans.at(-1) ?? { at: 0, statusId: 0 }
  const status = labels.get(statusId) ?? 'UNKNOWN'
  return {
    // Shiprocket sends either a text or a number.
    ...{ awb: Number(order.awb), courier_name: order.courier, current_status: status, current_status_id: 20 },
    ...{ shipment_status: status, shipment_status_id: statusId, current_timestamp: showEventTime(at) },
    ...{ order_id: `${order.request.order_id}_${order.id}`, sr_order_id: order.id, awb_assigned_date: showTime(at) },
    ...{ pickup_scheduled_date: order.pickupAt, etd: showTime(at + 2 * 24 * 3_600_000), is_return: 0, channel_id: 1 },
    ...{ scans: order.scans.map(showScan), pod_status: 'OTP Based Delivery', pod: 'Not Available' },
  }
}
