import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newStore, serviceFor, startTestService, type TestService, type TestStore } from '../../../test/harness.ts'
import { newCustomer, newGuest } from '../../../test/shoppers.ts'
import { hours } from '../../core/clock.ts'
import { type CouponRequest, couponDefaults, createCoupon } from '../pricing/manage-coupons.ts'
import { openShop } from './fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const addCoupon = async (
  own: TestService,
  shop: TestStore,
  coupon: Partial<CouponRequest> & Pick<CouponRequest, 'code' | 'kind' | 'value'>,
) => {
  const store = await shop.load()
  await own.db.tx((tx) => createCoupon(tx, store, { ...couponDefaults, ...coupon }))
}

const codes = ({ warnings }: { warnings: { code: string }[] }) => warnings.map(({ code }) => code)

test('a coupon on the cart reduces the total', async () => {
  const { shop, mug, lamp } = await openShop(service)
  await addCoupon(service, shop, { code: 'TEN', kind: 'percent', value: 10 })
  const guest = await newGuest(service, shop)
  const items = [{ productId: mug, quantity: 3 }, { productId: lamp }]
  const { json, status } = await guest.call('POST', '/v1/cart', { body: { items, couponCode: ' ten ' } })
  assert.equal(status, 201)
  assert.equal(json.couponCode, 'TEN')
  assert.deepEqual([json.subtotal, json.discount, json.total], [550, 55, 495])
  assert.deepEqual(json.warnings, [])
  const read = await guest.call('GET', `/v1/cart/${json.id}`)
  assert.deepEqual(read.json, json)

  const more = await guest.call('POST', '/v1/cart', { body: { productId: mug } })
  assert.deepEqual([more.json.couponCode, more.json.discount], ['TEN', 65])
  const off = await guest.call('PATCH', `/v1/cart/${json.id}`, { body: { couponCode: null } })
  assert.deepEqual([off.json.couponCode, off.json.discount, off.json.items.length], [null, 0, 2])
})

test('an unknown code is not applied, and only that response has a warning', async () => {
  const { shop, mug } = await openShop(service)
  const guest = await newGuest(service, shop)
  for (const couponCode of ['NOPE', '%%%', 'x y', '🙂']) {
    const { json, status } = await guest.call('POST', '/v1/cart', { body: { items: [], couponCode } })
    assert.ok(status < 300)
    assert.deepEqual([json.couponCode, json.discount, codes(json)], [null, 0, ['COUPON_REMOVED']])
  }
  const { json } = await guest.call('POST', '/v1/cart', { body: { productId: mug } })
  assert.deepEqual(json.warnings, [])
  const empty = await guest.call('PATCH', `/v1/cart/${json.id}`, { body: { couponCode: '' } })
  assert.deepEqual(empty.json.warnings, [], 'an empty code is not an unknown code')
})

test('a code whose conditions are not met stays on the cart, gives no discount, and has a warning', async () => {
  const { shop, mug, lamp } = await openShop(service)
  await addCoupon(service, shop, { code: 'LAMPS', kind: 'fixed', value: 50, products: [lamp], minSubtotal: 300 })
  const guest = await newGuest(service, shop)
  const { json } = await guest.call('POST', '/v1/cart', {
    body: { items: [{ productId: mug }], couponCode: 'LAMPS' },
  })
  assert.deepEqual([json.couponCode, json.discount, codes(json)], ['LAMPS', 0, ['COUPON_REMOVED']])
  const reached = await guest.call('POST', '/v1/cart', { body: { productId: lamp } })
  assert.deepEqual([reached.json.discount, codes(reached.json)], [50, []])
})

test('a code that expires on the cart gives no discount any more', async (t) => {
  const own = await serviceFor(t)
  const { shop, mug } = await openShop(own)
  await addCoupon(own, shop, {
    code: 'TODAY',
    kind: 'percent',
    value: 50,
    endsAt: new Date(own.clock.now() + hours(2)),
  })
  const guest = await newGuest(own, shop)
  const { json } = await guest.call('POST', '/v1/cart', { body: { items: [{ productId: mug }], couponCode: 'today' } })
  assert.equal(json.discount, 50)
  own.clock.advance(hours(3))
  const later = (await guest.call('GET', `/v1/cart/${json.id}`)).json
  assert.deepEqual([later.discount, later.total, codes(later)], [0, 100, ['COUPON_REMOVED']])
})

test('a coupon of another store is unknown', async () => {
  const { shop, mug } = await openShop(service)
  const other = await newStore(service)
  await addCoupon(service, other, { code: 'THEIRS', kind: 'percent', value: 10 })
  const guest = await newGuest(service, shop)
  const { json } = await guest.call('POST', '/v1/cart', { body: { items: [{ productId: mug }], couponCode: 'THEIRS' } })
  assert.deepEqual([json.couponCode, json.discount], [null, 0])
})

test('a claimed cart keeps its code unless the customer already has one', async () => {
  const { shop, mug } = await openShop(service)
  await addCoupon(service, shop, { code: 'TEN', kind: 'percent', value: 10 })
  await addCoupon(service, shop, { code: 'HALF', kind: 'percent', value: 50 })
  const [first, second, asha] = [
    await newGuest(service, shop),
    await newGuest(service, shop),
    await newCustomer(service, shop),
  ]
  const one = await first.call('POST', '/v1/cart', { body: { items: [{ productId: mug }], couponCode: 'TEN' } })
  const two = await second.call('POST', '/v1/cart', { body: { items: [{ productId: mug }], couponCode: 'HALF' } })
  assert.equal((await asha.call('POST', `/v1/cart/${one.json.id}/claim`)).json.couponCode, 'TEN')
  assert.equal((await asha.call('POST', `/v1/cart/${two.json.id}/claim`)).json.couponCode, 'TEN')
})

test('shipping and tax follow the settings of the store', async () => {
  const shop = await newStore(service)
  const { id } = await shop.load()
  await service.db.run`
    update store set tax_included = false, shipping_flat_minor = 5000, shipping_free_above_minor = 100000
    where id = ${id}`
  await shop.add(
    { name: 'Mug', price: 100, stock: 50, taxRate: 18 },
    { name: 'Book', price: 200, digital: { url: 'https://files.example/book.pdf' } },
  )
  const find = async (slug: string) => (await shop.get(`/v1/products/${slug}`)).json.id
  const [mug, book] = [await find('mug'), await find('book')]
  const asha = await newCustomer(service, shop)
  const onlyBook = await asha.call('POST', '/v1/cart', { body: { productId: book } })
  const figures = ({ json }: { json: Record<string, number> }) => [json.subtotal, json.shipping, json.tax, json.total]
  assert.deepEqual(figures(onlyBook), [200, 0, 0, 200])
  const both = await asha.call('POST', '/v1/cart', { body: { productId: mug } })
  assert.deepEqual(figures(both), [300, 50, 18, 368])
  const free = await asha.call('POST', '/v1/cart', { body: { productId: mug, quantity: 8 } })
  assert.deepEqual(figures(free), [1100, 0, 162, 1262])
})
