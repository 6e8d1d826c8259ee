import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newProgram } from '../../../test/admin-callers.ts'
import { assertError, newStore, startTestService, type TestService, withinASecond } from '../../../test/harness.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { newRunner, serviceAlone } from '../../jobs/fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
})
after(() => service.close())

const open = async (at = service) => {
  const shop = await newStore(at)
  const { inStore } = await newProgram(at, shop)
  const audit = async (query: string) => (await inStore('GET', `/audit?${query}`)).json.data
  const create = async (body: object) => {
    const made = await inStore('POST', '/categories', body)
    assert.equal(made.status, 201, made.text)
    return made.json
  }
  return { shop, inStore, audit, create }
}

test('categories are created, renamed, moved and deleted, and the storefront shows it within a second', async () => {
  const { shop, inStore, audit, create } = await open()
  const home = await create({ name: 'Home' })
  const mugs = await create({ name: 'Mugs', parentId: home.id, image: 'https://a.example/m.jpg' })
  assert.deepEqual(mugs, {
    ...{ id: mugs.id, name: 'Mugs', slug: 'mugs', parentId: home.id, image: 'https://a.example/m.jpg' },
    ...{ mediaId: null, productCount: 0, position: 1 },
  })
  const shown = async () => (await shop.get('/v1/categories')).json.data
  assert.ok(await withinASecond(async () => (await shown()).length === 2))
  const changed = await inStore('PATCH', `/categories/${mugs.id}`, { name: 'Cups', parentId: null, position: 0 })
  assert.deepEqual(changed.json, { ...mugs, name: 'Cups', parentId: null, position: 0 })
  await inStore('PATCH', `/categories/${home.id}`, { position: 7 })
  const order = async () => (await shown()).map(({ name }: { name: string }) => name).join()
  assert.ok(await withinASecond(async () => (await order()) === 'Cups,Home'))
  assert.equal((await inStore('DELETE', `/categories/${home.id}`)).status, 204)
  assert.ok(await withinASecond(async () => (await shown()).length === 1))
  const entries = await audit('resource=category')
  assert.deepEqual(
    entries.map(({ action }: { action: string }) => action),
    ['category.deleted', 'category.updated', 'category.updated', 'category.created', 'category.created'],
  )
  assert.deepEqual(entries[2].changes.name, { before: 'Mugs', after: 'Cups' })
  assert.equal((await inStore('GET', '/categories?q=cu')).json.total, 1)
  assert.equal((await inStore('GET', '/categories?q=home')).json.total, 0)
})

test('impossible trees, taken names and bad input are refused', async () => {
  const { shop, inStore, create } = await open()
  const home = await create({ name: 'Home' })
  const mugs = await create({ name: 'Mugs', parentId: home.id })
  const other = await open()
  const foreign = await other.create({ name: 'Foreign' })
  for (const body of [{ name: ' ' }, { name: 'A > B' }, { name: 'a\nb' }, { image: 'javascript:x' }, { slug: 'A B' }])
    assertError(await inStore('PATCH', `/categories/${mugs.id}`, body), 400, 'BAD_REQUEST')
  for (const parentId of [home.id, mugs.id, 'cat_none', foreign.id])
    assertError(await inStore('PATCH', `/categories/${home.id}`, { parentId }), 400, 'BAD_REQUEST')
  assertError(await inStore('POST', '/categories', { name: 'Mugs', parentId: home.id }), 409, 'CONFLICT')
  assertError(await inStore('POST', '/categories', { name: 'Other', slug: 'mugs' }), 409, 'CONFLICT')
  assert.equal((await create({ name: 'Mugs' })).slug, 'mugs-2')
  let parentId = mugs.id
  for (let level = 3; level <= 10; level++) parentId = (await create({ name: `L${level}`, parentId })).id
  assertError(await inStore('POST', '/categories', { name: 'L11', parentId }), 400, 'BAD_REQUEST')
  assertError(await inStore('DELETE', `/categories/${home.id}`), 409, 'CONFLICT')
  await shop.add({ name: 'Mug', price: 1, category: 'Draft things', status: 'DRAFT' })
  assertError(await inStore('DELETE', '/categories/draft-things'), 409, 'CONFLICT')
  assertError(await other.inStore('DELETE', `/categories/${mugs.id}`), 404, 'NOT_FOUND')
  assertError(await other.inStore('PATCH', `/categories/${mugs.id}`, { name: 'X' }), 404, 'NOT_FOUND')
})

test('of two changes with the same ETag one is refused, and parallel creates make no two siblings of one name', async () => {
  const { inStore, create } = await open()
  const mugs = await create({ name: 'Mugs' })
  const etag = (await inStore('GET', `/categories/${mugs.id}`)).headers.get('etag') ?? ''
  const answers = await Promise.all(
    ['A', 'B', 'C'].map((name) => inStore('PATCH', `/categories/${mugs.id}`, { name }, { 'if-match': etag })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412])
  const made = await Promise.all(Array.from({ length: 4 }, () => inStore('POST', '/categories', { name: 'Same' })))
  assert.deepEqual(made.map(({ status }) => status).sort(), [201, 409, 409, 409])
  const headers = { 'idempotency-key': 'k' }
  const once = await Promise.all(
    Array.from({ length: 4 }, () => inStore('POST', '/categories', { name: 'Once' }, headers)),
  )
  assert.equal(new Set(once.map(({ json }) => json.id)).size, 1)
})

test('a category is deleted or gets a product, never both', async () => {
  const { inStore, create } = await open()
  for (let round = 0; round < 5; round++) {
    const { id } = await create({ name: `Round ${round}` })
    const [deleted, added] = await Promise.all([
      inStore('DELETE', `/categories/${id}`),
      inStore('POST', '/products', { name: `Mug ${round}`, price: 1, categoryId: id }),
    ])
    assert.deepEqual([deleted.status, added.status].sort(), deleted.status === 204 ? [204, 400] : [201, 409])
  }
})

test('a search finds products by the new name of their category, and no longer by the old one', async (t) => {
  const { service: alone } = await serviceAlone(t, { passwords: cheapPasswords })
  const { shop, inStore } = await open(alone)
  const names = Array.from({ length: 600 }, (_, i) => `Thing ${i}`)
  await shop.add(...names.map((name) => ({ name, price: 1, category: 'Crockery > Mugs' })))
  await shop.add({ name: 'Draft', price: 1, status: 'DRAFT', category: 'Crockery > Mugs' })
  const { runDue } = newRunner(alone)
  const total = async (q: string) => (await inStore('GET', `/products?q=${q}`)).json.total
  const found = async (q: string) => (await shop.get(`/v1/search?q=${q}`)).json.total
  assert.deepEqual([await total('crockery'), await found('crockery')], [601, 600])
  assert.equal((await inStore('PATCH', '/categories/crockery', { name: 'Tableware' })).status, 200)
  await runDue()
  assert.ok(await withinASecond(async () => (await found('tableware')) === 600))
  assert.deepEqual([await total('tableware'), await total('crockery'), await total('mugs')], [601, 0, 601])
  const moved = await inStore('PATCH', '/categories/mugs', { parentId: null })
  assert.equal(moved.status, 200, moved.text)
  await runDue()
  assert.deepEqual([await total('tableware'), await total('mugs')], [0, 601])
})
