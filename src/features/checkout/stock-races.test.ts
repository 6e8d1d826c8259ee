import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { crowdOf } from '../../../test/cluster.ts'
import { assertError, startTestService, type TestService } from '../../../test/harness.ts'
import { setStock } from '../cart/fixture.ts'
import { type CouponRequest, couponDefaults, createCoupon } from '../pricing/manage-coupons.ts'
import { openShop } from './fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService({ databasePoolSize: 20 })
})
after(() => service.close())

test('two hundred buyers of ten units place exactly ten orders', async () => {
  const { shop, mug, newBuyer, stockOf } = await openShop(service)
  await setStock(service, shop, mug, 1000)
  const buyers = []
  for (let i = 0; i < crowdOf(200); i += 20)
    buyers.push(...(await Promise.all(Array.from({ length: 20 }, () => newBuyer({ productId: mug })))))
  await setStock(service, shop, mug, 10)
  const answers = await Promise.all(buyers.map((buyer) => buyer.checkOut()))
  const placed = answers.filter(({ status }) => status === 201)
  assert.equal(placed.length, 10)
  for (const answer of answers) if (answer.status !== 201) assertError(answer, 409, 'INSUFFICIENT_STOCK')
  assert.deepEqual(await stockOf(mug), { onHand: 10, reserved: 10 })
  assert.equal((await shop.get('/v1/search?q=mug')).json.facets.inStock.count, 0)
})

test('concurrent checkouts with two lines in opposite order do not deadlock', async () => {
  const { shop, mug, lamp, newBuyer, stockOf } = await openShop(service)
  await setStock(service, shop, mug, 100)
  await setStock(service, shop, lamp, 100)
  const buyers = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      i % 2 ? newBuyer({ productId: mug }, { productId: lamp }) : newBuyer({ productId: lamp }, { productId: mug }),
    ),
  )
  const answers = await Promise.all(buyers.map((buyer) => buyer.checkOut()))
  for (const { status, text } of answers) assert.equal(status, 201, text)
  assert.deepEqual(await stockOf(mug), { onHand: 100, reserved: 40 })
  assert.deepEqual(await stockOf(lamp), { onHand: 100, reserved: 40 })
})

test('concurrent checkouts do not exceed the limits of a coupon', async () => {
  const { shop, mug, newBuyer } = await openShop(service)
  await setStock(service, shop, mug, 1000)
  const store = await shop.load()
  const add = (coupon: Partial<CouponRequest> & { code: string }) =>
    service.db.tx((tx) => createCoupon(tx, store, { ...couponDefaults, kind: 'percent', value: 10, ...coupon }))
  await add({ code: 'FIVE', usageLimit: 5 })
  const buyers = await Promise.all(Array.from({ length: 30 }, () => newBuyer({ productId: mug })))
  const answers = await Promise.all(buyers.map((buyer) => buyer.checkOut({ couponCode: 'five' })))
  assert.equal(answers.filter(({ status }) => status === 201).length, 5)
  for (const answer of answers) if (answer.status !== 201) assertError(answer, 400, 'COUPON_INVALID')

  await add({ code: 'ONCE', customerLimit: 1 })
  const asha = await newBuyer({ productId: mug })
  const first = await asha.checkOut({ couponCode: 'ONCE' })
  assert.equal(first.json.order.discount, 10)
  await asha.call('POST', '/v1/cart', { body: { productId: mug } })
  const replaced = await asha.checkOut({ couponCode: 'ONCE' })
  assert.equal(replaced.status, 201, 'the order that it replaces gives its use back')
})

test('fifty concurrent checkouts of one cart leave one open order', async () => {
  const { mug, newBuyer, stockOf } = await openShop(service)
  const asha = await newBuyer({ productId: mug })
  const answers = await Promise.all(Array.from({ length: 50 }, () => asha.checkOut()))
  for (const { status, text } of answers) assert.ok(status === 200 || status === 201, text)
  assert.equal(new Set(answers.map(({ json }) => json.order.id)).size, 1)
  assert.deepEqual(await stockOf(mug), { onHand: 10, reserved: 1 })
})

test('different concurrent checkouts of one cart leave one payable order', async () => {
  const { mug, newBuyer, stockOf } = await openShop(service)
  const asha = await newBuyer({ productId: mug })
  const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => asha.checkOut({ note: `try ${i}` })))
  for (const answer of answers) if (answer.status !== 201) assertError(answer, 409, 'CONFLICT')
  assert.deepEqual(await stockOf(mug), { onHand: 10, reserved: 1 })
  const orders = (await asha.call('GET', '/v1/customer/orders')).json.data
  assert.equal(orders.filter(({ status }: { status: string }) => status === 'pending').length, 1)
  const payments = await Promise.all(orders.map(({ id }: { id: string }) => asha.call('GET', `/v1/payment/${id}`)))
  assert.equal(payments.filter(({ json }) => json.status === 'open').length, 1)
})
