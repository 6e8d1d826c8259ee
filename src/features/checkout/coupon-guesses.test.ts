import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { assertError, serviceFor, startWindow, type TestService, type TestStore } from '../../../test/harness.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { openShop } from '../cart/fixture.ts'
import { guessWindowMs, maxGuesses } from '../pricing/coupon-guesses.ts'
import { type CouponRequest, couponDefaults, createCoupon } from '../pricing/manage-coupons.ts'
import { address } from './fixture.ts'

const addCoupon = async (service: TestService, shop: TestStore, coupon: Partial<CouponRequest> & { code: string }) => {
  const store = await shop.load()
  await service.db.tx((tx) => createCoupon(tx, store, { ...couponDefaults, kind: 'percent', value: 10, ...coupon }))
}

/** A shop behind a proxy, so that tests can use any client address, with an unlisted coupon. */
const openGuessedShop = async (t: TestContext) => {
  const service = await serviceFor(t, { trustProxy: true })
  startWindow(service, guessWindowMs)
  const open = await openShop(service)
  await addCoupon(service, open.shop, { code: 'STAFF100', value: 100 })
  const { key } = await open.shop.newKey({ kind: 'browser', rateLimit: 1_000_000 })
  let hosts = 0
  /** Calls with the browser key, from a new address unless one is given. */
  const newDevice = (address = `203.0.113.${++hosts}`) => ({ 'x-store-key': key, 'x-forwarded-for': address })
  const newBuyer = async (device: Record<string, string> = newDevice()) => {
    const customer = await newCustomer(service, open.shop)
    const call = (path: string, body: unknown, method = 'POST') =>
      customer.call(method, path, { headers: device, body })
    return { ...customer, call, guess: (code: string) => call('/v1/coupons/validate', { code }) }
  }
  return { ...open, service, newDevice, newBuyer }
}

test('the list contains only coupons that are marked as listed', async (t) => {
  const service = await serviceFor(t)
  const { shop } = await openShop(service)
  await addCoupon(service, shop, { code: 'STAFF100', value: 100 })
  await addCoupon(service, shop, { code: 'WELCOME', listed: true })
  const asha = await newCustomer(service, shop)
  const { json } = await asha.call('GET', '/v1/coupons')
  assert.deepEqual(
    json.data.map(({ code }: { code: string }) => code),
    ['WELCOME'],
  )
  const { json: known } = await asha.call('POST', '/v1/coupons/validate', { body: { code: 'STAFF100' } })
  assert.equal(known.valid, true)
})

test('a customer may try 20 unknown codes in ten minutes, across endpoints and concurrent calls', async (t) => {
  const { service, mug, newBuyer } = await openGuessedShop(t)
  const mallory = await newBuyer()
  const cart = await mallory.call('/v1/cart', { productId: mug })
  const ways = [
    (code: string) => mallory.guess(code),
    (code: string) => mallory.call('/v1/cart', { productId: mug, couponCode: code }),
    (code: string) => mallory.call(`/v1/cart/${cart.json.id}`, { couponCode: code }, 'PATCH'),
    (code: string) => mallory.call('/v1/checkout', { couponCode: code, shippingAddress: address }),
  ]
  const answers = await Promise.all(Array.from({ length: 80 }, (_, i) => ways[i % 4]?.(`GUESS${i}`)))
  const limited = answers.filter((answer) => answer?.status === 429)
  assert.equal(80 - limited.length, maxGuesses.shopper)
  for (const answer of limited) {
    assert.equal(answer?.json.code, 'RATE_LIMITED')
    assert.ok(Number(answer?.headers.get('retry-after')) > 0)
  }
  for (const way of ways) assertError(await way('STAFF100'), 429, 'RATE_LIMITED')
  assert.equal((await mallory.call('/v1/cart', { productId: mug })).status, 200, 'a cart without a code goes on')
  service.clock.advance(guessWindowMs)
  assert.deepEqual((await mallory.guess('STAFF100')).json.valid, true)
})

test('existing codes and invalid texts do not count as guesses', async (t) => {
  const { service, shop, mug, newBuyer } = await openGuessedShop(t)
  await addCoupon(service, shop, { code: 'BIG', minSubtotal: 5000 })
  const asha = await newBuyer()
  const cart = await asha.call('/v1/cart', { productId: mug, couponCode: 'STAFF100' })
  for (let i = 0; i < 2 * maxGuesses.client; i++) {
    const code = ['staff100', 'BIG', '%%', ''][i % 4] as string
    assert.equal((await asha.guess(code)).status, 200)
    assert.equal((await asha.call(`/v1/cart/${cart.json.id}`, { couponCode: 'big' }, 'PATCH')).status, 200)
  }
})

test('one client may try 60 unknown codes, whatever number of guests and customers it uses', async (t) => {
  const { service, mug, newDevice, newBuyer } = await openGuessedShop(t)
  const device = newDevice()
  const guess = (n: number) =>
    service.call('/v1/cart', {
      method: 'POST',
      headers: { ...device, 'content-type': 'application/json' },
      body: JSON.stringify({ productId: mug, couponCode: `GUESS${n}` }),
    })
  const answers = await Promise.all(Array.from({ length: 80 }, (_, i) => guess(i)))
  assert.equal(answers.filter(({ status }) => status === 201).length, maxGuesses.client)
  assert.equal(answers.filter(({ status }) => status === 429).length, 80 - maxGuesses.client)
  const mallory = await newBuyer(device)
  assertError(await mallory.guess('STAFF100'), 429, 'RATE_LIMITED')
  const asha = await newBuyer()
  assert.equal((await asha.guess('STAFF100')).json.valid, true, 'other clients are not affected')
})

test("a storefront's own server may try more, since all its shoppers share that address", async (t) => {
  const { shop, newBuyer } = await openGuessedShop(t)
  const server = { 'x-store-key': shop.key, 'x-forwarded-for': '198.51.100.7' }
  for (let i = 0; i < 4; i++) {
    const shopper = await newBuyer(server)
    for (let n = 0; n < maxGuesses.shopper; n++) assert.equal((await shopper.guess(`GUESS${n}`)).status, 200)
    assertError(await shopper.guess('STAFF100'), 429, 'RATE_LIMITED')
  }
})
