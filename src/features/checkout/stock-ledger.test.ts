import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newProgram } from '../../../test/admin-callers.ts'
import { crowdOf } from '../../../test/cluster.ts'
import { assertError, startTestService, type TestService, withinASecond } from '../../../test/harness.ts'
import { assertOrdersInLedger } from '../../../test/ledger.ts'
import { commandLine } from '../audit/record.ts'
import { setStock } from '../cart/fixture.ts'
import { changeVariantThreshold } from '../catalog/stock-threshold.ts'
import { checkInvariants } from '../doctor/invariants.ts'
import { failPayment, payOrder, withOrder } from '../orders/fixture.ts'
import { cancelOrder, refundOrder } from '../orders/settle.ts'
import { openShop } from './fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService({ databasePoolSize: 20 })
})
after(() => service.close())

type Move = { id: number; cause: string; available: number; availableChange: number }

const openScene = async (units: number) => {
  const scene = await openShop(service)
  const { shop, mug } = scene
  await setStock(service, shop, mug, 1000)
  const newBuyers = async (count: number) => {
    const buyers = []
    for (let i = 0; i < count; i += 10) {
      const few = Array.from({ length: Math.min(10, count - i) }, () => scene.newBuyer({ productId: mug }))
      buyers.push(...(await Promise.all(few)))
    }
    await setStock(service, shop, mug, units)
    return buyers
  }
  const store = await shop.load()
  const till = await newProgram(service, shop)
  await till.inStore('PATCH', '/settings', { cashOnDelivery: { enabled: true } })
  await withinASecond(async () => (await shop.get('/v1/store')).json.paymentMethods.includes('cod'))
  const { id: variantId } = (await shop.get(`/v1/products/${mug}`)).json.variants[0]
  return {
    ...{ ...scene, store, variantId, newBuyers },
    adjust: (change: { delta: number } | { set: number }) =>
      till.inStore('POST', '/stock/adjust', { variantId, reason: 'Count', ...change }),
    moves: async (query = '') =>
      (await till.inStore('GET', `/stock/moves?variantId=${variantId}&limit=100${query}`)).json.data,
    assertBalanced: async () => {
      const findings = await checkInvariants(service.db, { storeId: store.id })
      // The fixtures of orders settle without a payment.
      assert.deepEqual(
        findings.filter(({ rule }) => !rule.includes('settled payment')),
        [],
      )
      await assertOrdersInLedger(service.db, store.id)
    },
  }
}

test('fifty adjustments beside fifty checkouts: stock, ledger and orders agree', async () => {
  const { mug, stockOf, newBuyers, adjust, moves, assertBalanced } = await openScene(60)
  const crowd = crowdOf(50)
  const buyers = await newBuyers(crowd)
  const [orders, changes] = await Promise.all([
    Promise.all(buyers.map((buyer, i) => buyer.checkOut(i % 2 === 0 ? {} : { paymentMethod: 'cod' }))),
    Promise.all(Array.from({ length: crowd }, (_, i) => adjust({ delta: i % 2 === 0 ? -1 : 2 }))),
  ])
  const placed = orders.filter(({ status }) => status === 201)
  for (const answer of orders) if (answer.status !== 201) assertError(answer, 409, 'INSUFFICIENT_STOCK')
  for (const answer of changes) if (answer.status !== 200) assertError(answer, 409, 'INSUFFICIENT_STOCK')
  const added = changes.reduce((sum, { status }, i) => (status === 200 ? sum + (i % 2 === 0 ? -1 : 2) : sum), 0)
  const { onHand, reserved } = await stockOf(mug)
  assert.equal(onHand - reserved, 60 + added - placed.length)
  assert.equal((await moves('&cause=order')).length, placed.length)
  await assertBalanced()
})

test('setting the stock beside checkouts never sells a unit twice', async () => {
  const { mug, stockOf, newBuyers, adjust, moves, assertBalanced } = await openScene(5)
  const buyers = await newBuyers(crowdOf(40))
  const [{ id: last }] = await moves()
  const [orders, counts] = await Promise.all([
    Promise.all(buyers.map((buyer) => buyer.checkOut())),
    Promise.all(Array.from({ length: 6 }, () => adjust({ set: 3 }))),
  ])
  for (const { status, json } of counts) assert.deepEqual([status, json.available], [200, 3])
  const placed = orders.filter(({ status }) => status === 201).length
  assert.equal((await stockOf(mug)).reserved, placed)
  const rows: Move[] = (await moves()).filter(({ id }: Move) => id > last).reverse()
  assert.equal(rows.filter(({ cause }) => cause === 'order').length, placed)
  let available = 5
  for (const row of rows) {
    available += row.availableChange
    assert.equal(row.available, available, 'each move begins where the one before it ended')
    assert.ok(available >= 0)
    if (row.cause === 'adjustment') assert.equal(available, 3)
  }
  await assertBalanced()
})

test('the ledger names the order and the cause of every move of its units', async () => {
  const { shop, newBuyers, moves, assertBalanced } = await openScene(20)
  const [asha, kavya, ravi] = await newBuyers(3)
  const place = async (buyer: typeof asha) => (await buyer?.checkOut())?.json.order.id as string
  const paid = await place(asha)
  await failPayment(service, shop, paid)
  await payOrder(service, shop, paid)
  await withOrder(service, shop, paid, (tx, ctx, order) => refundOrder(tx, ctx, order))
  const cancelled = await place(kavya)
  await withOrder(service, shop, cancelled, (tx, ctx, order) => cancelOrder(tx, ctx, order, 'Changed my mind.'))
  const open = await place(ravi)
  const rows: Record<string, unknown>[] = (await moves()).reverse()
  assert.deepEqual(
    rows
      .filter(({ orderId }) => orderId !== null)
      .map(({ orderId, cause, onHandChange, reservedChange, availableChange, author }) => [
        ...[orderId, cause, onHandChange, reservedChange, availableChange, author],
      ]),
    [
      [paid, 'order', 0, 1, -1, null],
      [paid, 'order', -1, -1, 0, null],
      [paid, 'refund', 1, 0, 1, null],
      [cancelled, 'order', 0, 1, -1, null],
      [cancelled, 'cancel', 0, -1, 1, null],
      [open, 'order', 0, 1, -1, null],
    ],
  )
  await assertBalanced()
})

test('an order that fails leaves nothing in the ledger', async () => {
  const { newBuyers, moves, assertBalanced } = await openScene(0)
  const [asha] = await newBuyers(1)
  assertError((await asha?.checkOut()) as never, 409, 'INSUFFICIENT_STOCK')
  assert.deepEqual(await moves('&cause=order'), [])
  await assertBalanced()
})

test('the event of low stock comes at the threshold of the variant', async () => {
  const { store, variantId, newBuyers } = await openScene(10)
  await service.db.tx((tx) =>
    changeVariantThreshold(tx, store, commandLine, { product: null, variantId, threshold: 9 }),
  )
  const [asha, kavya] = await newBuyers(2)
  const events = () => service.db.many<{ type: string; data: { available: number; threshold: number } }>`
    select type, data from event where store_id = ${store.id} and type like 'stock.%'`
  await asha?.checkOut()
  await kavya?.checkOut()
  assert.deepEqual(
    (await events()).map(({ type, data }) => [type, data.available, data.threshold]),
    [['stock.low', 9, 9]],
  )
})
