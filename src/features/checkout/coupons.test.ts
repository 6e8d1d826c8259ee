import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, serviceFor, startTestService, type TestService, type TestStore } from '../../../test/harness.ts'
import { hours } from '../../core/clock.ts'
import { commandLine } from '../audit/record.ts'
import { type CouponRequest, couponDefaults, createCoupon, stopCoupon } from '../pricing/manage-coupons.ts'
import { openShop } from './fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const addCoupon = async (own: TestService, shop: TestStore, coupon: Partial<CouponRequest> & { code: string }) => {
  const store = await shop.load()
  await own.db.tx((tx) => createCoupon(tx, store, { ...couponDefaults, kind: 'percent', value: 10, ...coupon }))
}

test('validating a code always returns 200, with the reason or the discount', async (t) => {
  const own = await serviceFor(t)
  const { shop, mug, lamp, newBuyer } = await openShop(own)
  const soon = own.clock.now() + hours(1)
  await addCoupon(own, shop, { code: 'TEN' })
  await addCoupon(own, shop, { code: 'OVER', endsAt: new Date(soon) })
  await addCoupon(own, shop, { code: 'LATER', startsAt: new Date(soon + hours(5)) })
  await addCoupon(own, shop, { code: 'BIG', minSubtotal: 1000 })
  await addCoupon(own, shop, { code: 'LAMPS', products: [lamp] })
  own.clock.advance(hours(2))
  const asha = await newBuyer({ productId: mug, quantity: 2 })
  const check = async (body: unknown) => {
    const { status, json } = await asha.call('POST', '/v1/coupons/validate', { body })
    assert.equal(status, 200, JSON.stringify(json))
    return json
  }
  assert.deepEqual(await check({ code: 'ten', cartId: asha.cart.id }), { valid: true, discount: 20 })
  for (const [code, reason] of [
    ['NOPE', 'NOT_FOUND'],
    ['%', 'NOT_FOUND'],
    ['OVER', 'EXPIRED'],
    ['LATER', 'NOT_STARTED'],
    ['BIG', 'MIN_SUBTOTAL'],
    ['LAMPS', 'NOT_APPLICABLE'],
    ['', 'MISSING_CODE'],
    [17, 'MISSING_CODE'],
    [null, 'MISSING_CODE'],
  ]) {
    assert.deepEqual(await check({ code }), { valid: false, reason })
  }
  assert.deepEqual(await check({}), { valid: false, reason: 'MISSING_CODE' })
})

test('a checkout with an invalid code is refused with the reason', async (t) => {
  const own = await serviceFor(t)
  const { shop, mug, newBuyer } = await openShop(own)
  await addCoupon(own, shop, { code: 'OVER', endsAt: new Date(own.clock.now() + hours(1)) })
  await addCoupon(own, shop, { code: 'BIG', minSubtotal: 1000 })
  own.clock.advance(hours(2))
  const asha = await newBuyer({ productId: mug })
  assertError(await asha.checkOut({ couponCode: 'OVER' }), 410, 'COUPON_EXPIRED')
  assertError(await asha.checkOut({ couponCode: 'BIG' }), 400, 'COUPON_INVALID')
  assertError(await asha.checkOut({ couponCode: 'NOPE' }), 400, 'COUPON_INVALID')
  assertError(await asha.checkOut({ couponCode: '%%' }), 400, 'COUPON_INVALID')
  assert.equal((await asha.checkOut({ couponCode: null })).status, 201)
})

