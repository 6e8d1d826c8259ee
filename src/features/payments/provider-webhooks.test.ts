import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { doubles } from '../../../test/doubles/doubles.ts'
import { openDouble } from '../../../test/doubles/fixture.ts'
import { choose, type PaymentDouble } from '../../../test/doubles/payment-double.ts'
import { assertError, callUrl } from '../../../test/harness.ts'
import { minutes } from '../../core/clock.ts'
import { newId } from '../../core/ids.ts'
import { changePaymentAccount } from './accounts.ts'
import { basic } from './fixture.ts'

type Credentials = Record<string, string>
type Json = Record<string, unknown>
type Format = {
  /** The credential that proves an event, and the headers that prove a body. */
  secret: string
  prove: (credentials: Credentials, body: string, nowMs: number) => Record<string, string>
  isSigned: boolean
  paidEvent: string
  amount: string[]
  currency: string[]
  type: string[]
  /** Turns the event of a success into one of a type that is not known. */
  obscure: (event: Json) => void
  /** And into one of a failure. */
  fail: (event: Json) => void
}

const hmac = (secret: string | undefined, text: string) =>
  createHmac('sha256', secret ?? '')
    .update(text)
    .digest('hex')

const formats: Record<PaymentDouble['name'], Format> = {
  stripe: {
    secret: 'webhookSecret',
    prove: ({ webhookSecret }, body, nowMs) => {
      const time = Math.floor(nowMs / 1000)
      return { 'stripe-signature': `t=${time},v1=${hmac(webhookSecret, `${time}.${body}`)}` }
    },
    isSigned: true,
    paidEvent: 'checkout.session.completed',
    amount: ['data', 'object', 'amount_total'],
    currency: ['data', 'object', 'currency'],
    type: ['type'],
    obscure: (event) => put(event, ['type'], 'moon.phase'),
    fail: (event) => {
      event.type = 'checkout.session.async_payment_failed'
      put(event, ['data', 'object', 'payment_status'], 'unpaid')
    },
  },
  razorpay: {
    secret: 'webhookSecret',
    prove: ({ webhookSecret }, body) => ({
      ...{ 'x-razorpay-signature': hmac(webhookSecret, body), 'x-razorpay-event-id': hmac('id', body) },
    }),
    isSigned: true,
    paidEvent: 'payment_link.paid',
    amount: ['payload', 'payment_link', 'entity', 'amount_paid'],
    currency: ['payload', 'payment_link', 'entity', 'currency'],
    type: ['event'],
    obscure: (event) => put(event, ['event'], 'moon.phase'),
    fail: (event) => {
      event.event = 'payment.failed'
      put(event, ['payload', 'payment', 'entity', 'status'], 'failed')
    },
  },
  juspay: {
    secret: 'webhookPassword',
    prove: ({ webhookUsername = '', webhookPassword = '', storeId = '' }) => ({
      ...{ authorization: basic(webhookUsername, webhookPassword), 'x-store-id': storeId },
    }),
    isSigned: false,
    paidEvent: 'ORDER_SUCCEEDED',
    amount: ['content', 'order', 'amount'],
    currency: ['content', 'order', 'currency'],
    type: ['event_name'],
    // The status of the order decides, whatever the name of the event is.
    obscure: (event) => {
      event.event_name = 'MOON_PHASE'
      put(event, ['content', 'order', 'status'], 'FULL_MOON')
      put(event, ['content', 'order', 'status_id'], 99)
    },
    fail: (event) => {
      event.event_name = 'ORDER_FAILED'
      put(event, ['content', 'order', 'status'], 'AUTHORIZATION_FAILED')
      put(event, ['content', 'order', 'status_id'], 27)
    },
  },
}

const put = (event: Json, [name = '', ...rest]: readonly string[], value: unknown): void => {
  if (rest.length === 0) event[name] = value
  else put(event[name] as Json, rest, value)
}

