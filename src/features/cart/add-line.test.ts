import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestService, type TestService } from '../../../test/harness.ts'
import { sessionOf, waitsOrEnds } from '../../../test/lock-waits.ts'
import { newCustomer, newGuest, type TestShopper } from '../../../test/shoppers.ts'
import { newCapabilityId, newId } from '../../core/ids.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { newGuestId } from '../access/guest-token.ts'
import { maxLineQuantity } from '../catalog/catalog.contract.ts'
import type { Shopper } from '../context.ts'
import { couponDefaults, createCoupon } from '../pricing/manage-coupons.ts'
import { addToKnownCart, addToNewCart } from './add-line.sql.ts'
import { emptyCartOf } from './erase.sql.ts'
import { openShop, setStock } from './fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

/** A cart with three mugs, and the statement that adds to it, without the queue of its shopper. */
const openCart = async (newShopper: (shop: Awaited<ReturnType<typeof openShop>>['shop']) => Promise<TestShopper>) => {
  const { shop, ...ids } = await openShop(service)
  const { id: storeId, defaultOutlet } = await shop.load()
  const defaultOutletId = defaultOutlet.id
  const shopper = await newShopper(shop)
  const { json: cart } = await shopper.call('POST', '/v1/cart', { body: { productId: ids.mug, quantity: 3 } })
  const own: Shopper =
    'id' in shopper
      ? { kind: 'customer', customerId: shopper.id, sessionHash: null }
      : {
          ...{ kind: 'guest', isNew: false },
          guestId: (
            await service.db.one<{ id: string }>`
              select guest_id as id from cart where store_id = ${storeId} and id = ${cart.id}`
          ).id,
        }
  const add = (more: Partial<Parameters<typeof addToKnownCart>[1]> = {}, db: Queries = service.db) =>
    addToKnownCart(db, {
      ...{ storeId, shopper: own, outletId: defaultOutletId, onlyOutletId: null, maxLines: 200, condition: sql`true` },
      ...{ productId: ids.mug, variantId: null, quantity: 1, newLineId: newId('line', Date.now()) },
      ...more,
    })
  /** All that an addition may change. */
  const state = () => service.db.one<{ cart: object; lines: object[]; guests: object[] }>`
    select (select to_json(c) from cart c where c.store_id = ${storeId} and c.id = ${cart.id}) as cart,
      (select json_agg(i order by i.id) from cart_item i where i.store_id = ${storeId}) as lines,
      (select json_agg(g) from guest g where g.store_id = ${storeId}) as guests`
  return { shop, ...ids, storeId, defaultOutletId, cartId: cart.id as string, shopper, own, add, state }
}

type OpenCart = Awaited<ReturnType<typeof openCart>>

/** An addition that waits for this change leaves what the change has written. */
const addsNothingAfter = async ({ add, state }: OpenCart, change: (tx: Tx) => Promise<unknown>) => {
  let waiting: Promise<unknown> | undefined
  await service.db.tx(async (tx) => {
    await change(tx)
    waiting = add()
    await waitsOrEnds(service.db, await sessionOf(tx), waiting)
  })
  const changed = await state()
  assert.equal(await waiting, undefined)
  assert.deepEqual(await state(), changed)
}

const shoppers = {
  guest: (shop: Parameters<typeof newGuest>[1]) => newGuest(service, shop),
  customer: (shop: Parameters<typeof newGuest>[1]) => newCustomer(service, shop),
}

