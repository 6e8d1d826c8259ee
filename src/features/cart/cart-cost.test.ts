import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newStore, startTestService, type TestService } from '../../../test/harness.ts'
import { newCustomer, newGuest, type TestShopper } from '../../../test/shoppers.ts'
import { couponDefaults, createCoupon } from '../pricing/manage-coupons.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

/** The statements of one call, without transaction control and authentication. */
const statementsOf = async (shopper: TestShopper, method: string, path: string, body?: unknown) => {
  const texts: string[] = []
  const stop = service.db.onStatement((text) => texts.push(text))
  const answer = await shopper.call(method, path, { body })
  stop()
  assert.ok(answer.status < 300, answer.text)
  const isOther = /^(begin|commit)$|from (store_key|store s)\b|^\s*select customer_id as "customerId" from session\b/
  return texts.filter((text) => !isOther.test(text)).length
}

test('adding a product and reading take one statement, other changes two, for any cart size and shopper', async () => {
  const shop = await newStore(service)
  await shop.add(...Array.from({ length: 90 }, (_, i) => ({ name: `Thing ${i}`, price: 10 + i, stock: 500 })))
  const store = await shop.load()
  const coupon = { ...couponDefaults, code: 'TEN', kind: 'percent' as const, value: 10 }
  await service.db.tx((tx) => createCoupon(tx, store, coupon))
  const ids: string[] = (await shop.get('/v1/products?limit=90')).json.map(({ id }: { id: string }) => id)
  const all = ids.map((productId) => ({ productId, quantity: 2 }))

  for (const shopper of [await newGuest(service, shop), await newCustomer(service, shop)]) {
    // One that finds no cart, and two that make it.
    assert.equal(await statementsOf(shopper, 'POST', '/v1/cart', { productId: ids[0] }), 3)
    assert.equal(await statementsOf(shopper, 'POST', '/v1/cart', { productId: ids[1] }), 1)
    assert.equal(await statementsOf(shopper, 'POST', '/v1/cart', { items: all.slice(0, 1) }), 1)
    assert.equal(await statementsOf(shopper, 'POST', '/v1/cart', { items: all.slice(0, 2) }), 2)
    // The coupon is read by a third statement, sent with the second.
    assert.equal(await statementsOf(shopper, 'POST', '/v1/cart', { items: all, couponCode: 'TEN' }), 3)
    const cartId = (await shopper.call('GET', '/v1/cart')).headers.get('x-cart-id')
    assert.ok(cartId)
    // Its coupon needs the longer way.
    assert.equal(await statementsOf(shopper, 'POST', '/v1/cart', { productId: ids[1] }), 4)
    assert.equal(await statementsOf(shopper, 'POST', `/v1/cart/${cartId}/items`, { productId: ids[1] }), 3)
    assert.equal(await statementsOf(shopper, 'PATCH', `/v1/cart/${cartId}`, { items: all }), 3)
    const { json } = await shopper.call('GET', `/v1/cart/${cartId}`)
    const line = `/v1/cart/${cartId}/items/${json.items[0].id}`
    assert.equal(await statementsOf(shopper, 'PATCH', line, { quantity: 9 }), 3)
    assert.equal(await statementsOf(shopper, 'DELETE', line), 3)
    assert.equal(await statementsOf(shopper, 'GET', `/v1/cart/${cartId}`), 1)
    assert.equal(await statementsOf(shopper, 'GET', '/v1/cart'), 1)
  }
})