/** An unpaid order, and events about it as its provider would send them. */
const openUnpaid = async (t: TestContext, chosen: (typeof doubles)[number]) => {
  const { name } = chosen
  const format = formats[name]
  const { double, service, openShop } = await openDouble(t, chosen)
  const shop = await openShop()
  const paid = await shop.order()
  await choose(paid.page, 'pay')
  const model = double.delivered.find(({ body }) => body.includes(`"${format.paidEvent}"`))
  assert.ok(model)
  const order = await shop.order()
  const referenceOf = async (paymentId: string) =>
    (await service.db.one<{ reference: string }>`select reference from payment where id = ${paymentId}`).reference
  const names = [
    [paid.id, order.id],
    [paid.payment.id, order.payment.id],
    [await referenceOf(paid.payment.id), await referenceOf(order.payment.id)],
  ] as const
  const transactions = /"(pi|pay|ch)_[0-9a-f]{14,24}"/g
  /** The event that says that the order is paid, with a new id, changed by the test. */
  const event = (change: (event: Json) => void = () => {}): string => {
    const text = names.reduce((body, [from, to]) => body.replaceAll(from, to), model.body)
    const json: Json = JSON.parse(text.replaceAll(transactions, (id) => `${id.slice(0, -8)}00000000"`))
    const random = newId('key')
    if (name === 'razorpay') json.created_at = random
    else json.id = `evt_${random}`
    change(json)
    return JSON.stringify(json)
  }
  const credentials: Credentials = { ...shop.credentials, storeId: shop.storeId }
  const prove = (body: string, more: Credentials = {}, nowMs = service.clock.now()) =>
    format.prove({ ...credentials, ...more }, body, nowMs)
  const post = (body: string | undefined, headers: Record<string, string>) =>
    callUrl(model.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
    })
  /** Outcomes of received events, without what the service has read at the provider by itself. */
  const outcomes = async () =>
    (await shop.inbox()).filter(({ source }) => !source.endsWith(' asked')).map(({ outcome }) => outcome)
  return { format, double, service, openShop, shop, order, event, prove, post, credentials, outcomes }
}

