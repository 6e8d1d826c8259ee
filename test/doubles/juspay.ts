import { createHmac, randomBytes } from 'node:crypto'
import { type Fields, toFields } from '../../src/core/fields.ts'
import { type Double, type DoubleAnswer, type DoubleRequest, payPage, startDouble } from './double.ts'
import type { PaymentDouble, PaymentDoubleOptions } from './payment-double.ts'

type Account = Record<
  'merchantId' | 'apiKey' | 'clientId' | 'webhookUsername' | 'webhookPassword' | 'responseKey',
  string
> & {
  webhookUrl: string
  storeId: string
}

type Status = 'NEW' | 'AUTHORIZING' | 'CHARGED' | 'AUTHORIZATION_FAILED'
type Refund = { requestId: string; amount: number; status: 'PENDING' | 'SUCCESS' | 'FAILURE' }
type Order = { account: Account; request: Fields; status: Status; method: string; refunds: Refund[]; expiry: number }

const statusIds: Record<Status, number> = { NEW: 10, AUTHORIZING: 28, CHARGED: 21, AUTHORIZATION_FAILED: 27 }
const halfHourMs = 30 * 60_000

/** A test double of Juspay: sessions, orders, refunds, and events with basic credentials. */
export const startJuspayDouble = async ({
  now = Date.now,
  ...listening
}: PaymentDoubleOptions = {}): Promise<PaymentDouble> => {
  const accounts = new Map<string, Account>()
  const orders = new Map<string, Order>()
  const behaviour = { refund: 'succeeded' as 'pending' | 'succeeded' | 'failed' }
  let double: Double

  const showOrder = ({ account, request, status, method, refunds }: Order) => {
    const id = String(request.order_id)
    const isTried = status !== 'NEW'
    return {
      ...{ id: `ordeh_${id}`, order_id: id, merchant_id: account.merchantId, status, status_id: statusIds[status] },
      ...{ amount: Number(request.amount), currency: request.currency, customer_id: request.customer_id },
      ...{ udf6: request.udf6 ?? '', udf7: request.udf7 ?? '', return_url: request.return_url },
      payment_links: { web: `${double.url}/pay/${id}` },
      ...(isTried ? { txn_id: `${account.merchantId}-${id}-1`, payment_method_type: method } : {}),
      ...(isTried && method === 'CARD'
        ? { payment_method: 'VISA', card: { last_four_digits: '1111', card_brand: 'VISA' } }
        : {}),
      ...(isTried && method === 'UPI'
        ? { payment_method: 'UPI_PAY', upi: { payer_vpa: 'asha@bank', txn_flow_type: 'INTENT' } }
        : {}),
      ...(status === 'CHARGED' ? { payment_gateway_response: { rrn: '123456789012', resp_code: 'SUCCESS' } } : {}),
      refunded: refunds.length > 0 && remainderOf({ request, refunds }) === 0,
      amount_refunded: sumOf(refunds.filter((refund) => refund.status === 'SUCCESS')),
      ...(refunds.length === 0 ? {} : { refunds: refunds.map(showRefund) }),
    }
  }

  const report = (order: Order, name: string) => {
    const { webhookUsername, webhookPassword, webhookUrl, storeId } = order.account
    return double.notify({
      url: webhookUrl,
      headers: () => ({
        authorization: `Basic ${Buffer.from(`${webhookUsername}:${webhookPassword}`).toString('base64')}`,
        'x-store-id': storeId,
      }),
      body: JSON.stringify({
        id: `evt_V2_${randomBytes(12).toString('hex')}`,
        event_name: name,
        date_created: new Date(now()).toISOString(),
        content: { order: showOrder(order) },
      }),
    })
  }

  const createSession = (account: Account, request: Fields): DoubleAnswer => {
    const wrong = findWrongField(account, request)
    if (wrong !== null) return refused('INVALID_INPUT', `Invalid ${wrong}`)
    const name = String(request.order_id).toLowerCase()
    const known = orders.get(name)
    if (known !== undefined) return refused('ALREADY_EXISTS', 'Order already exists')
    const expiry = now() + halfHourMs
    const order: Order = { account, request, status: 'NEW', method: '', refunds: [], expiry }
    orders.set(name, order)
    const { id, status, order_id } = showOrder(order)
    const links = { web: `${double.url}/pay/${name}`, expiry: new Date(expiry).toISOString() }
    return { status: 200, body: { status, id, order_id, payment_links: links, sdk_payload: {} } }
  }

  const refund = async (order: Order, requestId: string, amount: number): Promise<DoubleAnswer> => {
    if (order.status !== 'CHARGED') return refused('INVALID_ACTION', 'Only charged orders can be refunded')
    if (order.refunds.some((made) => made.requestId === requestId))
      return refused('DUPLICATE_REQUEST', 'unique_request_id was used')
    if (!/^[A-Za-z0-9]{1,20}$/.test(requestId)) return refused('INVALID_INPUT', 'unique_request_id')
    if (!(amount > 0) || Math.round(amount * 1000) > Math.round(remainderOf(order) * 1000)) {
      return refused('INVALID_INPUT', 'Refund amount exceeds the order amount')
    }
    const status = ({ pending: 'PENDING', succeeded: 'SUCCESS', failed: 'FAILURE' } as const)[behaviour.refund]
    order.refunds.push({ requestId, amount, status })
    if (status !== 'PENDING') await report(order, status === 'SUCCESS' ? 'ORDER_REFUNDED' : 'ORDER_REFUND_FAILED')
    return { status: 200, body: showOrder(order) }
  }

  const api = async ({ method, path, headers, text }: DoubleRequest): Promise<DoubleAnswer | undefined> => {
    const account = accounts.get(headers.authorization ?? '')
    if (account === undefined || headers['x-merchantid'] !== account.merchantId) {
      return {
        status: 401,
        body: { status: 'error', error_code: 'access_denied', error_message: 'Invalid credentials' },
      }
    }
    if (!headers['x-routing-id'] || !/^\d{4}-\d\d-\d\d$/.test(String(headers.version))) {
      return refused('MISSING_MANDATORY_PARAMETER', 'x-routing-id and version are required')
    }
    if (`${method} ${path}` === 'POST /session') return createSession(account, readJson(text))
    const [, name = '', action] = /^\/orders\/(\w+)(\/refunds)?$/.exec(path) ?? []
    const order = orders.get(name.toLowerCase())
    if (order === undefined || order.account !== account) {
      return { status: 404, body: { status: 'NOT_FOUND', status_id: 40, error_info: { code: 'RESOURCE_NOT_FOUND' } } }
    }
    if (action === undefined) return { status: 200, body: showOrder(order) }
    const { unique_request_id: requestId, amount } = readJson(text)
    return refund(order, String(requestId), amount === undefined ? remainderOf(order) : readAmount(amount))
  }

  const play = async (order: Order, choice: string) => {
    if (order.expiry <= now() || order.status === 'CHARGED') return
    order.method = choice === 'pay-by-upi' ? 'UPI' : 'CARD'
    if (choice === 'pay-later') order.status = 'AUTHORIZING'
    if (choice === 'fail') {
      order.status = 'AUTHORIZATION_FAILED'
      await report(order, 'ORDER_FAILED')
    }
    if (choice === 'pay' || choice === 'pay-by-upi') {
      order.status = 'CHARGED'
      await report(order, 'TXN_CHARGED')
      await report(order, 'ORDER_SUCCEEDED')
    }
  }

  const findPaid = (reference?: string): Order => {
    const isMeant = ({ status, request }: Order) =>
      status === 'CHARGED' && (reference ?? request.order_id) === request.order_id
    const order = [...orders.values()].findLast(isMeant)
    if (order === undefined) throw new Error('Nothing is paid.')
    return order
  }

  const ordersOf = (storeId?: string) =>
    [...orders.values()].filter(({ account }) => (storeId ?? account.storeId) === account.storeId)

  double = await startDouble({
    ...listening,
    api,
    page: async ({ method, path, text }) => {
      const order = path.startsWith('/pay/') ? orders.get(path.slice('/pay/'.length)) : undefined
      if (order === undefined) return undefined
      const amount = `${order.request.amount} ${order.request.currency}`
      const title = String(order.request.description)
      if (method === 'GET') return { status: 200, html: payPage({ provider: 'Juspay', title, amount }) }
      await play(order, new URLSearchParams(text).get('choice') ?? '')
      return { status: 303, location: returnAddress(order) }
    },
  })

  return {
    ...double,
    name: 'juspay',
    behaviour,
    openAccount: (serviceUrl, storeId) => {
      const [merchantId, apiKey, clientId, webhookUsername, webhookPassword, responseKey] = Array.from(
        { length: 6 },
        () => randomBytes(8).toString('hex'),
      ) as [string, string, string, string, string, string]
      const credentials = { merchantId, apiKey, clientId, webhookUsername, webhookPassword, responseKey }
      const basic = `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`
      accounts.set(basic, { ...credentials, storeId, webhookUrl: `${serviceUrl}/webhook/juspay` })
      return credentials
    },
    settleLater: async (outcome, storeId) => {
      for (const order of ordersOf(storeId)) {
        if (order.status !== 'AUTHORIZING') continue
        order.status = outcome === 'success' ? 'CHARGED' : 'AUTHORIZATION_FAILED'
        await report(order, outcome === 'success' ? 'ORDER_SUCCEEDED' : 'ORDER_FAILED')
      }
    },
    settleRefunds: async (outcome, storeId) => {
      const status = outcome === 'succeeded' ? 'SUCCESS' : 'FAILURE'
      for (const order of ordersOf(storeId)) {
        for (const made of order.refunds) {
          if (made.status === status || (made.status === 'FAILURE' && outcome === 'succeeded')) continue
          made.status = status
          await report(order, outcome === 'succeeded' ? 'ORDER_REFUNDED' : 'ORDER_REFUND_FAILED')
        }
      }
    },
    refundInDashboard: async (minor, reference) => {
      const { status } = await refund(findPaid(reference), randomBytes(8).toString('hex'), minor / 100)
      if (status !== 200) throw new Error('The refund was refused.')
    },
    dispute: (state, reference) => report(findPaid(reference), `ORDER_CHARGEBACK_${state.toUpperCase()}`),
    ledger: (storeId) =>
      ordersOf(storeId).map(({ request, status, refunds }) => ({
        reference: String(request.order_id),
        takenMinor: status === 'CHARGED' ? minorOf([{ amount: Number(request.amount) }]) : 0,
        returnedMinor: minorOf(refunds.filter((made) => made.status === 'SUCCESS')),
      })),
    taken: () =>
      minorOf(
        [...orders.values()]
          .filter(({ status }) => status === 'CHARGED')
          .map(({ request }) => ({ amount: Number(request.amount) })),
      ),
    returned: () =>
      minorOf([...orders.values()].flatMap(({ refunds }) => refunds).filter(({ status }) => status === 'SUCCESS')),
    payable: () => [...orders.values()].filter(({ status, expiry }) => status !== 'CHARGED' && expiry > now()).length,
  }
}