for (const [name, newShopper] of Object.entries(shoppers)) {
  test(`of additions to the cart of a ${name} at the same time, each is there whole or not at all`, async () => {
    const { add, lamp, mug, cartId, storeId } = await openCart(newShopper)
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, i) => add({ productId: i % 4 === 0 ? lamp : mug })),
    )
    const added = answers.filter((answer) => answer !== undefined)
    assert.ok(added.length > 0)
    const versions = added.map(({ version }) => version)
    assert.equal(new Set(versions).size, added.length)
    const last = added.find(({ version }) => version === Math.max(...versions))
    const cart = await service.db.one<{ version: number; quantity: number }>`
      select version, (select sum(quantity)::integer from cart_item where store_id = ${storeId} and cart_id = ${cartId}) as quantity
      from cart where store_id = ${storeId} and id = ${cartId}`
    assert.deepEqual(cart, { version: 1 + added.length, quantity: 3 + added.length })
    assert.equal(
      last?.lines.reduce((sum, line) => sum + line.quantity, 0),
      cart.quantity,
    )
  })

  test(`an addition that is not allowed changes nothing in the cart of a ${name}`, async () => {
    const { add, state, shop, mug, lamp, shirt, medium, storeId, cartId, defaultOutletId } = await openCart(newShopper)
    const before = await state()
    const refused: Partial<Parameters<typeof addToKnownCart>[1]>[] = [
      { quantity: 8 },
      { productId: lamp, quantity: 4 },
      { productId: 'prod_unknown' },
      { productId: shirt },
      { productId: shirt, variantId: medium },
      { productId: lamp, variantId: medium },
      { maxLines: 1 },
      { onlyOutletId: ((defaultOutletId as number) + 1) as typeof defaultOutletId },
    ]
    for (const more of refused) assert.equal(await add(more), undefined, JSON.stringify(more))
    await setStock(service, shop, mug, 2 * maxLineQuantity)
    assert.equal(await add({ quantity: maxLineQuantity - 2 }), undefined)
    assert.deepEqual(await state(), before)

    const coupon = { ...couponDefaults, code: 'TEN', kind: 'percent' as const, value: 10 }
    const store = await shop.load()
    await service.db.tx((tx) => createCoupon(tx, store, coupon))
    await service.db.run`update cart set coupon_code = 'TEN' where store_id = ${storeId} and id = ${cartId}`
    const withCoupon = await state()
    assert.equal(await add(), undefined)
    assert.deepEqual(await state(), withCoupon)
  })

  test(`an addition that waits for another change of the cart of a ${name} changes nothing`, async () => {
    const cart = await openCart(newShopper)
    const { storeId, cartId } = cart
    await addsNothingAfter(cart, async (tx) => {
      await tx.run`update cart set version = version + 1 where store_id = ${storeId} and id = ${cartId}`
      await tx.run`update cart_item set quantity = 10 where store_id = ${storeId} and cart_id = ${cartId}`
    })
  })
}

test('an addition that waits while the cart is emptied changes nothing', async () => {
  const cart = await openCart(shoppers.customer)
  const { storeId, own } = cart
  assert.ok(own.kind === 'customer')
  await addsNothingAfter(cart, async (tx) => {
    await emptyCartOf(tx, storeId, own.customerId)
  })
})

test('an addition that waits while the cart is claimed does not change the cart of the customer', async () => {
  const cart = await openCart(shoppers.guest)
  const { shop, storeId, cartId } = cart
  const customer = await newCustomer(service, shop)
  await addsNothingAfter(cart, async (tx) => {
    await tx.run`
      update cart set guest_id = null, customer_id = ${customer.id}, sweep_on = null, version = version + 1
      where store_id = ${storeId} and id = ${cartId}`
  })
})

test('the first addition of a day notes that the guest was seen', async () => {
  const { add, shopper, mug, storeId, own } = await openCart(shoppers.guest)
  assert.ok(own.kind === 'guest')
  await service.db.run`update guest set seen_on = seen_on - 1 where store_id = ${storeId} and id = ${own.guestId}`
  assert.equal(await add(), undefined)
  const answer = await shopper.call('POST', '/v1/cart', { body: { productId: mug, quantity: 1 } })
  assert.equal(answer.json.itemCount, 4)
  assert.ok(await add())
})

test('the first cart of a new guest is made whole or not at all', async () => {
  const { shop, mug, lamp, shirt } = await openShop(service)
  const { id: storeId, defaultOutlet } = await shop.load()
  const defaultOutletId = defaultOutlet.id
  const guestId = newGuestId()
  const add = (productId: string, quantity = 1) =>
    addToNewCart(service.db, {
      ...{ storeId, outletId: defaultOutletId, guestId, newCartId: newCapabilityId('cart') },
      ...{ productId, variantId: null, quantity, newLineId: newId('line', Date.now()) },
    })
  const rows = () => service.db.one<{ count: number }>`
    select (select count(*) from guest where store_id = ${storeId}) + (select count(*) from cart where store_id = ${storeId})
      + (select count(*) from cart_item where store_id = ${storeId}) as count`
  for (const refused of [add(lamp, 4), add(shirt), add('prod_unknown')]) assert.equal(await refused, undefined)
  assert.equal((await rows()).count, 0)
  const answers = await Promise.all([add(mug), add(lamp), add(mug)])
  assert.equal(answers.filter((answer) => answer !== undefined).length, 1)
  assert.equal((await rows()).count, 3)
})

test('a repeated addition with a key counts once, also at the same time', async () => {
  const { shopper, mug } = await openCart(shoppers.guest)
  const call = () =>
    shopper.call('POST', '/v1/cart', {
      body: { productId: mug, quantity: 2 },
      headers: { 'idempotency-key': 'the-same-key' },
    })
  const answers = [...(await Promise.all([call(), call(), call()])), await call()]
  for (const { status, json } of answers) {
    assert.equal(status, 200)
    assert.equal(json.itemCount, 5)
  }
})
