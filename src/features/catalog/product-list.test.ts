import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newStaff } from '../../../test/admin-callers.ts'
import { newStore, startTestService, type TestService } from '../../../test/harness.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { countForAdmin, listForAdmin } from './product-list.sql.ts'

let service: TestService
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
})
after(() => service.close())

test('products that are low or sold out are listed, with every other filter and as CSV', async () => {
  const shop = await newStore(service)
  await shop.add(
    { name: 'Mug', price: 10, stock: 20 },
    { name: 'Lamp', price: 10, stock: 3 },
    { name: 'Bowl', price: 10, stock: 0 },
    {
      name: 'Linen shirt',
      options: [{ name: 'Size', values: ['S', 'M'] }],
      variants: ['S', 'M'].map((size) => ({ options: { Size: size }, sku: `SHIRT-${size}`, price: 10, stock: 50 })),
    },
    { name: 'Poster', price: 1 },
  )
  const { inStore } = await newStaff(service, shop)
  const names = async (query: string) => {
    const { json, text } = await inStore('GET', `/products?${query}`)
    assert.equal(json?.total, json?.data?.length, text)
    return json.data.map(({ name }: { name: string }) => name).join()
  }
  assert.equal(await names('stock=out&sort=name'), 'Bowl,Poster')
  assert.equal(await names('stock=low&sort=-name'), 'Poster,Lamp,Bowl')
  assert.equal(await names('stock=low&q=la'), 'Lamp')
  assert.equal(await names('stock=low&status=DRAFT'), '')
  await inStore('POST', '/stock/adjust', { sku: 'SHIRT-M', set: 0, reason: 'Counted' })
  const { id: storeId, defaultOutlet } = await shop.load()
  // Each way of finding them finds the same.
  for (const areWordsRare of [true, false]) {
    for (const sort of ['newest', 'oldest', 'name', '-name'] as const) {
      const words = [{ text: 'l', prefix: true }]
      const page = { stock: 'low', words, sort, position: undefined, limit: 9 } as const
      const outlet = { storeId, outletId: defaultOutlet.id }
      const rarity = { areWordsRare, isStockRare: false }
      const found = await listForAdmin(service.db, outlet, page, rarity)
      const isLampFirst = sort === 'oldest' || sort === 'name'
      assert.equal(
        found.map(({ name }) => name).join(),
        isLampFirst ? 'Lamp,Linen shirt' : 'Linen shirt,Lamp',
        `rare: ${areWordsRare} ${sort}`,
      )
      const counted = await countForAdmin(service.db, outlet, page, { ...rarity, limit: 9, areCommon: false })
      assert.equal(counted, 2)
    }
  }
  for (const isStockRare of [true, false]) {
    const page = { stock: 'out', sort: 'oldest', position: undefined, limit: 9 } as const
    const found = await listForAdmin(service.db, { storeId, outletId: defaultOutlet.id }, page, {
      areWordsRare: false,
      isStockRare,
    })
    assert.equal(found.map(({ name }) => name).join(), 'Bowl,Linen shirt,Poster', `rare: ${isStockRare}`)
  }
  assert.equal(await names('stock=out&sort=oldest'), 'Bowl,Linen shirt,Poster')
  const csv = (await inStore('GET', '/products?stock=out&format=csv&sort=name')).text
  assert.equal(csv.trim().split('\r\n').length, 4)
  const idOf = async (slug: string) => (await shop.get(`/v1/products/${slug}`)).json
  const [shirt, bowl, poster] = [await idOf('linen-shirt'), await idOf('bowl'), await idOf('poster')]
  await inStore('PATCH', `/products/${shirt.id}/variants/${shirt.variants[1].id}`, { active: false })
  await inStore('PATCH', `/products/${poster.id}/variants/${poster.variants[0].id}`, { stockTracked: false })
  await inStore('DELETE', `/products/${bowl.id}`)
  assert.equal(await names('stock=out'), '')
  assert.equal(await names('stock=out&status=ARCHIVED'), 'Bowl')
})
