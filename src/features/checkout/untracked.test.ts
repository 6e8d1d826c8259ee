import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { crowdOf } from '../../../test/cluster.ts'
import { startTestService, type TestService, type TestStore, withinASecond } from '../../../test/harness.ts'
import { newGuest } from '../../../test/shoppers.ts'
import { announceStore } from '../../db/announce.ts'
import { commandLine } from '../audit/record.ts'
import { adjustStock } from '../catalog/adjust-stock.ts'
import { readProduct } from '../catalog/product-input.ts'
import { saveProducts } from '../catalog/save.ts'
import { countStaleListings } from '../doctor/doctor.sql.ts'
import { findNegativeStock, findWrongReservations, findWrongStockStates } from '../doctor/invariants.sql.ts'
import { payOrder, withOrder } from '../orders/fixture.ts'
import { cancelOrder, refundOrder } from '../orders/settle.ts'
import { openShop } from './fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService({ databasePoolSize: 20 })
})
after(() => service.close())

const print = { name: 'Print', price: 10, stock: null }

const openPrintShop = async () => {
  const shop = await openShop(service, print)
  const { id: printId } = (await shop.shop.get('/v1/products/print')).json
  return { ...shop, printId: printId as string }
}

const set = async (shop: TestStore, product: string, quantity: number | null) => {
  const store = await shop.load()
  return service.db.tx((tx) =>
    adjustStock(tx, store, commandLine, { product, quantity, variantId: null, outletId: null }),
  )
}

const assertHealthy = async (shop: TestStore) => {
  const { id } = await shop.load()
  for (const find of [findWrongReservations, findNegativeStock, findWrongStockStates]) {
    assert.deepEqual(await find(service.db, id), [])
  }
  assert.equal(await countStaleListings(service.db, id), 0)
}

const cancel = (shop: TestStore, orderId: string) =>
  withOrder(service, shop, orderId, (tx, ctx, order) => cancelOrder(tx, ctx, order, 'Cancelled.'))

test('any number of shoppers can buy an untracked variant concurrently, and no stock is counted', async () => {
  const { shop, printId, newBuyer, stockOf } = await openPrintShop()
  const { id } = await shop.load()
  await service.db.tx(async (tx) => {
    await tx.run`update store set cash_on_delivery = true, cod_max_units = null where id = ${id}`
    await announceStore(tx, id)
  })
  const takesCash = async () => (await shop.get('/v1/store')).json.paymentMethods?.includes('cod') === true
  assert.ok(await withinASecond(takesCash))
  const buyers = await Promise.all(Array.from({ length: 40 }, () => newBuyer({ productId: printId, quantity: 999 })))
  for (const { cart } of buyers) assert.deepEqual([cart.items[0].inStock, cart.warnings], [true, []])
  const answers = await Promise.all(buyers.map((buyer, i) => buyer.checkOut(i % 2 ? { paymentMethod: 'cod' } : {})))
  for (const { status, text } of answers) assert.equal(status, 201, text)
  assert.deepEqual(await stockOf(printId), { onHand: null, reserved: null })
  const seen = (await shop.get('/v1/products/print?after')).json
  assert.deepEqual([seen.stock, seen.stockTracked], [999, false])
  await assertHealthy(shop)
})

test('orders of untracked variants are paid, cancelled and refunded without touching stock', async () => {
  const { shop, mug, printId, newBuyer, stockOf } = await openPrintShop()
  const order = async () => {
    const buyer = await newBuyer({ productId: printId, quantity: 3 }, { productId: mug, quantity: 2 })
    const { status, json, text } = await buyer.checkOut()
    assert.equal(status, 201, text)
    return json.order.id as string
  }
  const [paid, cancelled, late, refunded] = [await order(), await order(), await order(), await order()]
  assert.deepEqual(await stockOf(mug), { onHand: 10, reserved: 8 })
  await payOrder(service, shop, paid)
  await cancel(shop, cancelled)
  await cancel(shop, late)
  await payOrder(service, shop, late)
  await payOrder(service, shop, refunded)
  await withOrder(service, shop, refunded, refundOrder)
  assert.deepEqual(await stockOf(mug), { onHand: 6, reserved: 0 })
  assert.deepEqual(await stockOf(printId), { onHand: null, reserved: null })
  await assertHealthy(shop)
})