test('the list shows the coupons that this customer can use now, in pages', async () => {
  const { shop, mug, newBuyer } = await openShop(service)
  await addCoupon(service, shop, { code: 'A', listed: true, description: 'Ten off' })
  await addCoupon(service, shop, { code: 'B', listed: true, kind: 'fixed', value: 50, minSubtotal: 100 })
  await addCoupon(service, shop, { code: 'C', listed: true, customerLimit: 1 })
  await addCoupon(service, shop, { code: 'D', listed: true, startsAt: new Date(Date.now() + hours(1)) })
  const asha = await newBuyer({ productId: mug })
  const list = async (query = '') => (await asha.call('GET', `/v1/coupons${query}`)).json
  const first = await list('?limit=2')
  assert.deepEqual(first.data, [
    { code: 'A', description: 'Ten off', type: 'percent', value: 10, minSubtotal: 0, endsAt: null },
    { code: 'B', description: '', type: 'fixed', value: 50, minSubtotal: 100, endsAt: null },
  ])
  assert.equal(first.hasMore, true)
  const codes = ({ data }: { data: { code: string }[] }) => data.map(({ code }) => code)
  assert.deepEqual(codes(await list(`?limit=2&cursor=${first.nextCursor}`)), ['C'])
  assert.equal((await asha.checkOut({ couponCode: 'C' })).status, 201)
  assert.deepEqual(codes(await list()), ['A', 'B'])
})

test('a stopped coupon no longer applies, and existing orders keep their discount', async () => {
  const { shop, mug, newBuyer } = await openShop(service)
  const store = await shop.load()
  const stop = (code: string) => service.db.tx((tx) => stopCoupon(tx, store, commandLine, code))
  await addCoupon(service, shop, { code: 'TEN', listed: true, endsAt: new Date(Date.now() + hours(1)) })
  await addCoupon(service, shop, { code: 'STAYS', listed: true })
  const [early, late] = [await newBuyer({ productId: mug }), await newBuyer({ productId: mug })]
  const placed = await early.checkOut({ couponCode: 'TEN' })
  assert.equal(placed.json.order.discount, 10)
  const held = await late.call('PATCH', `/v1/cart/${late.cart.id}`, { body: { couponCode: 'TEN' } })
  assert.equal(held.json.discount, 10)

  const stopped = await stop(' ten ')
  assert.deepEqual([stopped.code, stopped.used], ['TEN', 1])
  const cart = (await late.call('GET', `/v1/cart/${late.cart.id}`)).json
  assert.deepEqual([cart.discount, cart.warnings.map(({ code }: { code: string }) => code)], [0, ['COUPON_REMOVED']])
  assertError(await late.checkOut(), 410, 'COUPON_EXPIRED')
  assertError(await late.checkOut({ couponCode: 'TEN' }), 410, 'COUPON_EXPIRED')
  const validated = await late.call('POST', '/v1/coupons/validate', { body: { code: 'TEN' } })
  assert.deepEqual(validated.json, { valid: false, reason: 'EXPIRED' })
  const listed = (await late.call('GET', '/v1/coupons')).json.data
  assert.deepEqual(
    listed.map(({ code }: { code: string }) => code),
    ['STAYS'],
  )
  const order = await early.call('GET', `/v1/customer/orders/${placed.json.order.id}`)
  assert.equal(order.json.discount, 10)
  assert.deepEqual((await stop('TEN')).stoppedAt, stopped.stoppedAt, 'a second stop changes nothing')
  await assert.rejects(stop('NONE'), { name: 'DomainError', message: /^The store has no coupon NONE\./ })
})

test('of checkouts concurrent with a stop, only the counted ones have the discount', async () => {
  const { shop, mug, newBuyer } = await openShop(service, { name: 'Plate', price: 100, stock: 100 })
  const store = await shop.load()
  await addCoupon(service, shop, { code: 'TEN' })
  const buyers = await Promise.all(Array.from({ length: 8 }, () => newBuyer({ productId: mug })))
  const [answers] = await Promise.all([
    Promise.all(buyers.map((buyer) => buyer.checkOut({ couponCode: 'TEN' }))),
    service.db.tx((tx) => stopCoupon(tx, store, commandLine, 'TEN')),
  ])
  const placed = answers.filter(({ status }) => status === 201)
  for (const answer of answers) assert.ok([201, 400, 410].includes(answer.status), answer.text)
  const { used } = await service.db.one<{ used: number }>`
    select used from coupon where store_id = ${store.id} and code = 'TEN'`
  assert.equal(used, placed.length)
  assertError(await (await newBuyer({ productId: mug })).checkOut({ couponCode: 'TEN' }), 410, 'COUPON_EXPIRED')
})
