import { once } from 'node:events'
import { type Agent, createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { address, eventOf } from './buying-scripts.ts'
import type { SellingStore } from './selling-store.ts'

/** Receives the messages with one-time passwords, with the settings of a service that sends them there. */
export const openPhones = async () => {
  const waiting = new Map<string, (code: string) => void>()
  const server = createServer(async (message, response) => {
    const { phone, code } = (await json(message)) as { phone: string; code: string }
    response.end()
    waiting.get(phone)?.(code)
    waiting.delete(phone)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    settings: {
      VITRINE_SMS_SENDER: 'http',
      VITRINE_SMS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      VITRINE_SMS_SECRET: 'a secret that only this run has, of 32 characters',
    },
    codeFor: (phone: string) => new Promise<string>((resolve) => waiting.set(phone, resolve)),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

export type Phones = Awaited<ReturnType<typeof openPhones>>

/** Sends a POST request and throws if it is not answered with success. */
type Post = (
  path: string,
  headers: Record<string, string>,
  body: object,
) => Promise<{ content: OrderAnswer; headers: NodeJS.Dict<string | string[]> }>

export type OrderAnswer = {
  requestToken: string
  token: string
  order: { id: string; total: number }
  paymentId: string
}

export type Seller = { key: string; publicId: string; webhookLogin: string; phones: Phones }

/** One journey from an empty cart to a paid order: seven calls. Returns the order's ID and its customer's credentials. */
export const buyOnce = async (
  post: Post,
  { key, publicId, webhookLogin, phones }: Seller,
  line: { variantId: string; productId: string },
  n: number,
) => {
  const phone = `+9198${String(10_000_000 + n)}`
  const caller = { 'x-store-key': key }
  const { headers: guest } = await post('/v1/cart', caller, { ...line, quantity: 1 })
  const arrived = phones.codeFor(phone)
  const { requestToken } = (await post('/v1/auth/otp/request', caller, { phone })).content
  const otp = await arrived
  const { token } = (await post('/v1/auth/otp/verify', caller, { phone, otp, requestToken })).content
  const customer = { ...caller, authorization: `Bearer ${token}` }
  const claiming = { ...customer, 'x-guest-token': String(guest['x-guest-token']) }
  await post(`/v1/cart/${guest['x-cart-id']}/claim`, claiming, {})
  const { order } = (await post('/v1/checkout', customer, { shippingAddress: address })).content
  const { paymentId } = (await post('/v1/payment', customer, { orderId: order.id })).content
  const paid = eventOf({ id: order.id, payment: paymentId, minor: Math.round(order.total * 100) })
  await post('/webhook/payment', { authorization: webhookLogin, 'x-store-id': publicId }, paid)
  return { orderId: order.id, customer }
}

/** Returns a function that buys one product, another one each time, for a new customer. Not for the first `before` ones. */
export const makeBuyer = async (
  { service, key, store, webhookLogin, query }: SellingStore,
  phones: Phones,
  agent: Agent,
  before = 0,
) => {
  const post = async (path: string, headers: Record<string, string>, body: object) => {
    const text = JSON.stringify(body)
    const length = String(Buffer.byteLength(text))
    const sent = request(`${service.url}${path}`, {
      ...{ agent, method: 'POST' },
      headers: { ...headers, 'content-type': 'application/json', 'content-length': length },
    })
    sent.end(text)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    const content = (await json(answer)) as OrderAnswer
    const { statusCode = 0 } = answer
    if (statusCode >= 300) throw new Error(`POST ${path}: ${statusCode} ${JSON.stringify(content)}`)
    return { content, headers: answer.headers }
  }
  const variants = (await query(
    'select id as "variantId", product_id as "productId" from variant where store_id = $1 limit 5000',
    [store.id],
  )) as { variantId: string; productId: string }[]
  const seller = { key, publicId: store.publicId, webhookLogin, phones }
  let bought = before
  return async () => {
    bought++
    const line = variants[bought % variants.length]
    if (line === undefined) throw new Error('the store has no variants')
    await buyOnce(post, seller, line, bought)
  }
}
