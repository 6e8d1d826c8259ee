import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { startTracing } from '../src/core/tracing.ts'
import { address, openShop } from '../src/features/checkout/fixture.ts'
import { createEndpoint } from '../src/features/outgoing-webhooks/endpoints.ts'
import { startReceiver } from '../src/features/outgoing-webhooks/fixture.ts'
import { openScene } from '../src/features/payments/fixture.ts'
import { newRunner, serviceAlone } from '../src/jobs/fixture.ts'
import { newStore, serviceFor } from './harness.ts'
import { flatten, recordSpans, traceIdOf, treeOf } from './trace-recorder.ts'

let recorded: ReturnType<typeof recordSpans>
before(() => {
  recorded = recordSpans()
})
after(() => {
  recorded.stop()
  startTracing('')
})

/** The spans of the last request with this name, once it has ended. */
const requestOf = async (name: string) => {
  for (let tries = 0; ; tries++) {
    const root = recorded.spans().findLast((span) => span.name === name)
    if (root !== undefined) return treeOf(recorded.spans(), root)
    assert.ok(tries < 500, `there is no ${name} in ${recorded.spans().map((span) => span.name)}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

test('a checkout is one trace: the request, its statements and the call to the payment provider', async (t) => {
  const service = await serviceFor(t)
  const { mug, newBuyer } = await openShop(service)
  const asha = await newBuyer({ productId: mug })
  recorded.reset()
  const { status, text, json } = await asha.checkOut()
  assert.equal(status, 201, text)
  const request = await requestOf('POST /v1/checkout')
  const spans = flatten(request)
  assert.equal(request.span.kind, SpanKind.SERVER)
  assert.equal(request.span.parentSpanContext, undefined)
  assert.equal(request.span.attributes['http.request.method'], 'POST')
  assert.equal(request.span.attributes['http.route'], '/v1/checkout')
  assert.equal(request.span.attributes['http.response.status_code'], 201)
  assert.match(String(request.span.attributes['vitrine.store.id']), /^store_/)
  const names = spans.map((span) => span.name)
  assert.ok(names.includes('payment sandbox'), String(names))
  const insert = spans.find(({ name }) => name === 'INSERT payment')
  assert.ok(insert, String(names))
  assert.equal(insert.kind, SpanKind.CLIENT)
  assert.equal(insert.attributes['db.system.name'], 'postgresql')
  assert.match(String(insert.attributes['db.query.text']), /insert into payment/)
  assert.ok(names.includes('COMMIT'), String(names))
  // Every span of this time belongs to the request, and nothing in them tells about the customer.
  assert.equal(recorded.spans().filter((span) => traceIdOf(span) !== traceIdOf(request.span)).length, 0)
  const written = JSON.stringify(spans.map(({ name, attributes, events, links }) => [name, attributes, events, links]))
  const personal = [address.phone, address.name, address.line1, json.order.id, asha.token, asha.cart.id, mug]
  for (const value of personal) assert.ok(!written.includes(value), `${value} is in ${written}`)
  for (const secret of [/vpk_/, /vsk_/, /@example/]) assert.doesNotMatch(written, secret)
})

test('a payment that is reported by webhook goes on in the trace of the webhook that it causes', async (t) => {
  const { service } = await serviceAlone(t)
  const scene = await openScene(service)
  const receiver = await startReceiver(t)
  const { webhooks } = service.app.services
  await createEndpoint({ db: service.db, store: scene.store, webhooks }, { url: receiver.url, types: ['order.paid'] })
  const ordered = await scene.openOrder()
  recorded.reset()
  await scene.report(ordered)
  const request = await requestOf('POST /webhook/payment')
  assert.ok(
    flatten(request).some(({ name }) => name === 'UPDATE orders'),
    String(flatten(request).map(({ name }) => name)),
  )
  const runner = newRunner(service)
  await runner.runDue()
  assert.deepEqual(runner.failures, [])
  const job = flatten(await requestOf('POST /webhook/payment')).find(({ name }) => name === 'job webhook')
  assert.ok(job)
  assert.deepEqual([traceIdOf(job), job.kind], [traceIdOf(request.span), SpanKind.CONSUMER])
  const sent = treeOf(recorded.spans(), job).children.find(({ name }) => name === 'POST')
  assert.ok(sent)
  assert.equal(sent.span.attributes['http.response.status_code'], 200)
  assert.equal(sent.span.attributes['server.address'], '127.0.0.1')
  const { traceId, spanId } = sent.span.spanContext()
  assert.equal(receiver.received[0]?.headers.traceparent, `00-${traceId}-${spanId}-01`)
  // Work of other kinds has traces of its own.
  const mail = recorded.spans().find(({ name }) => name.startsWith('job mail'))
  assert.ok(mail === undefined || traceIdOf(mail) !== traceIdOf(request.span))
})

const caller = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', baggage: 'name=asha' }

test('the trace of a caller is linked, or continued if the operator trusts all callers', async (t) => {
  for (const incomingTrace of ['link', 'parent'] as const) {
    const service = await serviceFor(t, { incomingTrace })
    const shop = await newStore(service)
    recorded.reset()
    await service.call('/v1/store', { headers: { 'x-store-key': shop.serverKey, ...caller } })
    const { span } = await requestOf('GET /v1/store')
    const isParent = incomingTrace === 'parent'
    assert.equal(traceIdOf(span) === caller.traceparent.split('-')[1], isParent)
    assert.equal(span.parentSpanContext?.spanId, isParent ? 'b7ad6b7169203331' : undefined)
    assert.deepEqual(
      span.links.map((link) => link.context.spanId),
      isParent ? [] : ['b7ad6b7169203331'],
    )
  }
})

test('answers from the cache and refusals have spans too, and a failed statement says no more than its state', async (t) => {
  const service = await serviceFor(t)
  const shop = await newStore(service)
  const headers = { 'x-store-key': shop.serverKey }
  const askForList = async () => {
    recorded.reset()
    await service.call('/v1/products?limit=3', { headers })
    return requestOf('GET /v1/products')
  }
  let cached = await askForList()
  assert.equal(cached.span.attributes['vitrine.cached'], undefined)
  // A busy machine may take longer than an answer is cached.
  for (let tries = 0; tries < 50 && cached.span.attributes['vitrine.cached'] !== true; tries++)
    cached = await askForList()
  assert.deepEqual([cached.span.attributes['vitrine.cached'], cached.children.length], [true, 0])
  await service.call('/v1/orders-of-asha')
  const unknown = await requestOf('GET')
  assert.equal(unknown.span.attributes['http.response.status_code'], 404)
  assert.doesNotMatch(JSON.stringify(unknown.span.attributes), /asha/)
  await service.call('/v1/cart', { headers: { 'x-store-key': 'vsk_wrong' } })
  const refused = await requestOf('GET /v1/cart')
  assert.equal(refused.span.attributes['vitrine.error.code'], 'UNAUTHORIZED')
  assert.equal(refused.span.status.code, SpanStatusCode.UNSET)
})
