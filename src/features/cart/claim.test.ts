import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, startTestService, type TestService } from '../../../test/harness.ts'
import { sessionOf, waitsOrEnds } from '../../../test/lock-waits.ts'
import { newCustomer, newGuest } from '../../../test/shoppers.ts'
import { openShop, quantities } from './fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

test('a claimed cart keeps its id if the customer has no cart, and then only the customer can open it', async () => {
  const { shop, mug } = await openShop(service)
  const [guest, asha] = [await newGuest(service, shop), await newCustomer(service, shop)]
  const { json } = await guest.call('POST', '/v1/cart', { body: { productId: mug, quantity: 2 } })
  const claimed = await asha.call('POST', `/v1/cart/${json.id}/claim`)
  assert.equal(claimed.status, 200, claimed.text)
  assert.equal(claimed.json.id, json.id)
  assert.equal(claimed.json.customerId, asha.id)
  assert.equal(claimed.headers.get('x-cart-id'), json.id)
  assert.deepEqual(quantities(claimed.json), [[mug, 2]])
  assertError(await guest.call('GET', `/v1/cart/${json.id}`), 404, 'NOT_FOUND')
  assert.deepEqual((await guest.call('GET', '/v1/cart')).json, [], 'the guest continues with an empty cart')
  assert.equal((await guest.call('POST', '/v1/cart', { body: { productId: mug } })).status, 201)
})

test('claiming adds quantities, limited by stock, and keeps the lines of the customer', async () => {
  const { shop, mug, lamp } = await openShop(service)
  const [guest, asha] = [await newGuest(service, shop), await newCustomer(service, shop)]
  await asha.call('POST', '/v1/cart', { body: { productId: mug, quantity: 7 } })
  const { json } = await guest.call('POST', '/v1/cart', {
    body: {
      items: [
        { productId: lamp, quantity: 2 },
        { productId: mug, quantity: 5 },
      ],
    },
  })
  const claimed = await asha.call('POST', `/v1/cart/${json.id}/claim`)
  assert.deepEqual(quantities(claimed.json), [
    [mug, 10],
    [lamp, 2],
  ])
  assert.deepEqual(claimed.json.warnings, [])
})

test('a line that sold out meanwhile is claimed too, with a warning', async () => {
  const { shop, lamp } = await openShop(service)
  const [guest, asha] = [await newGuest(service, shop), await newCustomer(service, shop)]
  const { json } = await guest.call('POST', '/v1/cart', { body: { productId: lamp, quantity: 2 } })
  await shop.add({ name: 'Lamp', price: 250, stock: 0 })
  const claimed = await asha.call('POST', `/v1/cart/${json.id}/claim`)
  assert.deepEqual(quantities(claimed.json), [[lamp, 1]])
  assert.equal(claimed.json.warnings[0].code, 'OUT_OF_STOCK')
  assert.equal((await asha.call('GET', '/v1/cart')).json[0].quantity, 1)
})

test('a claim while the customer gets a first cart elsewhere adds to that cart', async () => {
  const { shop, mug } = await openShop(service)
  const [guest, asha, store] = [await newGuest(service, shop), await newCustomer(service, shop), await shop.load()]
  const { json } = await guest.call('POST', '/v1/cart', { body: { productId: mug, quantity: 2 } })
  let claim: ReturnType<typeof asha.call> | undefined
  await service.db.tx(async (tx) => {
    await tx.run`
      insert into cart (store_id, id, customer_id, outlet_id, created_at, updated_at)
      select store_id, 'cart_first', ${asha.id}, outlet_id, now(), now() from cart
      where store_id = ${store.id} and id = ${json.id}`
    claim = asha.call('POST', `/v1/cart/${json.id}/claim`)
    await waitsOrEnds(service.db, await sessionOf(tx), claim)
  })
  const claimed = await claim
  assert.deepEqual([claimed?.status, claimed?.json.id], [200, 'cart_first'])
  assert.deepEqual(quantities(claimed?.json), [[mug, 2]])
})

test('a claim that waits for a change of the cart gets what it has changed', async () => {
  const { shop, mug } = await openShop(service)
  const [guest, asha, store] = [await newGuest(service, shop), await newCustomer(service, shop), await shop.load()]
  const { json } = await guest.call('POST', '/v1/cart', { body: { productId: mug, quantity: 2 } })
  let claim: ReturnType<typeof asha.call> | undefined
  await service.db.tx(async (tx) => {
    await tx.run`update cart set version = version + 1 where store_id = ${store.id} and id = ${json.id}`
    await tx.run`update cart_item set quantity = 4 where store_id = ${store.id} and cart_id = ${json.id}`
    claim = asha.call('POST', `/v1/cart/${json.id}/claim`)
    await waitsOrEnds(service.db, await sessionOf(tx), claim)
  })
  const claimed = await claim
  assert.deepEqual([claimed?.status, claimed?.json.id, claimed?.json.version], [200, json.id, 3])
  assert.deepEqual(quantities(claimed?.json), [[mug, 4]])
})

test('claiming twice, or claiming the own cart, changes nothing', async () => {
  const { shop, mug } = await openShop(service)
  const [guest, asha] = [await newGuest(service, shop), await newCustomer(service, shop)]
  const { json } = await guest.call('POST', '/v1/cart', { body: { productId: mug, quantity: 2 } })
  const first = await asha.call('POST', `/v1/cart/${json.id}/claim`)
  const second = await asha.call('POST', `/v1/cart/${json.id}/claim`)
  assert.deepEqual(second.json, first.json)
  assertError(await asha.call('POST', '/v1/cart/cart_none/claim'), 404, 'NOT_FOUND')
})

test('of two customers who claim one cart concurrently, one gets it and the other gets 404', async () => {
  const { shop, mug } = await openShop(service)
  const guest = await newGuest(service, shop)
  const customers = [await newCustomer(service, shop), await newCustomer(service, shop)]
  const { json } = await guest.call('POST', '/v1/cart', { body: { productId: mug, quantity: 2 } })
  const answers = await Promise.all(customers.map((one) => one.call('POST', `/v1/cart/${json.id}/claim`)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404])
})

test('adds that race a claim are claimed, go to a new guest cart, or get 404: none is lost', async () => {
  for (let round = 0; round < 5; round++) {
    const { shop, mug } = await openShop(service)
    await shop.add({ name: 'Mug', price: 100, stock: 500 })
    const [guest, asha] = [await newGuest(service, shop), await newCustomer(service, shop)]
    const { json } = await guest.call('POST', '/v1/cart', { body: { productId: mug } })
    const [claim, ...adds] = await Promise.all([
      asha.call('POST', `/v1/cart/${json.id}/claim`),
      ...Array.from({ length: 12 }, (_, i) =>
        i % 2
          ? guest.call('POST', '/v1/cart', { body: { productId: mug } })
          : guest.call('POST', `/v1/cart/${json.id}/items`, { body: { productId: mug } }),
      ),
    ])
    assert.equal(claim.status, 200, claim.text)
    const accepted = adds.filter(({ status }) => status < 300).length
    for (const { status, text } of adds) assert.ok([200, 201, 404].includes(status), text)
    const [own] = (await asha.call('GET', '/v1/cart')).json
    const [left] = (await guest.call('GET', '/v1/cart')).json
    assert.equal(own.quantity + (left?.quantity ?? 0), 1 + accepted)
  }
})