const sumOf = (rows: readonly { amount: number }[]) => rows.reduce((sum, { amount }) => sum + amount, 0)
/** Tests pay in currencies with two decimals. */
const minorOf = (rows: readonly { amount: number }[]) => Math.round(sumOf(rows) * 100)

const remainderOf = ({ request, refunds }: Pick<Order, 'request' | 'refunds'>) =>
  Number(request.amount) - sumOf(refunds.filter(({ status }) => status !== 'FAILURE'))

const refused = (code: string, message: string): DoubleAnswer => ({
  status: 400,
  body: {
    ...{ status: 'error', error_code: code, error_message: message },
    error_info: { code, category: 'USER_ERROR', developer_message: message, user_message: message, fields: [] },
  },
})

const readJson = (text: string): Fields => {
  try {
    return toFields(JSON.parse(text))
  } catch {
    return {}
  }
}

/** Requests carry amounts as texts. */
const readAmount = (amount: unknown) =>
  typeof amount === 'string' && /^\d+(\.\d{1,3})?$/.test(amount) ? Number(amount) : Number.NaN

const sessionFields =
  /^(order_id|amount|currency|customer_(id|email|phone)|mobile_country_code|payment_page_client_id|action|return_url|description|udf([1-9]|10))$/

const findWrongField = (account: Account, request: Fields): string | null => {
  const surplus = Object.keys(request).find((name) => !sessionFields.test(name))
  if (surplus !== undefined) return surplus
  const { order_id: orderId, amount, currency, action, return_url: back } = request
  const checks: [name: string, isRight: boolean][] = [
    ['order_id', typeof orderId === 'string' && /^[A-Za-z0-9]{1,17}$/.test(orderId) && !/^\d+$/.test(orderId)],
    ['amount', readAmount(amount) > 0],
    ['currency', typeof currency === 'string' && /^[A-Z]{3}$/.test(currency)],
    ['payment_page_client_id', request.payment_page_client_id === account.clientId],
    ['action', action === 'paymentPage'],
    ['return_url', typeof back === 'string' && URL.canParse(back) && !/[?#]/.test(back)],
    ['customer_phone', request.customer_phone === undefined || /^\d{10}$/.test(String(request.customer_phone))],
    ['udf', [1, 2, 3, 4, 5].every((number) => /^[A-Za-z0-9 ]*$/.test(String(request[`udf${number}`] ?? '')))],
  ]
  return checks.find(([, isRight]) => !isRight)?.[0] ?? null
}

const showRefund = ({ requestId, amount, status }: Refund) => ({
  ...{ id: `refund_${requestId}`, unique_request_id: requestId, amount, status, ref: null, sent_to_gateway: true },
  ...{
    initiated_by: 'API',
    refund_type: 'STANDARD',
    error_message: status === 'FAILURE' ? 'The bank refused it.' : '',
  },
})

/** With the signature of a dashboard that has a response key. */
const returnAddress = ({ account, request, status }: Order) => {
  const values = { order_id: String(request.order_id), status, status_id: String(statusIds[status]) }
  const signed = encodeURIComponent(new URLSearchParams(Object.entries(values).sort()).toString()).replaceAll(
    '%20',
    '+',
  )
  const signature = createHmac('sha256', account.responseKey).update(signed).digest('base64')
  return `${request.return_url}?${new URLSearchParams({ ...values, signature, signature_algorithm: 'HMAC-SHA256' })}`
}
