import assert from 'node:assert/strict'
import { jsonBody, newStaff } from '../../../test/admin-callers.ts'
import { newStore, type TestService } from '../../../test/harness.ts'
import type { Queries } from '../../db/database.ts'
import { basic } from '../payments/fixture.ts'
import { refundOrderById } from '../payments/refunds.ts'

/** Every place of the database that holds one of the texts, as `table.column: value`. */
export const findInDatabase = async (db: Queries, texts: readonly string[]): Promise<string[]> => {
  const columns = await db.many<{ name: string; column: string; type: string }>`
    select c.table_name as name, c.column_name as column, c.data_type as type from information_schema.columns c
    join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
      and c.data_type in ('text', 'character varying', 'json', 'jsonb', 'bytea', 'ARRAY')`
  assert.ok(columns.length > 100)
  const found: string[] = []
  for (const { name, column, type } of columns) {
    const value = type === 'bytea' ? `encode("${column}", 'escape')` : `"${column}"::text`
    const statement = `select ${value} as value from "${name}" where ${texts
      .map((_, i) => `position($${i + 1} in lower(${value})) > 0`)
      .join(' or ')} limit 3`
    // A statement whose text is made here has no values between its parts.
    const rows = await runText<{ value: string }>(db, statement, texts)
    found.push(...rows.map((row) => `${name}.${column}: ${row.value.slice(0, 300)}`))
  }
  return found
}

/** Sends a statement that is not known before the test runs. */
const runText = <Row>(db: Queries, statement: string, values: readonly string[]): Promise<Row[]> => {
  const parts = statement.split(/\$\d+/)
  const used = [...statement.matchAll(/\$(\d+)/g)].map(([, n]) => values[Number(n) - 1])
  return db.many<Row>(Object.assign([...parts], { raw: parts }) as unknown as TemplateStringsArray, ...used)
}

/** What must be gone: every value that the customer below has typed somewhere, in lower case. */
export const personalTexts = [
  ...['kavya', 'first-kavya@post.example', 'kavya@post.example', 'kavya@upi', '9876512345', '98765 12345'],
  ...['saffron villa', 'blue gate', 'mahalaxmi', '411099', 'gift for my aunt', 'visa-4477', 'secret crush'],
]

const address = {
  ...{ name: 'Kavya Deshpande', phone: '+91 98765 12345', line1: 'Saffron Villa 7', line2: 'Floor 2', country: 'IN' },
  ...{ landmark: 'Blue Gate', city: 'Mahalaxmi Nagar', state: 'Maharashtra', postalCode: '411099' },
}

