import assert from 'node:assert/strict'
import { test } from 'node:test'
import { days, hours, minutes, seconds } from '../../core/clock.ts'
import { signWebhook } from '../../core/webhook-signature.ts'
import { rotateEndpointSecret } from './endpoints.ts'
import { newWebhookScene, startReceiver } from './fixture.ts'

test('an event is sent to each endpoint that subscribes to it, signed with the secret of the endpoint', async (t) => {
  const { service, newShop, runDue } = await newWebhookScene(t)
  const [receiver, other] = [await startReceiver(t), await startReceiver(t)]
  const shop = await newShop()
  const { secret } = await shop.addEndpoint(receiver.url)
  await shop.addEndpoint(other.url, ['product.*', 'order.cancelled', 'stock.low'])
  await (await newShop()).addEndpoint(other.url)
  await shop.record('order.paid', { id: 'ord_1', note: 'grüße' })
  await runDue()
  assert.equal(other.received.length, 0)
  const [delivery] = await shop.deliveries()
  const [request] = receiver.received
  assert.ok(request && delivery)
  const {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
    ...headers
  } = request.headers
  assert.deepEqual(Object.keys(request.json), ['type', 'timestamp', 'storeId', 'sequence', 'data'])
  assert.deepEqual(
    { ...request.json, timestamp: '' },
    {
      ...{ type: 'order.paid', timestamp: '', storeId: shop.storeId, sequence: 1 },
      data: { id: 'ord_1', note: 'grüße' },
    },
  )
  assert.equal(id, delivery.eventId)
  assert.ok(Math.abs(Number(timestamp) * 1000 - service.clock.now()) < 60_000)
  const signed = { id: delivery.eventId, timestampSeconds: Number(timestamp), body: request.text }
  assert.equal(signature, signWebhook([secret], signed))
  assert.deepEqual([headers['content-type'], headers['user-agent']], ['application/json', 'Vitrine/1.2.3'])
  assert.deepEqual([delivery.state, delivery.attempts], ['delivered', 1])
  const { status, error, answer } = delivery.lastAttempt ?? {}
  assert.deepEqual({ status, error, answer }, { status: 200, error: '', answer: 'thanks' })
  await runDue()
  assert.equal(receiver.received.length, 1, 'it is sent once')
})

test('requests to an endpoint share a connection', async (t) => {
  const { newShop, runDue } = await newWebhookScene(t)
  const receiver = await startReceiver(t)
  const shop = await newShop()
  await shop.addEndpoint(receiver.url)
  for (let i = 0; i < 20; i++) await shop.record()
  await runDue()
  assert.equal(receiver.received.length, 20)
  assert.ok(receiver.connections() <= 2, `${receiver.connections()} connections`)
})

test('for a day after a rotation both secrets sign', async (t) => {
  const { service, newShop, runDue } = await newWebhookScene(t)
  const receiver = await startReceiver(t)
  const shop = await newShop()
  const first = await shop.addEndpoint(receiver.url)
  const second = await service.db.tx((tx) => rotateEndpointSecret(tx, shop.ctx, first.id))
  const signedBy = async (...secrets: string[]) => {
    await shop.record()
    await runDue()
    const { headers, text = '' } = receiver.received.at(-1) ?? {}
    const message = {
      ...{ id: String(headers?.['webhook-id']), body: text },
      timestampSeconds: Number(headers?.['webhook-timestamp']),
    }
    assert.equal(headers?.['webhook-signature'], signWebhook(secrets, message))
  }
  await signedBy(second.secret, first.secret)
  service.clock.advance(hours(24) + seconds(1))
  await signedBy(second.secret)
})

test('a second rotation within a day is refused, unless it is forced', async (t) => {
  const { service, newShop } = await newWebhookScene(t)
  const shop = await newShop()
  const { id } = await shop.addEndpoint('http://127.0.0.1:1/')
  const rotate = (options?: { force: boolean }) =>
    service.db.tx((tx) => rotateEndpointSecret(tx, shop.ctx, id, options))
  const { oldSecretUntil } = await rotate()
  assert.ok(oldSecretUntil)
  await assert.rejects(rotate(), { code: 'WEBHOOK_ROTATED', data: { endpointId: id, until: oldSecretUntil } })
  await rotate({ force: true })
  service.clock.advance(hours(24) + seconds(1))
  await rotate()
})

