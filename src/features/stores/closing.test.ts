import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, startTestService, type TestService, withinASecond } from '../../../test/harness.ts'
import { sendCarrierEvent } from '../orders/fixture.ts'
import { openScene } from '../payments/fixture.ts'
import { closeStore } from './stores.ts'

let service: TestService
let other: TestService
before(async () => {
  service = await startTestService()
  other = await startTestService()
})
after(async () => {
  await service.close()
  await other.close()
})

test('a closed store refuses all requests on every instance, and works again when reopened', async () => {
  const { shop, store, asha, addToCart } = await openScene(service)
  const headers = { 'x-store-key': shop.key }
  const paths = ['/v1/products', '/v1/products/mug', '/v1/store', '/v1/cart', '/v1/categories']
  const statuses = async () => {
    const calls = [service, other].flatMap((instance) => paths.map((path) => instance.call(path, { headers })))
    return [...new Set((await Promise.all(calls)).map(({ status }) => status))]
  }
  assert.deepEqual(await statuses(), [200])
  // Repeated, so that the answers come from the cache.
  assert.deepEqual(await statuses(), [200])
  await service.db.tx((tx) => closeStore(tx, store, true))
  assert.ok(await withinASecond(async () => String(await statuses()) === '403'))
  const closed = await service.call('/v1/products', { headers })
  assertError(closed, 403, 'FORBIDDEN')
  assert.equal(closed.json.error, 'This store is closed.')
  assert.equal((await addToCart(1)).status, 403)
  assert.equal((await asha.call('POST', '/v1/checkout', { body: {} })).status, 403)
  assertError(await service.call('/v1/store', { headers: { 'x-store-key': shop.browserKey } }), 403, 'FORBIDDEN')

  await service.db.tx((tx) => closeStore(tx, store, false))
  assert.ok(await withinASecond(async () => String(await statuses()) === '200'))
})

test('existing orders of a closed store are still paid and delivered, and other stores stay open', async () => {
  const { shop, store, openOrder, order, report, stateOf, callback } = await openScene(service)
  const neighbour = await openScene(service)
  const [online, cash] = [await openOrder(), await order({ method: 'cod' })]
  await service.db.tx((tx) => closeStore(tx, store, true))
  assert.ok(await withinASecond(async () => (await shop.get('/v1/store')).status === 403))
  assert.deepEqual(await report(online), { received: true, duplicate: false })
  assert.equal((await callback(online.id)).status, 302)
  assert.equal((await sendCarrierEvent(service, shop, { orderId: cash.id, status: 'delivered' })).status, 200)
  assert.deepEqual((await stateOf(online.id)).slice(0, 2), ['paid', 'paid'])
  assert.deepEqual((await stateOf(cash.id)).slice(0, 2), ['delivered', 'paid'])
  assert.equal((await neighbour.shop.get('/v1/store')).status, 200)
})
