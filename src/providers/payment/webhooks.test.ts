import assert from 'node:assert/strict'
import { test } from 'node:test'
import { juspayWebhook } from './juspay-webhook.ts'
import { MalformedEvent, type ProviderAccount, type ProviderWebhook } from './provider.ts'
import { razorpayWebhook } from './razorpay-webhook.ts'
import { stripeWebhook } from './stripe-webhook.ts'

const accountWith = (credentials: Record<string, string>): ProviderAccount => ({ storeId: 'store_1', credentials })
const nowMs = 1_700_000_000_000

const isGenuine = (
  { isGenuine: check }: ProviderWebhook,
  credentials: Record<string, string>,
  headers: Record<string, string>,
  body: string,
  atMs = nowMs,
) => check?.(accountWith(credentials), { headers, rawBody: Buffer.from(body) }, atMs)

const read = (webhook: ProviderWebhook, body: unknown) =>
  webhook.read({ headers: {}, rawBody: Buffer.from(JSON.stringify(body)), body })

test('a Stripe signature counts for its bytes, its time and either of two secrets', () => {
  const body = '{"id":"evt_1","object":"event","type":"checkout.session.completed"}'
  const signature = 'v1=d1e4aa90551919f198c22ba0a9691b35338d4b631d54ce1f1465e93b1d41c430'
  const secrets = { webhookSecret: 'whsec_test_secret' }
  const header = (value: string) => ({ 'stripe-signature': value })
  const right = header(`t=1700000000,${signature}`)
  assert.equal(isGenuine(stripeWebhook, secrets, right, body), true)
  assert.equal(isGenuine(stripeWebhook, { webhookSecret: 'whsec_new, whsec_test_secret' }, right, body), true)
  assert.equal(isGenuine(stripeWebhook, secrets, header(`t=1700000000,v1=00,${signature},v0=1`), body), true)
  assert.equal(isGenuine(stripeWebhook, secrets, right, body, nowMs + 300_000), true)
  const wrong: [name: string, answer: boolean | undefined][] = [
    ['another secret', isGenuine(stripeWebhook, { webhookSecret: 'whsec_other' }, right, body)],
    ['no secret', isGenuine(stripeWebhook, { webhookSecret: '' }, right, body)],
    ['another body', isGenuine(stripeWebhook, secrets, right, `${body} `)],
    ['too old', isGenuine(stripeWebhook, secrets, right, body, nowMs + 301_000)],
    ['from the future', isGenuine(stripeWebhook, secrets, right, body, nowMs - 301_000)],
    ['another time', isGenuine(stripeWebhook, secrets, header(`t=1700000001,${signature}`), body)],
    ['no time', isGenuine(stripeWebhook, secrets, header(signature), body)],
    ['no signature', isGenuine(stripeWebhook, secrets, header('t=1700000000'), body)],
    ['no header', isGenuine(stripeWebhook, secrets, {}, body)],
  ]
  for (const [name, answer] of wrong) assert.equal(answer, false, name)
})

test('a Razorpay signature counts for its bytes and either of two secrets', () => {
  const body = '{"event":"payment_link.paid"}'
  const signature = '55d5937eace5f8afd97472b4ebb7fdaa7c16cf111b85d3892cac15cf80b4eb65'
  const right = { 'x-razorpay-signature': signature }
  assert.equal(isGenuine(razorpayWebhook, { webhookSecret: 'rzp_secret' }, right, body), true)
  assert.equal(isGenuine(razorpayWebhook, { webhookSecret: 'new,rzp_secret' }, right, body), true)
  assert.equal(isGenuine(razorpayWebhook, { webhookSecret: 'other' }, right, body), false)
  assert.equal(isGenuine(razorpayWebhook, { webhookSecret: 'rzp_secret' }, right, `${body}\n`), false)
  assert.equal(isGenuine(razorpayWebhook, { webhookSecret: 'rzp_secret' }, {}, body), false)
  assert.equal(isGenuine(razorpayWebhook, { webhookSecret: '' }, { 'x-razorpay-signature': '' }, body), false)
})

test('Juspay proves itself by a user name and either of two passwords', () => {
  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
  const credentials = { webhookUsername: 'juspay', webhookPassword: 'old,new' }
  for (const sent of ['juspay:old', 'juspay:new']) {
    assert.equal(isGenuine(juspayWebhook, credentials, basic(sent), ''), true)
  }
  for (const sent of ['juspay:', 'juspay:old,new', 'other:old', ':', '']) {
    assert.equal(isGenuine(juspayWebhook, credentials, basic(sent), ''), false, sent)
  }
  assert.equal(isGenuine(juspayWebhook, {}, basic(':'), ''), false, 'an account without credentials')
})

