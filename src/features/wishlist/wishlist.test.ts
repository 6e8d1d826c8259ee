import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type Answer,
  assertError,
  newStore,
  startTestService,
  type TestService,
  type TestStore,
} from '../../../test/harness.ts'
import { newCustomer, newGuest, type TestShopper } from '../../../test/shoppers.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const mug = { name: 'Mug', description: 'Holds tea.', price: 449.5, stock: 7, images: ['/demo/images/mug.svg'] }

/** A store with products, and their ids by name. */
const shopWith = async (...products: Record<string, unknown>[]) => {
  const shop = await newStore(service)
  await shop.add(...products)
  const listed: { id: string; name: string }[] = (await shop.get('/v1/products?limit=100')).json
  return { shop, ids: Object.fromEntries(listed.map(({ id, name }) => [name, id])) as Record<string, string> }
}

const add = (who: TestShopper, productId: string | undefined, headers: Record<string, string> = {}) =>
  who.call('POST', '/v1/wishlist', { body: { productId }, headers })

const names = (answer: Answer): string[] => {
  assert.equal(answer.status, 200, answer.text)
  return answer.json.map(({ product }: { product: { name: string } }) => product.name)
}

const wishesOf = async (who: TestShopper) => names(await who.call('GET', '/v1/wishlist'))

const eachKind = async (shop: TestStore): Promise<TestShopper[]> => [
  await newGuest(service, shop),
  await newCustomer(service, shop),
]

test('adding a product returns the list in the format of the specification', async () => {
  const { shop, ids } = await shopWith(mug)
  for (const who of await eachKind(shop)) {
    const added = await add(who, ids.Mug)
    assert.equal(added.status, 200, added.text)
    const [{ id, createdAt, ...rest }] = added.json
    assert.match(id, /^wish_/)
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual(rest, {
      productId: ids.Mug,
      product: {
        id: ids.Mug,
        name: 'Mug',
        price: 449.5,
        image: 'http://vitrine.test/demo/images/mug.svg',
        description: 'Holds tea.',
        inStock: true,
      },
    })
    assert.deepEqual((await who.call('GET', '/v1/wishlist')).json, added.json)
  }
})

test('a product without description and image has empty fields', async () => {
  const { shop, ids } = await shopWith({ name: 'Bare', price: 1 })
  const [{ product }] = (await add(await newGuest(service, shop), ids.Bare)).json
  assert.deepEqual(product, { id: ids.Bare, name: 'Bare', price: 1, image: '', description: '', inStock: false })
})

test('the newest item comes first', async () => {
  const { shop, ids } = await shopWith({ name: 'A', price: 1 }, { name: 'B', price: 1 }, { name: 'C', price: 1 })
  const guest = await newGuest(service, shop)
  for (const name of ['B', 'C', 'A']) await add(guest, ids[name])
  assert.deepEqual(await wishesOf(guest), ['A', 'C', 'B'])
})

test('price and stock are those of the requested outlet', async () => {
  const shop = await newStore(service)
  const outletId = await shop.newOutlet('Second')
  await shop.add({ name: 'Mug', price: 10, stock: { [shop.outletId]: 0, [outletId]: 4 }, prices: { [outletId]: 12 } })
  const [{ id }] = (await shop.get('/v1/products')).json
  const guest = await newGuest(service, shop)
  const [here] = (await add(guest, id)).json
  const [there] = (await guest.call('GET', '/v1/wishlist', { headers: { 'x-outlet-id': outletId } })).json
  assert.deepEqual([here.product.price, here.product.inStock], [10, false])
  assert.deepEqual([there.product.price, there.product.inStock], [12, true])
})

test('a guest without a token gets one with the first item, and the token finds the item again', async () => {
  const { shop, ids } = await shopWith(mug)
  const headers = { 'x-store-key': shop.key, 'content-type': 'application/json' }
  const body = JSON.stringify({ productId: ids.Mug })
  const added = await service.call('/v1/wishlist', { method: 'POST', headers, body })
  const token = added.headers.get('x-guest-token')
  assert.ok(token)
  assert.deepEqual(names(await shop.get('/v1/wishlist', { 'x-guest-token': token })), ['Mug'])
})

