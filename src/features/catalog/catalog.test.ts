import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newStore, startTestService, type TestService } from '../../../test/harness.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

test('a product list is a bare array with the fields of the specification', async () => {
  const shop = await newStore(service)
  await shop.add({ name: 'Mug', description: 'Holds tea.', price: 449.5, category: 'Home > Mugs', stock: 7 })
  const { status, json } = await shop.get('/v1/products')
  assert.equal(status, 200)
  assert.equal(json.length, 1)
  const { id, ...rest } = json[0]
  assert.match(id, /^prod_/)
  assert.deepEqual(rest, {
    name: 'Mug',
    description: 'Holds tea.',
    price: 449.5,
    category: 'Mugs',
    stock: 7,
    images: [],
    status: 'ACTIVE',
    slug: 'mug',
    currency: 'INR',
    compareAtPrice: null,
    hasVariants: false,
  })
})