for (const chosen of doubles) {
  const { name } = chosen

  test(`${name}: without its proof an event is 401, and nothing is stored`, async (t) => {
    const { format, service, openShop, shop, order, event, prove, post } = await openUnpaid(t, chosen)
    const other = await openShop()
    const before = (await shop.inbox()).length
    const body = event()
    const genuine = prove(body)
    const [proof = ''] = Object.keys(genuine)
    const attempts: Record<string, [string | undefined, Record<string, string>]> = {
      'no proof': [body, { ...genuine, [proof]: '' }],
      'no headers': [body, {}],
      'a wrong secret': [body, prove(body, { [format.secret]: 'whsec_wrong' })],
      'an empty secret': [body, prove(body, { [format.secret]: '' })],
      "another store's secret": [body, prove(body, { ...other.credentials, storeId: shop.storeId })],
      'a comma as the secret': [body, prove(body, { [format.secret]: ',' })],
    }
    if (format.isSigned) {
      attempts['a changed body'] = [body.replace('INR', 'inr').replace('inr', 'eur'), genuine]
      attempts['a truncated body'] = [body.slice(0, -20), genuine]
      attempts['no body'] = [undefined, genuine]
      attempts['an empty body'] = ['', genuine]
      attempts['a body that is not JSON'] = ['paid!', genuine]
    }
    if (name === 'stripe') {
      attempts['a stale timestamp'] = [body, prove(body, {}, service.clock.now() - minutes(5) - 2000)]
      attempts['a timestamp in the future'] = [body, prove(body, {}, service.clock.now() + minutes(5) + 2000)]
    }
    for (const [what, [sent, headers]] of Object.entries(attempts)) {
      const answer = await post(sent, headers)
      assert.equal(answer.status, 401, `${what}: ${answer.text}`)
      assertError(answer, 401, 'UNAUTHORIZED')
    }
    assert.equal((await shop.inbox()).length, before)
    assert.equal((await order.show()).paymentStatus, 'pending')
  })

  test(`${name}: an authenticated event that does not fit is stored and pays nothing`, async (t) => {
    const { format, shop, order, event, prove, post, outcomes } = await openUnpaid(t, chosen)
    const { amount, currency, type } = format
    const unknownOrder = event().replaceAll(order.id, newId('ord'))
    const deep = '{"a":'.repeat(20_000) + 1 + '}'.repeat(20_000)
    const bodies: [what: string, body: string | undefined, status: number, outcome: string, more?: Credentials][] = [
      ['another amount', event((json) => put(json, amount, 1)), 200, 'mismatch'],
      ['a negative amount', event((json) => put(json, amount, -20_000)), 200, 'mismatch'],
      ['another currency', event((json) => put(json, currency, 'EUR')), 200, 'mismatch'],
      ['no amount', event((json) => put(json, amount, null)), 200, 'malformed'],
      ['a list as the amount', event((json) => put(json, amount, [20_000])), 200, 'malformed'],
      ['no currency', event((json) => put(json, currency, undefined)), 200, 'malformed'],
      ['an unknown order', unknownOrder, 200, 'unknown_order'],
      ['an unknown type', event(format.obscure), 200, 'ignored'],
      ['no type', event((json) => put(json, type, '')), 200, 'malformed'],
      ['an empty object', '{}', 200, 'malformed'],
      ['a truncated body', event().slice(0, -20), 400, 'malformed'],
      ['a body that is not JSON', 'paid!', 400, 'malformed'],
      ['bytes that are not text', '\u0000\uFFFD', 400, 'malformed'],
      ['a list', `[${event()}]`, 400, 'malformed'],
      ['null', 'null', 400, 'malformed'],
      ['a text', '"paid"', 400, 'malformed'],
      ['deep nesting', deep, 400, 'malformed'],
      ['a NUL character', event((json) => put(json, type, 'a\u0000b')), 400, 'malformed'],
      ['an empty body', '', 400, 'malformed'],
      ['another content type', event(), 415, 'malformed', { 'content-type': 'text/plain' }],
    ]
    for (const [what, body, status, outcome, more = {}] of bodies) {
      const before = (await outcomes()).length
      const answer = await post(body, { ...prove(body ?? ''), ...more })
      assert.equal(answer.status, status, `${what}: ${answer.text}`)
      assert.deepEqual((await outcomes()).slice(before), [outcome], what)
      assert.equal((await order.show()).paymentStatus, 'pending', what)
    }
    const before = (await outcomes()).length
    const huge = event((json) => Object.assign(json, { padding: 'x'.repeat(1024 * 1024) }))
    assertError(await post(huge, prove(huge)), 413, 'PAYLOAD_TOO_LARGE')
    assert.equal((await outcomes()).length, before)
    assert.equal((await order.show()).paymentStatus, 'pending')
    assert.deepEqual(await shop.findings(), [])
  })

  test(`${name}: repeated and reordered events never pay twice or undo a payment`, async (t) => {
    const { format, double, service, shop, order, event, prove, post } = await openUnpaid(t, chosen)
    const send = async (body: string) => {
      const answer = await post(body, prove(body))
      assert.equal(answer.status, 200, answer.text)
      return answer.json.duplicate
    }
    const success = event()
    assert.deepEqual(await Promise.all([send(success), send(success)]).then((all) => all.sort()), [false, true])
    assert.equal((await order.show()).paymentStatus, 'paid')
    assert.equal(await send(event()), false, 'another event about the same payment')
    assert.equal(await send(event(format.fail)), false)
    const { paymentStatus, refunds } = await order.show()
    assert.deepEqual([paymentStatus, refunds], ['paid', []])
    const { payments } = await service.db.one<{ payments: number }>`
      select count(*)::integer as payments from payment where order_id = ${order.id}`
    assert.equal(payments, 1)
    assert.equal(double.returned(), 0)
    assert.deepEqual(await shop.findings(), [])
  })

  test(`${name}: a secret is rotated with an overlap, and ends when it is removed`, async (t) => {
    const { format, service, shop, order, event, prove, post, credentials } = await openUnpaid(t, chosen)
    const { secret } = format
    const old = credentials[secret] ?? ''
    const set = async (value: string) => {
      const store = await shop.shop.load()
      await service.db.tx((tx) =>
        changePaymentAccount(tx, service.app.services.payments, store, {
          provider: name,
          credentials: { [secret]: value },
        }),
      )
    }
    const statusWith = async (value: string) => {
      const body = event((json) => put(json, format.amount, 1))
      return (await post(body, prove(body, { [secret]: value }))).status
    }
    await set(`the-new-one, ${old}`)
    assert.deepEqual([await statusWith(old), await statusWith('the-new-one')], [200, 200])
    assert.equal(await statusWith(`the-new-one, ${old}`), 401)
    await set('the-new-one')
    assert.deepEqual([await statusWith(old), await statusWith('the-new-one')], [401, 200])
    const body = event()
    await post(body, prove(body, { [secret]: 'the-new-one' }))
    assert.equal((await order.show()).paymentStatus, 'paid')
  })
}
