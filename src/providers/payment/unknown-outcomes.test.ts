import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type DoubleAnswer, type DoubleRequest, startDouble } from '../../../test/doubles/double.ts'
import { doubles } from '../../../test/doubles/doubles.ts'
import { minutes, seconds } from '../../core/clock.ts'
import { ProviderRefused, ProviderUnavailable } from '../http.ts'
import { createJuspay } from './juspay.ts'
import type { Charge } from './provider.ts'
import { ProviderRecordMissing } from './provider.ts'
import { createRazorpay } from './razorpay.ts'
import { createStripe } from './stripe.ts'

const account = { storeId: 'store_1', credentials: {} }
const payment = {
  ...{ paymentId: 'pay_1', reference: 'v1', transaction: 'pi_1', orderId: 'ord_1' },
  ...{ amountMinor: 5000, currency: 'INR' },
}
const refund = { refundId: 'ref_1', reference: null, amountMinor: 2000, isMade: false, isRepeated: false }
const charge: Charge = {
  ...{ ...payment, reference: null, transaction: null, orderNumber: 1001, storeName: 'Kavya' },
  ...{ returnUrl: 'https://shop.example/back', expiresAt: new Date(Date.now() + minutes(31)) },
  customer: { id: 'cus_1', name: '', email: '', phone: '' },
}
const within = () => AbortSignal.timeout(5000)
const noRetry = { 'stripe-should-retry': 'false' }
const replayed = { 'idempotent-replayed': 'true' }

const answering = async (t: TestContext, api: (request: DoubleRequest) => DoubleAnswer) => {
  const double = await startDouble({ api })
  t.after(() => double.close())
  return double
}

const nothingFound = { status: 200, body: {} }

for (const create of [createStripe, createRazorpay, createJuspay]) {
  const { name } = create('')

  test(`${name}: an answer that leaves the outcome unknown never fails a refund or refuses a session`, async (t) => {
    let status = 0
    const double = await answering(t, ({ method }) =>
      method === 'GET' ? nothingFound : { status, headers: noRetry, body: { error: { message: 'Later.' } } },
    )
    const provider = create(double.url)
    for (status of [302, 408, 409, 424, 425, 429, 500, 503]) {
      await assert.rejects(provider.refund(account, payment, refund, within()), ProviderUnavailable, `${status}`)
      await assert.rejects(provider.start(account, charge, within()), ProviderUnavailable, `${status}`)
    }
    for (status of [401, 403]) {
      await assert.rejects(provider.refund(account, payment, refund, within()), ProviderRefused, `${status}`)
    }
    for (status of [400, 402, 404]) {
      const result = await provider.refund(account, payment, refund, within())
      assert.deepEqual([result.status, result.isRefused], ['failed', true], `${status}`)
    }
  })

  test(`${name}: a refund that the provider does not list does not count as an outage`, async (t) => {
    const double = await answering(t, () => nothingFound)
    const made = { ...refund, reference: 're_1', isMade: true, isRepeated: true }
    await assert.rejects(create(double.url).refund(account, payment, made, within()), ProviderRecordMissing)
  })
}

for (const create of [createStripe, createRazorpay]) {
  const { name } = create('')

  test(`${name}: a payment without a transaction does not count as an outage`, async (t) => {
    const double = await answering(t, () => nothingFound)
    const unpaid = { ...payment, transaction: null }
    await assert.rejects(create(double.url).refund(account, unpaid, refund, within()), ProviderRecordMissing)
  })
}

/** Stripe that makes a refund with each new key and answers with `answers` in turn. */
const openStripe = async (t: TestContext, { isMade = true }, ...answers: DoubleAnswer[]) => {
  const keys: unknown[] = []
  const refunds: unknown[] = []
  const double = await answering(t, ({ method, headers }) => {
    if (method === 'GET') return { status: 200, body: { data: refunds } }
    const key = headers['idempotency-key']
    const made = { id: `re_${keys.length}`, status: 'succeeded', metadata: { refundId: 'ref_1' } }
    if (isMade && !keys.includes(key)) refunds.push(made)
    keys.push(key)
    return answers.shift() ?? { status: 200, body: made }
  })
  return { keys, refunds, refund: () => createStripe(double.url).refund(account, payment, refund, within()) }
}

const failure = { status: 500, body: { error: { type: 'api_error' } } }

test('stripe: a refund that took effect despite a remembered server error is not made again', async (t) => {
  const stripe = await openStripe(t, {}, { ...failure, headers: replayed })
  assert.deepEqual([(await stripe.refund()).status, stripe.refunds.length], ['succeeded', 1])
  assert.deepEqual(stripe.keys, ['refund-ref_1'])
})

test('stripe: a refund that a remembered server error has prevented is made with the next key', async (t) => {
  const stripe = await openStripe(t, { isMade: false }, { ...failure, headers: replayed })
  assert.equal((await stripe.refund()).status, 'succeeded')
  assert.deepEqual(stripe.keys, ['refund-ref_1', 'refund-ref_1-2'])
})

test('stripe: a refusal counts only if no refund is listed', async (t) => {
  const stripe = await openStripe(t, {}, { status: 400, body: { error: { code: 'charge_already_refunded' } } })
  assert.equal((await stripe.refund()).status, 'succeeded')
})

for (const [title, answer] of [
  ['in use', { status: 409, body: { error: { type: 'idempotency_error', code: 'idempotency_key_in_use' } } }],
  ['known with another request', { status: 400, body: { error: { type: 'idempotency_error' } } }],
] as const) {
  test(`stripe: a refund keeps its key if the key is ${title}`, async (t) => {
    const stripe = await openStripe(t, { isMade: false }, { ...answer, headers: noRetry })
    await assert.rejects(stripe.refund(), ProviderUnavailable)
    assert.deepEqual(stripe.keys, ['refund-ref_1'])
  })
}

test('stripe: the shortest session is long enough although it ends on a whole second', async (t) => {
  const stripe = doubles.find(({ name }) => name === 'stripe')
  assert.ok(stripe)
  const nowMs = Math.floor(Date.now() / 1000) * 1000 + 999
  // The request may take a while.
  const double = await stripe.start({ now: () => nowMs + seconds(10) })
  t.after(() => double.close())
  const provider = stripe.createProvider(double.url)
  const credentials = double.openAccount('https://shop.example', 'store_1')
  const expiresAt = new Date(nowMs + provider.minSessionMs)
  const { redirectUrl } = await provider.start({ ...account, credentials }, { ...charge, expiresAt }, within())
  assert.ok(redirectUrl.startsWith(double.url))
})
