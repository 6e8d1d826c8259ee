import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newStore, startTestService, type TestService, type TestStore } from '../../../test/harness.ts'
import { commandLine } from '../audit/record.ts'
import { adjustStock } from './adjust-stock.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

type Change = { product?: string; variant?: string; outletId?: string } & ({ quantity: number } | { delta: number })

const change = async (shop: TestStore, { product, variant, outletId, ...amount }: Change) => {
  const store = await shop.load()
  const named = { product: product ?? null, variantId: variant ?? null, outletId: outletId ?? null }
  return service.db.tx((tx) => adjustStock(tx, store, commandLine, { ...named, ...amount }))
}

const rows = async (shop: TestStore) => {
  const { id } = await shop.load()
  return service.db.many<{ onHand: number; reserved: number }>`
    select on_hand as "onHand", reserved from stock where store_id = ${id} order by variant_id, outlet_id`
}

const reserve = async (shop: TestStore, units: number) => {
  const { id } = await shop.load()
  await service.db.run`update stock set reserved = ${units} where store_id = ${id}`
}

const shirt = (name: string, ...skus: string[]) => ({
  name,
  options: [{ name: 'Size', values: skus.map((_, i) => `${i}`) }],
  variants: skus.map((sku, i) => ({ options: { Size: `${i}` }, sku, price: 10, stock: 5 })),
})

test('a unique SKU identifies a variant without its product', async () => {
  const [shop, other] = [await newStore(service), await newStore(service)]
  await shop.add(shirt('Shirt', 'S-1', 'S-2'), { name: 'Mug', price: 1, stock: 1, sku: 'MUG' })
  await other.add({ name: 'Mug', price: 1, stock: 1, sku: 'MUG' })
  const { variants } = (await shop.get('/v1/products/shirt')).json
  assert.deepEqual(await change(shop, { variant: 'S-2', quantity: 9 }), {
    ...{ variantId: variants[1].id, outletId: shop.outletId, onHand: 9, reserved: 0, available: 9 },
  })
  assert.equal((await change(shop, { product: 'shirt', variant: 'S-1', quantity: 2 })).variantId, variants[0].id)
  assert.equal((await change(shop, { variant: variants[0].id, delta: 1 })).available, 3)
  await change(shop, { variant: 'MUG', quantity: 7 })
  assert.deepEqual(await rows(other), [{ onHand: 1, reserved: 0 }])
})

test('a SKU of several variants is refused with the list of their ids', async () => {
  const shop = await newStore(service)
  await shop.add(shirt('Shirt', 'SAME', 'SAME'), { name: 'Mug', price: 1, stock: 1, sku: 'SAME' })
  const { variants } = (await shop.get('/v1/products/shirt')).json
  await assert.rejects(change(shop, { variant: 'SAME', delta: 1 }), (error: Error) => {
    assert.match(error.message, /^Several variants have the SKU SAME: /)
    assert.ok(error.message.includes(variants[0].id) && error.message.includes('(Mug)'), error.message)
    return true
  })
  await assert.rejects(change(shop, { product: 'shirt', variant: 'SAME', delta: 1 }), /Several variants have the SKU/)
  assert.equal((await change(shop, { product: 'mug', variant: 'SAME', delta: 1 })).available, 2)
})

test('concurrent additions and removals are all applied', async () => {
  const shop = await newStore(service)
  await shop.add({ name: 'Mug', price: 1, stock: 10, sku: 'MUG' })
  await Promise.all([
    ...Array.from({ length: 6 }, () => change(shop, { variant: 'MUG', delta: 5 })),
    ...Array.from({ length: 6 }, () => change(shop, { variant: 'MUG', delta: -1 })),
  ])
  assert.deepEqual(await rows(shop), [{ onHand: 34, reserved: 0 }])
})

test('reserved units cannot be removed, also concurrently', async () => {
  const shop = await newStore(service)
  await shop.add({ name: 'Mug', price: 1, stock: 10, sku: 'MUG' })
  await reserve(shop, 4)
  await assert.rejects(change(shop, { variant: 'MUG', delta: -7 }), {
    ...{ name: 'DomainError', message: /^Cannot reduce the stock by 7: only 6 available/ },
  })
  const results = await Promise.allSettled(Array.from({ length: 5 }, () => change(shop, { variant: 'MUG', delta: -2 })))
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 3)
  assert.deepEqual(await rows(shop), [{ onHand: 4, reserved: 4 }])
  assert.deepEqual((await shop.get('/v1/products?inStock=true')).json, [])
  assert.equal((await change(shop, { variant: 'MUG', delta: 1 })).available, 1)
})

test('units can be added at an outlet without a stock row', async () => {
  const shop = await newStore(service)
  await shop.add({ name: 'Mug', price: 1, stock: 10, sku: 'MUG' })
  const outletId = await shop.newOutlet('Pune')
  await assert.rejects(
    change(shop, { variant: 'MUG', outletId, delta: -1 }),
    /Cannot reduce the stock by 1: only 0 available/,
  )
  assert.deepEqual(await change(shop, { variant: 'MUG', outletId, delta: 5 }), {
    ...{ variantId: (await shop.get('/v1/products/mug')).json.variants[0].id, outletId },
    ...{ onHand: 5, reserved: 0, available: 5 },
  })
})