test('a delivery that fails is tried ten times, with the same id and a new time, and is then given up', async (t) => {
  const { service, newShop, runDue, givenUp } = await newWebhookScene(t)
  const receiver = await startReceiver(t)
  receiver.does.respond = (response) => response.writeHead(500).end('no')
  const shop = await newShop()
  const { id: endpointId } = await shop.addEndpoint(receiver.url)
  await shop.record()
  const wait = [seconds(5), minutes(5), minutes(30), hours(2), hours(5), hours(10), hours(14), hours(20), hours(24)]
  await runDue()
  for (const [i, delayMs] of wait.entries()) {
    service.clock.advance(delayMs - seconds(2))
    await runDue()
    assert.equal(receiver.received.length, i + 1, `attempt ${i + 2} is not made early`)
    service.clock.advance(delayMs / 10 + seconds(3))
    await runDue()
    assert.equal(receiver.received.length, i + 2)
  }
  const [delivery] = await shop.deliveries()
  assert.deepEqual([delivery?.state, delivery?.attempts], ['failed', 10])
  assert.equal(new Set(receiver.ids()).size, 1)
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-timestamp'])).size, 10)
  assert.equal(new Set(receiver.received.map(({ text }) => text)).size, 1)
  assert.deepEqual(givenUp, [
    { storeId: shop.storeId, endpointId, deliveryId: delivery?.id, eventId: delivery?.eventId },
  ])
})

test('only a status from 200 to 299 is a success, and a redirect is not followed', async (t) => {
  const { newShop, runDue } = await newWebhookScene(t)
  const [receiver, elsewhere] = [await startReceiver(t), await startReceiver(t)]
  for (const status of [200, 201, 204, 299, 300, 301, 302, 304, 307, 308, 400, 401, 404, 429, 500, 503]) {
    receiver.does.respond = (response) => response.writeHead(status, { location: elsewhere.url }).end()
    const shop = await newShop()
    await shop.addEndpoint(receiver.url)
    await shop.record()
    await runDue()
    const [delivery] = await shop.deliveries()
    assert.equal(delivery?.lastAttempt?.status, status)
    assert.equal(delivery?.state, status < 300 ? 'delivered' : 'waiting', String(status))
    if (status >= 300 && status < 400) assert.match(delivery?.lastAttempt?.error ?? '', /Redirects are not followed/)
  }
  assert.equal(elsewhere.received.length, 0)
})

test('Retry-After postpones the next attempt', async (t) => {
  const { service, newShop, runDue } = await newWebhookScene(t)
  const receiver = await startReceiver(t)
  const date = new Date(service.clock.now() + minutes(20)).toUTCString()
  for (const [retryAfter, atLeastMs] of [
    ['600', minutes(10)],
    [date, minutes(19)],
    ['86400000', days(1)],
  ] as const) {
    receiver.does.respond = (response) => response.writeHead(503, { 'retry-after': retryAfter }).end()
    const shop = await newShop()
    await shop.addEndpoint(receiver.url)
    await shop.record()
    const before = service.clock.now()
    await runDue()
    const [delivery] = await shop.deliveries()
    const delayMs = (delivery?.nextAt.getTime() ?? 0) - before
    assert.ok(delayMs >= atLeastMs && delayMs <= atLeastMs * 1.2, `${retryAfter}: ${delayMs / 1000} s`)
  }
})