test('Stripe events read as payments, refunds, disputes or neither', () => {
  const event = (type: string, object: unknown) => ({ id: 'evt_1', type, data: { object } })
  const session = {
    ...{ id: 'cs_1', payment_status: 'paid', amount_total: 97_750, currency: 'inr', payment_intent: 'pi_1' },
    ...{
      client_reference_id: 'pay_1',
      metadata: { orderId: 'ord_1', paymentId: 'pay_1' },
      payment_method_types: ['card'],
    },
  }
  const paid = read(stripeWebhook, event('checkout.session.completed', session))
  assert.deepEqual(paid, {
    eventId: 'evt_1',
    type: 'payment',
    names: { orderId: 'ord_1', paymentId: 'pay_1', reference: 'cs_1', transaction: 'pi_1' },
    status: 'success',
    amount: 977.5,
    currency: 'INR',
    instrument: { method: 'card', last4: '', upiId: '', reference: '' },
  })
  const statusOf = (type: string, more: object) => {
    const meaning = read(stripeWebhook, event(type, { ...session, ...more }))
    return meaning.type === 'payment' ? meaning.status : meaning.type
  }
  assert.equal(statusOf('checkout.session.completed', { payment_status: 'unpaid' }), 'pending')
  assert.equal(statusOf('checkout.session.async_payment_succeeded', {}), 'success')
  assert.equal(statusOf('checkout.session.async_payment_succeeded', { payment_status: 'unpaid' }), 'pending')
  assert.equal(statusOf('checkout.session.async_payment_failed', { payment_status: 'unpaid' }), 'failed')
  assert.equal(statusOf('checkout.session.expired', {}), 'other')
  assert.equal(statusOf('payment_intent.payment_failed', {}), 'other', 'the shopper can try again on the same page')
  assert.equal(statusOf('invoice.paid', {}), 'other')
  const yen = read(
    stripeWebhook,
    event('checkout.session.completed', { ...session, amount_total: 500, currency: 'jpy' }),
  )
  assert.equal(yen.type === 'payment' && yen.amount, 500)
  const dinar = read(
    stripeWebhook,
    event('checkout.session.completed', { ...session, amount_total: 1230, currency: 'kwd' }),
  )
  assert.equal(dinar.type === 'payment' && dinar.amount, 1.23)
  const refund = read(
    stripeWebhook,
    event('refund.failed', {
      id: 're_1',
      amount: 100,
      currency: 'inr',
      payment_intent: 'pi_1',
      status: 'failed',
      failure_reason: 'declined',
    }),
  )
  assert.deepEqual(refund.type === 'refund' && refund.refunds, [
    { refundId: null, reference: 're_1', status: 'failed', amount: 1, currency: 'INR', detail: 'declined' },
  ])
  assert.equal(refund.names.transaction, 'pi_1')
  const dispute = read(stripeWebhook, event('charge.dispute.created', { payment_intent: 'pi_1', reason: 'fraudulent' }))
  assert.deepEqual([dispute.type, dispute.names.transaction], ['dispute', 'pi_1'])
})

test('Razorpay events read as payments, refunds, disputes or neither', () => {
  const event = (name: string, payload: Record<string, unknown>) => ({
    event: name,
    payload: Object.fromEntries(Object.entries(payload).map(([kind, entity]) => [kind, { entity }])),
  })
  const link = {
    id: 'plink_1',
    reference_id: 'pay_1',
    status: 'paid',
    amount: 97_750,
    amount_paid: 97_750,
    currency: 'INR',
  }
  const payment = {
    id: 'pay_R1',
    method: 'upi',
    vpa: 'asha@bank',
    notes: { orderId: 'ord_1' },
    acquirer_data: { rrn: '12' },
  }
  const paid = read(razorpayWebhook, event('payment_link.paid', { payment_link: link, payment }))
  assert.deepEqual(paid.names, { orderId: 'ord_1', paymentId: 'pay_1', reference: 'plink_1', transaction: 'pay_R1' })
  assert.ok(paid.type === 'payment')
  assert.deepEqual([paid.status, paid.amount, paid.currency], ['success', 977.5, 'INR'])
  assert.deepEqual(paid.instrument, { method: 'upi', last4: '', upiId: 'asha@bank', reference: '12' })
  const bare = read(razorpayWebhook, event('payment_link.paid', { payment_link: link, payment: { notes: [] } }))
  assert.deepEqual(bare.type === 'payment' && bare.instrument, { method: '', last4: '', upiId: '', reference: '' })
  for (const name of [
    'payment.failed',
    'payment.authorized',
    'payment.captured',
    'order.paid',
    'payment_link.expired',
  ]) {
    assert.equal(read(razorpayWebhook, event(name, { payment })).type, 'other', name)
  }
  const refund = {
    id: 'rfnd_1',
    amount: 100,
    currency: 'INR',
    payment_id: 'pay_R1',
    status: 'processed',
    notes: [],
    receipt: 'ref_1',
  }
  const refunded = read(razorpayWebhook, event('refund.processed', { refund, payment }))
  assert.deepEqual(refunded.type === 'refund' && refunded.refunds, [
    { refundId: 'ref_1', reference: 'rfnd_1', status: 'succeeded', amount: 1, currency: 'INR', detail: '' },
  ])
  const lost = read(razorpayWebhook, event('payment.dispute.lost', { dispute: { payment_id: 'pay_R1' } }))
  assert.deepEqual([lost.type, lost.type === 'dispute' && lost.state], ['dispute', 'lost'])
})