test('reading a wishlist writes nothing and takes at most one statement', async () => {
  const { shop, ids } = await shopWith(mug, { name: 'Plate', price: 2 })
  const guest = await newGuest(service, shop)
  const before = await guestRows(shop)
  assert.deepEqual((await shop.get('/v1/wishlist')).json, [])
  assert.deepEqual(await wishesOf(guest), [])
  assert.equal(await guestRows(shop), before)
  await add(guest, ids.Mug)
  await add(guest, ids.Plate)
  const texts: string[] = []
  const stop = service.db.onStatement((text) => texts.push(text))
  await shop.get('/v1/wishlist')
  assert.deepEqual(texts, [], 'a new guest has nothing to read')
  await wishesOf(guest)
  stop()
  assert.equal(texts.length, 1, texts.join('\n'))
})

const guestRows = async (shop: TestStore) => {
  const { id } = await shop.load()
  return (await service.db.one<{ count: number }>`select count(*) from guest where store_id = ${id}`).count
}

test('a product that is not on sale is 404, and so is one of another store', async () => {
  const { shop } = await shopWith({ name: 'Draft', price: 1, status: 'DRAFT', slug: 'draft' })
  const { ids: foreign } = await shopWith(mug)
  const { id } = await shop.load()
  const draft = await service.db.one<{ id: string }>`select id from product where store_id = ${id}`
  for (const who of await eachKind(shop)) {
    for (const productId of [draft.id, foreign.Mug, 'prod_none']) {
      assertError(await add(who, productId), 404, 'NOT_FOUND')
    }
    assert.deepEqual(await wishesOf(who), [])
  }
  assert.equal(await guestRows(shop), 0)
})

test('a product that is out of stock can be added', async () => {
  const { shop, ids } = await shopWith({ name: 'Sold out', price: 1, stock: 0 })
  const [{ product }] = (await add(await newGuest(service, shop), ids['Sold out'])).json
  assert.equal(product.inStock, false)
})

test('an invalid product id is 422', async () => {
  const { shop } = await shopWith(mug)
  const guest = await newGuest(service, shop)
  for (const body of [{}, { productId: 7 }, { productId: null }, { productId: '' }, []]) {
    assertError(await guest.call('POST', '/v1/wishlist', { body }), 422, 'UNPROCESSABLE_ENTITY')
  }
})

test('a product that goes off sale is hidden, and returns with its old date when it is on sale again', async () => {
  const { shop, ids } = await shopWith({ ...mug, slug: 'mug' }, { name: 'Plate', price: 2 })
  const asha = await newCustomer(service, shop)
  const [entry] = (await add(asha, ids.Mug)).json
  await add(asha, ids.Plate)
  await shop.add({ ...mug, slug: 'mug', status: 'ARCHIVED' })
  assert.deepEqual(await wishesOf(asha), ['Plate'])
  assertError(await add(asha, ids.Mug), 404, 'NOT_FOUND')
  await shop.add({ ...mug, slug: 'mug', status: 'ACTIVE' })
  assert.deepEqual((await asha.call('GET', '/v1/wishlist')).json[1], entry)
})

test('an entry can be removed once, by its own id or by the product id', async () => {
  const { shop, ids } = await shopWith(mug, { name: 'Plate', price: 2 }, { name: 'Bowl', price: 3 })
  for (const who of await eachKind(shop)) {
    for (const name of ['Mug', 'Plate', 'Bowl']) await add(who, ids[name])
    const [, plate] = (await who.call('GET', '/v1/wishlist')).json
    assert.deepEqual(names(await who.call('DELETE', `/v1/wishlist/${plate.id}`)), ['Bowl', 'Mug'])
    assert.deepEqual(names(await who.call('DELETE', `/v1/wishlist/${ids.Mug}`)), ['Bowl'])
    for (const id of [plate.id, ids.Mug]) assertError(await who.call('DELETE', `/v1/wishlist/${id}`), 404, 'NOT_FOUND')
  }
})

test("a shopper cannot read or change another shopper's wishlist", async () => {
  const { shop, ids } = await shopWith(mug)
  const { shop: elsewhere } = await shopWith(mug)
  const owners = await eachKind(shop)
  const strangers = [...(await eachKind(shop)), ...(await eachKind(elsewhere))]
  for (const owner of owners) {
    const [entry] = (await add(owner, ids.Mug)).json
    for (const stranger of [...strangers, ...owners.filter((other) => other !== owner)]) {
      assertError(await stranger.call('DELETE', `/v1/wishlist/${entry.id}`), 404, 'NOT_FOUND')
    }
    for (const stranger of strangers) {
      assertError(await stranger.call('DELETE', `/v1/wishlist/${ids.Mug}`), 404, 'NOT_FOUND')
      assert.deepEqual(await wishesOf(stranger), [])
    }
    assert.deepEqual(await wishesOf(owner), ['Mug'])
    await owner.call('DELETE', `/v1/wishlist/${entry.id}`)
  }
})

