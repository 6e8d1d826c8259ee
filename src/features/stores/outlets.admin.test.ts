import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newProgram } from '../../../test/admin-callers.ts'
import { assertError, newStore, startTestService, type TestService, withinASecond } from '../../../test/harness.ts'
import { newGuest } from '../../../test/shoppers.ts'
import { cheapPasswords } from '../../../test/world.ts'

let service: TestService
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
})
after(() => service.close())

const open = async () => {
  const shop = await newStore(service)
  const { inStore } = await newProgram(service, shop)
  const audit = async (query: string) => (await inStore('GET', `/audit?${query}`)).json.data
  return { shop, inStore, audit }
}

test('an outlet is created, renamed, made the default and deleted, and the storefront shows it within a second', async () => {
  const { shop, inStore, audit } = await open()
  await shop.add({ name: 'Mug', price: 10, stock: 3 })
  const made = await inStore('POST', '/outlets', { name: 'Pune' })
  assert.deepEqual([made.status, made.json.name, made.json.isDefault], [201, 'Pune', false])
  const { id } = made.json
  const products = async () => (await shop.get('/v1/products', { 'x-outlet-id': id })).json
  assert.ok(await withinASecond(async () => (await products())[0]?.stock === 0))
  const changed = await inStore('PATCH', `/outlets/${id}`, { name: 'Pune (Camp)', isDefault: true })
  assert.deepEqual([changed.json.name, changed.json.isDefault], ['Pune (Camp)', true])
  assert.ok(await withinASecond(async () => (await shop.get('/v1/store')).json.defaultOutletId === id))
  assert.ok(await withinASecond(async () => (await shop.get('/v1/products')).json[0].stock === 0))
  assertError(await inStore('DELETE', `/outlets/${id}`), 409, 'CONFLICT')
  await inStore('PATCH', `/outlets/${shop.outletId}`, { isDefault: true })
  assert.equal((await inStore('DELETE', `/outlets/${id}`)).status, 204)
  assert.ok(await withinASecond(async () => (await shop.get('/v1/store')).json.outlets.length === 1))
  assertError(await inStore('GET', `/outlets/${id}`), 404, 'NOT_FOUND')
  const { data, total } = (await inStore('GET', '/outlets')).json
  assert.deepEqual([total, data[0].id, data[0].isDefault], [1, shop.outletId, true])
  const actions = (await audit(`resource=outlet&resourceId=${id}`)).map(({ action }: { action: string }) => action)
  assert.deepEqual(actions, ['outlet.deleted', 'outlet.updated', 'outlet.created'])
})

test('an outlet with stock, carts or orders is not deleted', async () => {
  const { shop, inStore } = await open()
  const [stocked, chosen] = [await shop.newOutlet('Stocked'), await shop.newOutlet('Chosen')]
  await shop.add({ name: 'Mug', price: 10, stock: { [stocked]: 3, [chosen]: 1 }, prices: { [chosen]: 9 } })
  assertError(await inStore('DELETE', `/outlets/${stocked}`), 409, 'CONFLICT')
  const guest = await newGuest(service, shop)
  const [product] = (await shop.get('/v1/products')).json
  const body = { productId: product.id, quantity: 1 }
  const cart = await guest.call('POST', '/v1/cart', { body, headers: { 'x-outlet-id': chosen } })
  assert.equal(cart.status, 201, cart.text)
  const { id } = await shop.load()
  await service.db.run`update stock set on_hand = 0 where store_id = ${id}`
  assertError(await inStore('DELETE', `/outlets/${chosen}`), 409, 'CONFLICT')
  assert.equal((await shop.get('/v1/products', { 'x-outlet-id': chosen })).json[0].price, 9)
  assert.equal((await inStore('DELETE', `/outlets/${stocked}`)).status, 204)
})

test('an outlet is deleted or gets products, never half of it', async () => {
  const { shop, inStore } = await open()
  for (let round = 0; round < 4; round++) {
    const outlet = await shop.newOutlet(`Round ${round}`)
    const [deleted, added] = await Promise.all([
      inStore('DELETE', `/outlets/${outlet}`),
      inStore('POST', '/products', { name: `Mug ${round}`, price: 1 }),
    ])
    assert.deepEqual([deleted.status, added.status], [204, 201], `${deleted.text} ${added.text}`)
  }
  const { id } = await shop.load()
  const rows = await service.db.many`select distinct outlet_id from listing where store_id = ${id}`
  assert.equal(rows.length, 1)
})

test('of two changes of an outlet or of the menu with the same ETag one is refused', async () => {
  const { shop, inStore } = await open()
  const items = [{ label: 'Sale', type: 'page', target: 'sale' }]
  const bodies: Record<string, object[]> = {
    [`/outlets/${shop.outletId}`]: [{ name: 'A' }, { name: 'B' }],
    '/menu': [{ items }, { items: [...items, ...items] }],
  }
  for (const [path, changes] of Object.entries(bodies)) {
    const etag = (await inStore('GET', path)).headers.get('etag') ?? ''
    const answers = await Promise.all(changes.map((body) => inStore('PATCH', path, body, { 'if-match': etag })))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412], path)
    const winner = answers.find(({ status }) => status === 200)
    assert.equal(winner?.headers.get('etag'), (await inStore('GET', path)).headers.get('etag'))
  }
})

test('the menu is read and replaced, and a bad one changes nothing', async () => {
  const { shop, inStore, audit } = await open()
  const child = { label: 'Mugs', type: 'category', target: 'mugs' }
  const items = [{ label: 'Home', type: 'link', target: 'https://a.example/', children: [child] }]
  const changed = await inStore('PATCH', '/menu', { items })
  assert.equal(changed.status, 200, changed.text)
  assert.equal(changed.json.items[0].children[0].label, 'Mugs')
  assert.ok(await withinASecond(async () => (await shop.get('/v1/menu')).json.items.length === 1))
  const deep = { ...child, children: [{ ...child, children: [{ ...child, children: [child] }] }] }
  for (const bad of [
    [{ ...child, target: 'javascript:alert(1)' }],
    [{ label: 'x' }],
    [deep],
    [{ ...child, type: 'x' }],
  ])
    assertError(await inStore('PATCH', '/menu', { items: bad }), 400, 'BAD_REQUEST')
  assert.deepEqual((await inStore('GET', '/menu')).json, changed.json)
  const [entry] = await audit('action=menu.updated')
  assert.equal(entry.changes.items.after[0].label, 'Home')
})
