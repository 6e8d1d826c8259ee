import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, newStore, startTestService, type TestService, type TestStore } from '../../../test/harness.ts'
import { newCustomer } from '../../../test/shoppers.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

type TestCustomer = Awaited<ReturnType<typeof newCustomer>>

const password = 'correct horse battery'

/** Turns the customer into one who signed up with a password. */
const givePassword = async (shop: TestStore, who: TestCustomer, email: string) => {
  const { id } = await shop.load()
  const { passwords } = service.app.services
  const hash = await passwords.runQueued({ storeId: id, client: '' }, (hashing) => hashing.hash(password))
  await service.db.run`
    update customer set email = ${email}, password_hash = ${hash} where store_id = ${id} and id = ${who.id}`
}

const change = (who: TestCustomer, body: unknown) => who.call('PATCH', '/v1/customer', { body })

const columnsOf = async (who: TestCustomer) =>
  service.db.one<{ phone: string | null; contact: string; email: string | null }>`
    select phone, contact_phone as contact, email from customer where id = ${who.id}`

test('a customer can read their profile', async () => {
  const asha = await newCustomer(service, await newStore(service), { name: 'Asha Rao' })
  const { status, json } = await asha.call('GET', '/v1/customer')
  assert.equal(status, 200)
  const { createdAt, updatedAt, ...rest } = json
  assert.deepEqual(rest, {
    ...{ id: asha.id, name: 'Asha Rao', email: '', phone: '' },
    ...{ emailVerified: false, phoneVerified: false },
  })
  assert.match(createdAt, /Z$/)
  assert.equal(updatedAt, createdAt)
})

test('customer data needs a bearer token, even if a server asserts the customer', async () => {
  const shop = await newStore(service)
  const asha = await newCustomer(service, shop)
  for (const path of ['/v1/customer', '/v1/customer/addresses']) {
    assertError(await shop.get(path), 401, 'UNAUTHORIZED')
    assertError(await shop.get(path, { 'x-customer-id': asha.id }), 401, 'UNAUTHORIZED')
  }
})

test('a key reads customers only with customer:read and changes them only with customer:write', async () => {
  const shop = await newStore(service)
  const asha = await newCustomer(service, shop)
  const reader = { 'x-store-key': (await shop.newKey({ scopes: ['customer:read'] })).key }
  const writer = { 'x-store-key': (await shop.newKey({ scopes: ['customer:write'] })).key }
  assert.equal((await asha.call('GET', '/v1/customer', { headers: reader })).status, 200)
  assertError(await asha.call('GET', '/v1/customer', { headers: writer }), 403, 'FORBIDDEN')
  assertError(await asha.call('PATCH', '/v1/customer', { headers: reader, body: {} }), 403, 'FORBIDDEN')
  assert.equal((await asha.call('PATCH', '/v1/customer', { headers: writer, body: {} })).status, 200)
})

test('fields that are sent change, and omitted fields do not', async () => {
  const asha = await newCustomer(service, await newStore(service))
  const first = await change(asha, { name: '  Asha Rao ', email: 'Asha@Example.com', phone: '+919876543210' })
  assert.equal(first.status, 200, first.text)
  assert.deepEqual(
    [first.json.name, first.json.email, first.json.phone, first.json.phoneVerified],
    ['Asha Rao', 'asha@example.com', '+919876543210', false],
  )
  const second = await change(asha, { name: 'Asha' })
  assert.deepEqual(
    [second.json.name, second.json.email, second.json.phone],
    ['Asha', 'asha@example.com', '+919876543210'],
  )
  assert.ok(second.json.updatedAt > first.json.updatedAt)
  assert.deepEqual((await asha.call('GET', '/v1/customer')).json, second.json)
})

test('an empty change and unknown fields change nothing, not even updatedAt', async () => {
  const asha = await newCustomer(service, await newStore(service))
  const before = (await asha.call('GET', '/v1/customer')).json
  for (const body of [{}, { id: 'cus_other', phoneVerified: true, passwordHash: 'x', name: 'Asha' }]) {
    const { status, json } = await change(asha, body)
    assert.equal(status, 200)
    assert.deepEqual(json, before)
  }
})

test('a changed phone is a contact number and does not replace the verified one', async () => {
  const shop = await newStore(service)
  const asha = await newCustomer(service, shop)
  const { id } = await shop.load()
  await service.db.run`update customer set phone = '+919876543210' where store_id = ${id} and id = ${asha.id}`
  const { json } = await change(asha, { phone: '+14155552671' })
  assert.deepEqual([json.phone, json.phoneVerified], ['+919876543210', true])
  const { phone, contact } = await columnsOf(asha)
  assert.deepEqual({ phone, contact }, { phone: '+919876543210', contact: '+14155552671' })
  assert.equal((await change(asha, { phone: '' })).status, 200)
  assert.deepEqual(await columnsOf(asha), { phone: '+919876543210', contact: '', email: null })
})

test('an invalid phone, email or name is 400', async () => {
  const asha = await newCustomer(service, await newStore(service))
  const faults = [
    { phone: '12' },
    { phone: 'call me' },
    { email: 'nobody' },
    { name: 7 },
    { name: null },
    { email: null },
  ]
  for (const body of [...faults, { name: 'x'.repeat(201) }, []]) {
    assertError(await change(asha, body), 400, 'BAD_REQUEST')
  }
})

test('a sign-in email cannot be taken by another customer with a password, also concurrently', async () => {
  const shop = await newStore(service)
  const [asha, ben, chen] = [
    await newCustomer(service, shop),
    await newCustomer(service, shop),
    await newCustomer(service, shop),
  ]
  await givePassword(shop, asha, 'asha@example.com')
  await givePassword(shop, ben, 'ben@example.com')
  await givePassword(shop, chen, 'chen@example.com')
  assertError(await change(asha, { email: 'BEN@example.com', name: 'Ben', currentPassword: password }), 409, 'CONFLICT')
  const { json } = await asha.call('GET', '/v1/customer')
  assert.deepEqual([json.email, json.name], ['asha@example.com', 'Asha'])
  const both = await Promise.all(
    [asha, chen].map((who) => change(who, { email: 'new@example.com', currentPassword: password })),
  )
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409])
})

test('a taken email can be used in another store, and as contact data of a customer without a password', async () => {
  const [shop, elsewhere] = [await newStore(service), await newStore(service)]
  await givePassword(shop, await newCustomer(service, shop), 'asha@example.com')
  const foreign = await newCustomer(service, elsewhere)
  await givePassword(elsewhere, foreign, 'other@example.com')
  assert.equal((await change(foreign, { email: 'asha@example.com', currentPassword: password })).status, 200)
  const guestLike = await newCustomer(service, shop)
  assert.equal((await change(guestLike, { email: 'asha@example.com' })).json.email, 'asha@example.com')
})

test('an email can be removed unless it is used for sign-in', async () => {
  const shop = await newStore(service)
  const asha = await newCustomer(service, shop)
  await change(asha, { email: 'asha@example.com' })
  assert.equal((await change(asha, { email: '' })).json.email, '')
  await givePassword(shop, asha, 'asha@example.com')
  assertError(await change(asha, { email: ' ' }), 400, 'BAD_REQUEST')
  assert.equal((await columnsOf(asha)).email, 'asha@example.com')
})
