import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newStaff } from '../../../test/admin-callers.ts'
import { newStore, startTestService, type TestService } from '../../../test/harness.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { listForAdmin } from './product-list.sql.ts'

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
  for (const isRare of [true, false]) {
    const page = { stock: 'out', sort: 'oldest', position: undefined, limit: 9 } as const
    const found = await listForAdmin(service.db, { storeId, outletId: defaultOutlet.id }, page, isRare)
    assert.equal(found.map(({ name }) => name).join(), 'Bowl,Linen shirt,Poster', `rare: ${isRare}`)
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