test('what went wrong is noted in words, and the answer up to 1 kB as valid text', async (t) => {
  const { newShop, runDue } = await newWebhookScene(t, { webhooks: { callLimitMs: 300 } })
  const [receiver, gone] = [await startReceiver(t), await startReceiver(t)]
  await gone.close()
  const shop = await newShop()
  const lastAttempt = async (url: string) => {
    const { id } = await shop.addEndpoint(url)
    await shop.record()
    await runDue()
    return (await shop.deliveries()).find(({ endpointId }) => endpointId === id)?.lastAttempt
  }
  receiver.does.respond = (response) => response.end(`a\0b\ud83d${'क'.repeat(1000)}`)
  const answer = (await lastAttempt(receiver.url))?.answer ?? ''
  assert.match(answer, /^a\ufffdb\ufffdक+$/u)
  assert.ok(Buffer.byteLength(answer) > 1000 && Buffer.byteLength(answer) <= 1030)
  receiver.does.respond = (response) => response.end('x'.repeat(1_000_000))
  assert.deepEqual((await lastAttempt(receiver.url))?.answer, 'x'.repeat(1024))
  receiver.does.respond = (response) => void response.write('never ends')
  assert.match((await lastAttempt(receiver.url))?.error ?? '', /no answer within 0.3 seconds/)
  receiver.does.respond = () => {}
  assert.match((await lastAttempt(receiver.url))?.error ?? '', /no answer within 0.3 seconds/)
  receiver.does.respond = (response) => response.destroy()
  assert.match((await lastAttempt(receiver.url))?.error ?? '', /closed without an answer/)
  assert.match((await lastAttempt(gone.url))?.error ?? '', /connection was refused/)
  assert.match((await lastAttempt(receiver.url.replace('http', 'https')))?.error ?? '', /The request failed: .*SSL/i)
})

test('an address is checked at every attempt', async (t) => {
  const answers = ['93.184.216.34']
  const { service, newShop, runDue } = await newWebhookScene(t, {
    webhooks: {
      production: true,
      resolve: async () => [{ address: answers.shift() ?? '127.0.0.1', family: 4 }],
    },
  })
  const shop = await newShop()
  const { id } = await shop.addEndpoint('https://shop.example/hook')
  await shop.record()
  await runDue()
  const [delivery] = await shop.deliveries()
  const { status, error } = delivery?.lastAttempt ?? {}
  assert.deepEqual([delivery?.state, status, error], ['waiting', null, 'The host is not on the public internet.'])
  assert.ok((await shop.endpoint(id)).failingSince)
  service.clock.advance(seconds(6))
  await runDue()
  assert.equal((await shop.deliveries())[0]?.attempts, 2)
})

test('name servers that do not answer are not held against the endpoint', async (t) => {
  let code = ''
  const { newShop, runDue } = await newWebhookScene(t, {
    webhooks: {
      production: true,
      resolve: async () => {
        if (code !== '') throw Object.assign(new Error(code), { code })
        return [{ address: '93.184.216.34', family: 4 }]
      },
    },
  })
  for (const fault of ['ETIMEOUT', 'ESERVFAIL', 'ECONNREFUSED']) {
    const shop = await newShop()
    code = ''
    const { id } = await shop.addEndpoint('https://shop.example/hook')
    code = fault
    await shop.record()
    await runDue()
    const [delivery] = await shop.deliveries()
    assert.deepEqual([delivery?.state, delivery?.lastAttempt?.error], ['waiting', 'The name servers do not answer.'])
    assert.equal((await shop.endpoint(id)).failingSince, null, fault)
  }
})

test('an event that cannot be shown is reported, tried again, and not held against the endpoint', async (t) => {
  let isBroken = true
  const { service, newShop, newRunner, runDue } = await newWebhookScene(t, {
    webhooks: {
      showEvent: (_store, { data }) => {
        if (isBroken) throw new Error('no such column')
        return data
      },
    },
  })
  const receiver = await startReceiver(t)
  const shop = await newShop()
  const { id } = await shop.addEndpoint(receiver.url)
  await shop.record()
  const runner = newRunner()
  await runner.runDue()
  assert.deepEqual(runner.failures, ['webhook: no such column'])
  assert.equal((await shop.endpoint(id)).failingSince, null)
  isBroken = false
  service.clock.advance(seconds(6))
  await runDue()
  assert.equal(receiver.received.length, 1)
})

test('without the secret of the service nothing is sent, and the reason is noted', async (t) => {
  const { newShop, runDue, service } = await newWebhookScene(t, {
    webhooks: { secrets: ['another secret that is long enough to be one'] },
  })
  const receiver = await startReceiver(t)
  const shop = await newShop()
  const { id } = await shop.addEndpoint(receiver.url)
  await service.db.run`update webhook_endpoint set secret = 'v1.AAAA' where id = ${id}`
  await shop.record()
  await runDue()
  assert.match((await shop.deliveries())[0]?.lastAttempt?.error ?? '', /secret of the endpoint cannot be read/)
  assert.equal(receiver.received.length, 0)
})