test('an order remembers whether its variant was tracked, even if that changes later', async () => {
  const { shop, mug, newBuyer, stockOf } = await openPrintShop()
  const order = async () => (await (await newBuyer({ productId: mug, quantity: 2 })).checkOut()).json.order.id as string
  const [counted, countedLate] = [await order(), await order()]
  await set(shop, 'mug', null)
  await assertHealthy(shop)
  assert.deepEqual(await stockOf(mug), { onHand: 10, reserved: 4 })
  const [uncounted, uncountedLate] = [await order(), await order()]
  await cancel(shop, uncountedLate)
  await set(shop, 'mug', 5)
  await assertHealthy(shop)
  assert.deepEqual(await stockOf(mug), { onHand: 9, reserved: 4 })
  await payOrder(service, shop, counted)
  await payOrder(service, shop, uncounted)
  assert.deepEqual(await stockOf(mug), { onHand: 7, reserved: 2 })
  // Taken again, under the current setting.
  await payOrder(service, shop, uncountedLate)
  assert.deepEqual(await stockOf(mug), { onHand: 5, reserved: 2 })
  await cancel(shop, countedLate)
  await withOrder(service, shop, uncountedLate, refundOrder)
  await withOrder(service, shop, uncounted, refundOrder)
  assert.deepEqual(await stockOf(mug), { onHand: 7, reserved: 0 })
  await assertHealthy(shop)
})

test('switching tracking on and off during forty checkouts keeps stock and orders consistent', async () => {
  const { shop, mug, newBuyer } = await openPrintShop()
  await set(shop, 'mug', 1000)
  const buyers = await Promise.all(Array.from({ length: 40 }, () => newBuyer({ productId: mug })))
  const switching = async () => {
    for (let i = 0; i < 12; i++) await set(shop, 'mug', i % 2 === 0 ? null : 1000)
  }
  const [answers] = await Promise.all([Promise.all(buyers.map((buyer) => buyer.checkOut())), switching()])
  for (const { status, text } of answers) assert.equal(status, 201, text)
  await assertHealthy(shop)
  await Promise.all([
    ...answers.map(({ json }, i) =>
      i % 2 === 0 ? payOrder(service, shop, json.order.id) : cancel(shop, json.order.id),
    ),
    switching(),
  ])
  await assertHealthy(shop)
})

test('an import concurrent with checkouts never puts sold units back on sale', async () => {
  const { shop, mug, newBuyer, stockOf } = await openPrintShop()
  await set(shop, 'mug', 60)
  const store = await shop.load()
  const save = (price: number) => {
    const patch = readProduct({ slug: 'mug', description: `At ${price}`, stock: 60 }, store.currency)
    assert.ok(!Array.isArray(patch))
    return service.db.tx((tx) => saveProducts(tx, store, [patch], { replace: false, setStock: false }))
  }
  const crowd = crowdOf(40)
  const buyers = await Promise.all(Array.from({ length: crowd }, () => newBuyer({ productId: mug })))
  const importing = async () => {
    for (let i = 0; i < 15; i++) await save(i)
  }
  const [answers] = await Promise.all([Promise.all(buyers.map((buyer) => buyer.checkOut())), importing()])
  for (const { status, text } of answers) assert.equal(status, 201, text)
  assert.deepEqual(await stockOf(mug), { onHand: 60, reserved: crowd })
  assert.equal((await shop.get('/v1/products/mug?after')).json.stock, 60 - crowd)
  await assertHealthy(shop)
})

test('a claimed cart adds up untracked quantities, to the maximum of a line', async () => {
  const { shop, printId, newBuyer } = await openPrintShop()
  const asha = await newBuyer({ productId: printId, quantity: 300 })
  const claim = async () => {
    const guest = await newGuest(service, shop)
    const { json } = await guest.call('POST', '/v1/cart', { body: { productId: printId, quantity: 400 } })
    return (await asha.call('POST', `/v1/cart/${json.id}/claim`)).json.items[0].quantity
  }
  assert.equal(await claim(), 700)
  assert.equal(await claim(), 999)
})
