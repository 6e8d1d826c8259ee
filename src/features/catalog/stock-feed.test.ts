import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { notOnCluster, onlyOnCluster } from '../../../test/cluster.ts'
import { startTestService, type TestService, type TestStore } from '../../../test/harness.ts'
import { randomFor } from '../../../test/traffic/random.ts'
import { openShop } from '../checkout/fixture.ts'
import { readStockChanges, readStockSnapshot, type SoldProduct } from './stock-feed.sql.ts'
import { moveStock } from './stock-moves.sql.ts'

let service: TestService
let neighbour: TestService
before(async () => {
  service = await startTestService()
  neighbour = await startTestService()
})
after(() => Promise.all([service.close(), neighbour.close()]))

const take = { onHand: 0, reserved: 1, mustBeFree: true } as const
const note = { cause: 'order', orderId: null, reason: null, actor: null } as const

/** Answers of one instance, read as a shopper would. */
const readAt = (at: TestService, shop: Pick<TestStore, 'key'>) => async (path: string) => {
  let statements = 0
  const stop = at.db.onStatement((text) => {
    if (/\blisting\b/.test(text)) statements++
  })
  const { json, text, status } = await at.call(path, { headers: { 'x-store-key': shop.key } })
  stop()
  assert.equal(status, 200, text)
  return { json, isCached: statements === 0 }
}

const until = async (isSo: () => Promise<boolean>) => {
  for (const began = Date.now(); Date.now() - began < 30_000; await sleep(50)) if (await isSo()) return
  assert.fail('not within 30 seconds')
}

const oneServer = notOnCluster('its servers number their transactions each for itself, so what was sold is not read')

test(
  'a sale at another instance is seen, and answers without that product stay cached for longer than a second',
  oneServer,
  async () => {
    const { shop, mug, lamp, newBuyer } = await openShop(service)
    const read = readAt(neighbour, shop)
    const stockOf = async (id: string) => (await read(`/v1/products/${id}`)).json.stock as number
    const [mugs, lamps] = [await stockOf(mug), await stockOf(lamp)]
    assert.equal((await (await newBuyer({ productId: mug })).checkOut()).status, 201)
    await until(async () => (await stockOf(mug)) === mugs - 1)
    await until(async () =>
      (await read('/v1/products')).json.some(({ stock }: { stock: number }) => stock === mugs - 1),
    )
    // Each time the answer is older than the second for which it is cached at least.
    await until(async () => {
      await sleep(1_100)
      const { json, isCached } = await read(`/v1/products/${lamp}`)
      assert.equal(json.stock, lamps)
      return isCached
    })
  },
)

test('a product that is sold out leaves the list of what is in stock', async () => {
  const { shop, newBuyer } = await openShop(service, { name: 'Last one', price: 10, stock: 1 })
  const { id: last } = (await shop.get('/v1/products/last-one')).json
  const read = readAt(neighbour, shop)
  const isListed = async () =>
    (await read('/v1/products?inStock=true')).json.some(({ id }: { id: string }) => id === last)
  assert.equal(await isListed(), true)
  await sleep(1_100)
  assert.equal(await isListed(), true)
  assert.equal((await (await newBuyer({ productId: last })).checkOut()).status, 201)
  await until(async () => !(await isListed()))
})

test('on several servers a sale is seen because answers are cached for a second', onlyOnCluster, async () => {
  const { shop, mug, newBuyer } = await openShop(service)
  const read = readAt(neighbour, shop)
  const { stock } = (await read(`/v1/products/${mug}`)).json
  for (let round = 0; round < 3; round++) {
    await sleep(1_100)
    assert.equal((await read(`/v1/products/${mug}`)).isCached, false)
  }
  assert.equal((await (await newBuyer({ productId: mug })).checkOut()).status, 201)
  await until(async () => (await read(`/v1/products/${mug}`)).json.stock === stock - 1)
})

test(
  'every change is reported once, whatever the order in which transactions begin and commit',
  oneServer,
  async (t) => {
    const random = randomFor(t)
    // Each transaction has a product of its own, because those of one product wait for each other.
    const names = Array.from({ length: 60 }, (_, i) => `thing-${i}`)
    const { shop } = await openShop(service, ...names.map((name) => ({ name, price: 10, stock: 10 })))
    const { id, defaultOutlet } = await shop.load()
    const variants = await service.db.many<{ id: string; productId: string }>`
    select v.id, v.product_id as "productId" from variant v
    join product p on p.store_id = v.store_id and p.id = v.product_id
    where v.store_id = ${id} and p.slug = any(${names})`
    let snapshot = await readStockSnapshot(service.db)
    const reported: SoldProduct[] = []
    let isOver = false
    const reading = (async () => {
      for (;;) {
        const wasOver = isOver
        const changes = await readStockChanges(service.db, snapshot)
        snapshot = changes.snapshot
        reported.push(...changes.changed.filter(({ storeId }) => storeId === id))
        if (wasOver) return
        await sleep(random() * 10)
      }
    })()
    const sell = async (variantId: string) => {
      await sleep(random() * 300)
      await service.db.tx(async (tx) => {
        await sleep(random() * 30)
        await moveStock(tx, id, defaultOutlet.id, [{ variantId, quantity: 1 }], take, note)
        await sleep(random() * 30)
      })
    }
    await Promise.all(variants.map((variant) => sell(variant.id)))
    isOver = true
    await reading
    assert.equal(variants.length, names.length)
    assert.deepEqual(
      reported.map(({ productId }) => productId).sort(),
      variants.map(({ productId }) => productId).sort(),
    )
  },
)
