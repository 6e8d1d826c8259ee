import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, startTestService, type TestService } from '../../../test/harness.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { commandLine } from '../audit/record.ts'
import { openStockShop, skusOf } from './stock-fixture.ts'
import { applyThreshold, changeVariantThreshold } from './stock-threshold.ts'

let service: TestService
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
})
after(() => service.close())

const openShop = () => openStockShop(service)

test('a variant can have its own threshold', async () => {
  const { shop, owner, list } = await openShop()
  const store = await shop.load()
  const setThreshold = (threshold: number | null) =>
    service.db.tx((tx) =>
      changeVariantThreshold(tx, store, commandLine, { product: null, variantId: 'MUG', threshold }),
    )
  await setThreshold(20)
  const [mug] = (await list('?sku=MUG')).data
  assert.deepEqual([mug?.lowStockThreshold, mug?.low], [20, true])
  assert.deepEqual(skusOf(await list('?stock=low')), ['BOWL', 'LAMP', 'MUG', 'POSTER'])
  await owner.inStore('PATCH', '/settings', { lowStockThreshold: 2 })
  assert.deepEqual(skusOf(await list('?stock=low')), ['BOWL', 'MUG', 'POSTER'])
  await setThreshold(null)
  assert.deepEqual(skusOf(await list('?stock=low')), ['BOWL', 'POSTER'])
  assert.equal((await list('?sku=MUG')).data[0]?.lowStockThreshold, 2)
  const [entry] = (await owner.inStore('GET', '/audit?action=variant.updated')).json.data
  assert.deepEqual(entry.changes, { lowStockThreshold: { before: 20, after: null } })
})

test('the product API sets thresholds of variants, and the stock rows follow', async () => {
  const { shop, owner, list } = await openShop()
  const { inStore } = owner
  const made = await inStore('POST', '/products', {
    name: 'Kurta',
    variants: [
      { options: { Size: 'S' }, sku: 'K-S', price: 1, stock: 9, lowStockThreshold: 9 },
      { options: { Size: 'M' }, sku: 'K-M', price: 1, stock: 9 },
    ],
  })
  assert.equal(made.status, 201, made.text)
  const [small, medium] = made.json.variants
  assert.deepEqual([small.lowStockThreshold, medium.lowStockThreshold], [9, null])
  const lowOf = async (sku: string) => {
    const [level] = (await list(`?sku=${sku}`)).data
    return [level?.lowStockThreshold, level?.low]
  }
  assert.deepEqual(
    [await lowOf('K-S'), await lowOf('K-M')],
    [
      [9, true],
      [5, false],
    ],
  )
  const path = `/products/${made.json.id}/variants/${small.id}`
  const etag = (await inStore('GET', path)).headers.get('etag') ?? ''
  const both = await Promise.all(
    [2, 3].map((lowStockThreshold) => inStore('PATCH', path, { lowStockThreshold }, { 'if-match': etag })),
  )
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 412])
  assert.equal((await lowOf('K-S'))[1], false)
  await Promise.all([
    inStore('PATCH', path, { lowStockThreshold: 11 }),
    inStore('PATCH', '/settings', { lowStockThreshold: 1 }),
    inStore('PATCH', `/products/${made.json.id}`, { name: 'Long kurta' }),
  ])
  assert.deepEqual(await lowOf('K-S'), [11, true])
  // If the settings were saved during the change of the variant, its job gives the stock rows the threshold.
  assert.equal(await applyThreshold(service.db, (await shop.load()).id, AbortSignal.timeout(60_000)), true)
  assert.deepEqual(await lowOf('K-M'), [1, false])
  const [entry] = (await inStore('GET', `/audit?resource=variant&resourceId=${small.id}`)).json.data
  assert.deepEqual(Object.keys(entry.changes), ['lowStockThreshold'])
  assert.equal((await inStore('PATCH', path, { lowStockThreshold: null, price: 2 })).json.lowStockThreshold, null)
  assert.deepEqual(await lowOf('K-S'), [1, false])
  const { id } = (await shop.get('/v1/products/mug')).json
  const mug = await inStore('PATCH', `/products/${id}`, { lowStockThreshold: 30 })
  assert.deepEqual([mug.json.lowStockThreshold, await lowOf('MUG')], [30, [30, true]])
  const copy = (await inStore('POST', `/products/${id}/duplicate`)).json
  assert.equal(copy.variants[0].lowStockThreshold, 30)
  await shop.add({ name: 'Mug', price: 12, stock: 20, sku: 'MUG' })
  assert.deepEqual(await lowOf('MUG'), [30, true], 'an import keeps it')
  for (const [body, of] of [
    [{ lowStockThreshold: -1 }, path],
    [{ lowStockThreshold: 1.5 }, path],
    [{ lowStockThreshold: 4 }, `/products/${made.json.id}`],
  ] as const)
    assertError(await inStore('PATCH', of, body), 400, 'BAD_REQUEST')
})