/** A shop, and a customer who has used all of it through the API. */
export const openLife = async (service: TestService, receiverUrl: string | null = null) => {
  const shop = await newStore(service)
  await shop.add({ name: 'Mug', price: 100, stock: 1000 })
  const store = await shop.load()
  const owner = await newStaff(service, shop)
  if (receiverUrl !== null) {
    const made = await owner.inStore('POST', '/webhooks', { url: receiverUrl, types: ['order.*', 'customer.*'] })
    assert.equal(made.status, 201, made.text)
  }
  let token = ''
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const sent = body === undefined ? { headers: {} } : jsonBody(body)
    const session: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` }
    return service.call(path, {
      method,
      ...sent,
      headers: { 'x-store-key': shop.key, ...session, ...sent.headers, ...headers },
    })
  }
  const must = async (...request: Parameters<typeof call>) => {
    const { status, json, text } = await call(...request)
    assert.ok(status < 300, `${request[0]} ${request[1]}: ${text}`)
    return json
  }
  const signUp = {
    ...{ name: 'Kavya Deshpande', email: 'First-Kavya@post.example', phone: '+91 98765 12345' },
    password: 'a long password',
  }
  const made = await must('POST', '/v1/signup', signUp)
  token = made.token
  const customerId: string = made.user.id
  const productId: string = (await must('GET', '/v1/products?limit=1'))[0].id

  const order = async (headers: Record<string, string> = {}): Promise<{ id: string; total: number }> => {
    await must('POST', '/v1/cart', { productId, quantity: 1 })
    const note = 'Gift for my aunt'
    const body = { shippingAddress: address, billingAddress: address, note, paymentMethod: 'online' }
    return (await must('POST', '/v1/checkout', body, headers)).order
  }
  const sendPayment = (body: Record<string, unknown>) => {
    const { username, password } = shop.paymentWebhook
    const headers = { authorization: basic(username, password), 'x-store-id': shop.storeId }
    return service.call('/webhook/payment', {
      method: 'POST',
      ...jsonBody(body),
      headers: { ...headers, 'content-type': 'application/json' },
    })
  }
  const report = ({ id, total }: { id: string; total: number }, more: Record<string, unknown> = {}) =>
    sendPayment({
      ...{ eventId: `evt-${id}-${Math.random()}`, orderId: id, status: 'success', amount: total, currency: 'INR' },
      ...{ method: 'upi', last4: '', upiId: 'kavya@upi', reference: 'r', payer: { email: 'kavya@post.example' } },
      ...more,
    })
  const sendDelivery = (body: Record<string, unknown>) =>
    service.call('/webhook/logistics/carrier', {
      method: 'POST',
      ...jsonBody(body),
      headers: { 'x-api-key': shop.logisticsKey, 'content-type': 'application/json' },
    })
  const deliver = ({ id }: { id: string }) =>
    sendDelivery({ eventId: `dlv-${id}`, orderId: id, status: 'delivered', partner: 'Bluebird' })
  const refund = ({ id }: { id: string }, reason: string) => refundOrderById(service.app.services, id, { reason })
  const erase = () => owner.inStore('DELETE', `/customers/${customerId}`)
  return {
    ...{ shop, store, owner, customerId, productId, call, must, order, report, sendPayment, sendDelivery, deliver },
    ...{ refund, erase },
  }
}

export type Life = Awaited<ReturnType<typeof openLife>>

/** Everything that leaves traces. */
export const liveFully = async (life: Life) => {
  const { owner, customerId, productId, must, call, order, report } = life
  await must('PATCH', '/v1/customer', { email: 'kavya@post.example', currentPassword: 'a long password' })
  await must('POST', '/v1/customer/addresses', { ...address, label: 'Secret crush' })
  await must('POST', '/v1/wishlist', { productId })
  await must('POST', '/v1/auth/password/forgot', { email: 'kavya@post.example' })
  await must('POST', '/v1/auth/otp/request', { phone: '+919876512345' })
  await must('POST', '/v1/auth/otp/request', { email: 'kavya@post.example' })
  await call('POST', '/v1/signin', { email: 'kavya@post.example', password: 'a wrong password' })
  const delivered = await order({ 'idempotency-key': 'key-1' })
  assert.equal((await report(delivered)).status, 200)
  const refunded = await order()
  assert.equal((await report(refunded)).status, 200)
  assert.equal((await life.refund(refunded, 'Kavya did not like it')).status, 'succeeded')
  assert.equal((await life.deliver(delivered)).status, 200)
  for (const [path, body] of [
    [`/orders/${delivered.id}/notes`, { text: 'Kavya wants it wrapped.' }],
    [`/orders/${delivered.id}/invoice`, { taxId: '29KAVYA1234A1Z5' }],
  ] as const) {
    const answer = await owner.inStore('POST', path, body)
    assert.ok(answer.status < 300, answer.text)
  }
  const cancelled = await order()
  await must('POST', `/v1/customer/orders/${cancelled.id}/cancel`)
  // Nothing is known by these, and both are kept for the operator.
  await life.sendPayment({ eventId: 'lost', orderId: 'ord_unknown', status: 'success', email: 'kavya@post.example' })
  await life.sendPayment({
    eventId: 'spoilt',
    status: 7,
    contact: '+919876512345',
    card: 'visa-4477 kavya@post.example',
  })
  await life.sendDelivery({
    eventId: 'd-lost',
    trackingNumber: 'none',
    status: 'delivered',
    partner: '+91 98765 12345',
  })
  await must('POST', '/v1/cart', { productId, quantity: 3 })
  await owner.inStore('PATCH', `/customers/${customerId}`, { name: 'Kavya D.', phone: '+919876512345' })
  await owner.inStore('POST', `/customers/${customerId}/notes`, { text: 'Kavya calls often.' })
  return { delivered, refunded, cancelled }
}
