import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, serviceFor, startTestService, type TestService, type TestStore } from '../../../test/harness.ts'
import { hours } from '../../core/clock.ts'
import { type CouponRequest, createCoupon, plainCoupon } from '../pricing/coupon-book.ts'
import { openShop } from './fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const addCoupon = async (own: TestService, shop: TestStore, coupon: Partial<CouponRequest> & { code: string }) => {
  const store = await shop.load()
  await own.db.tx((tx) => createCoupon(tx, store, { ...plainCoupon, kind: 'percent', value: 10, ...coupon }))
}

test('validating a code is always 200, with the reason or the discount', async (t) => {
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

test('a code that does not count refuses the checkout and says why', async (t) => {
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

test('the list shows what this customer may use now, page by page', async () => {
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