test('a server that asserts a customer gets the same list as the customer', async () => {
  const { shop, ids } = await shopWith(mug)
  const asha = await newCustomer(service, shop)
  await add(asha, ids.Mug)
  assert.deepEqual(names(await shop.get('/v1/wishlist', { 'x-customer-id': asha.id })), ['Mug'])
})

test('a merged guest can neither read nor write, and gets a new token', async () => {
  const { shop, ids } = await shopWith(mug)
  const guest = await newGuest(service, shop)
  const [entry] = (await add(guest, ids.Mug)).json
  const { id } = await shop.load()
  await service.db.run`update guest set merged_at = vitrine_now() where store_id = ${id}`
  const refused = [
    await guest.call('GET', '/v1/wishlist'),
    await add(guest, ids.Mug),
    await guest.call('DELETE', `/v1/wishlist/${entry.id}`),
  ]
  for (const answer of refused) {
    assertError(answer, 400, 'BAD_REQUEST')
    const token = answer.headers.get('x-guest-token')
    assert.ok(token && token !== guest.token)
    assert.deepEqual((await shop.get('/v1/wishlist', { 'x-guest-token': token })).json, [])
  }
})

test('concurrent adds of one product create one entry', async () => {
  const { shop, ids } = await shopWith(mug)
  for (const who of await eachKind(shop)) {
    const answers = await Promise.all(Array.from({ length: 8 }, () => add(who, ids.Mug)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(409)])
    for (const answer of answers.filter(({ status }) => status === 409)) assertError(answer, 409, 'CONFLICT')
    assert.deepEqual(await wishesOf(who), ['Mug'])
  }
})

test('concurrent adds of different products are all kept', async () => {
  const products = Array.from({ length: 8 }, (_, i) => ({ name: `P${i}`, price: 1 }))
  const { shop, ids } = await shopWith(...products)
  for (const who of await eachKind(shop)) {
    const answers = await Promise.all(Object.values(ids).map((id) => add(who, id)))
    for (const { status, text } of answers) assert.equal(status, 200, text)
    assert.equal((await wishesOf(who)).length, 8)
  }
})

test('a list holds at most two hundred products, also with concurrent adds', async () => {
  const products = Array.from({ length: 203 }, (_, i) => ({ name: `P${i}`, price: 1 }))
  const { shop } = await shopWith(...products)
  const { id: storeId } = await shop.load()
  const asha = await newCustomer(service, shop)
  await service.db.run`
    insert into wishlist_item (store_id, id, customer_id, product_id, created_at)
    select store_id, 'wish_' || seq, ${asha.id}, id, vitrine_now() from product
    where store_id = ${storeId} and name not in ('P199', 'P200', 'P201', 'P202')`
  const rest = await service.db.many<{ id: string }>`
    select id from product where store_id = ${storeId} and name in ('P199', 'P200', 'P201', 'P202')`
  const answers = await Promise.all(rest.map(({ id }) => add(asha, id)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409])
  assert.equal((await wishesOf(asha)).length, 200)
  const refused = answers.find(({ status }) => status === 409) as Answer
  assertError(refused, 409, 'CONFLICT')
  assert.match(refused.json.error, /200/)
})

test('the same Idempotency-Key adds once and returns the first response again', async () => {
  const { shop, ids } = await shopWith(mug, { name: 'Plate', price: 2 })
  for (const who of await eachKind(shop)) {
    const key = { 'idempotency-key': 'one' }
    const together = await Promise.all([add(who, ids.Mug, key), add(who, ids.Mug, key)])
    for (const answer of together) assert.deepEqual(names(answer), ['Mug'])
    assert.deepEqual(names(await add(who, ids.Mug, key)), ['Mug'])
    assertError(await add(who, ids.Plate, key), 409, 'CONFLICT')
    assert.deepEqual(await wishesOf(who), ['Mug'])
  }
})