test('Juspay events read as payments, refunds, disputes or neither', () => {
  const event = (name: string, order: unknown) => ({ id: 'evt_V2_1', event_name: name, content: { order } })
  const order = {
    ...{
      order_id: 'vABC',
      udf6: 'ord_1',
      udf7: 'pay_1',
      status: 'CHARGED',
      status_id: 21,
      amount: 977.5,
      currency: 'INR',
    },
    ...{ txn_id: 'm-vABC-1', payment_method_type: 'CARD', card: { last_four_digits: '1111' } },
  }
  const paid = read(juspayWebhook, event('ORDER_SUCCEEDED', order))
  assert.deepEqual(paid.names, { orderId: 'ord_1', paymentId: 'pay_1', reference: 'vabc', transaction: 'm-vABC-1' })
  assert.ok(paid.type === 'payment')
  assert.deepEqual([paid.status, paid.amount, paid.instrument.last4], ['success', 977.5, '1111'])
  const kindOf = (name: string, more: object) => {
    const meaning = read(juspayWebhook, event(name, { ...order, ...more }))
    return meaning.type === 'payment' ? meaning.status : meaning.type
  }
  assert.equal(kindOf('ORDER_FAILED', { status: 'AUTHORIZATION_FAILED', status_id: 27 }), 'failed')
  assert.equal(
    kindOf('ORDER_SUCCEEDED', { status: 'AUTHORIZING', status_id: 28 }),
    'other',
    'the state counts, not the name',
  )
  assert.equal(
    kindOf('ORDER_SUCCEEDED', { status: 'CHARGED', status_id: 27 }),
    'other',
    'a contradiction decides nothing',
  )
  assert.equal(kindOf('ORDER_SUCCEEDED', { status: 'LATER_INVENTED', status_id: 77 }), 'other')
  assert.equal(kindOf('TXN_CREATED', { status: 'NEW', status_id: 10 }), 'other')
  assert.equal(kindOf('ORDER_CHARGEBACK_RECEIVED', {}), 'dispute')
  const refunds = [
    { unique_request_id: 'r1', amount: 10, status: 'SUCCESS' },
    { unique_request_id: 'r2', amount: '5.50', status: 'MANUAL_REVIEW' },
  ]
  const refunded = read(juspayWebhook, event('ORDER_REFUNDED', { ...order, refunds }))
  assert.deepEqual(
    refunded.type === 'refund' && refunded.refunds.map(({ reference, status, amount }) => [reference, status, amount]),
    [
      ['r1', 'succeeded', 10],
      ['r2', 'pending', 5.5],
    ],
  )
})

test('an event without its required fields is malformed, whatever else it holds', () => {
  const bodies: unknown[] = [
    null,
    7,
    'text',
    [],
    {},
    { id: 'evt_1' },
    { type: 'x' },
    { event: [] },
    { id: {}, type: [] },
  ]
  for (const webhook of [stripeWebhook, razorpayWebhook, juspayWebhook]) {
    for (const body of bodies) assert.throws(() => read(webhook, body), MalformedEvent, JSON.stringify(body))
  }
  const paid = { id: 'evt_1', type: 'checkout.session.completed', data: { object: { payment_status: 'paid' } } }
  assert.throws(() => read(stripeWebhook, paid), MalformedEvent)
  assert.throws(() => read(stripeWebhook, { id: 'evt_1', type: 'refund.created', data: {} }), MalformedEvent)
  const link = { payment_link: { entity: { status: 'created', amount_paid: 1, currency: 'INR' } } }
  assert.throws(() => read(razorpayWebhook, { event: 'payment_link.paid', payload: link }), MalformedEvent)
  assert.throws(() => read(razorpayWebhook, { event: 'refund.created' }), MalformedEvent)
  const charged = { id: 'evt_1', event_name: 'ORDER_SUCCEEDED', content: { order: { status: 'CHARGED' } } }
  assert.throws(() => read(juspayWebhook, charged), MalformedEvent)
})
