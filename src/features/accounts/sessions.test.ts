import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, newStore, serviceFor, startTestService, type TestService } from '../../../test/harness.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { days, minutes } from '../../core/clock.ts'
import { openSession } from './sessions.ts'

let service: TestService
let neighbour: TestService
before(async () => {
  service = await startTestService()
  neighbour = await startTestService()
})
after(() => Promise.all([service.close(), neighbour.close()]))

/** Whether a session is valid, tested with a read that refuses invalid ones. */
const isAlive = async (at: TestService, shop: { key: string }, token: string) => {
  const headers = { 'x-store-key': shop.key, authorization: `Bearer ${token}` }
  const { status } = await at.call('/v1/store', { headers })
  assert.ok(status === 200 || status === 401, String(status))
  return status === 200
}

const logOut = (at: TestService, shop: { key: string }, token: string) =>
  at.call('/v1/auth/logout', {
    method: 'POST',
    headers: { 'x-store-key': shop.key, authorization: `Bearer ${token}` },
  })

test('a logout takes effect on every instance at once', async () => {
  const shop = await newStore(service)
  const { token } = await newCustomer(service, shop)
  for (const instance of [service, neighbour]) assert.equal(await isAlive(instance, shop, token), true)
  const out = await logOut(service, shop, token)
  assert.deepEqual([out.status, out.json], [200, { success: true }])
  for (const instance of [neighbour, service]) assert.equal(await isAlive(instance, shop, token), false)
  assertError(await logOut(neighbour, shop, token), 401, 'UNAUTHORIZED')
})

test('a logout ends one session and leaves the other sessions of the customer', async () => {
  const shop = await newStore(service)
  const asha = await newCustomer(service, shop)
  const store = await shop.load()
  const elsewhere = await service.db.tx((tx) => openSession(tx, { ...service.app.services, store }, asha.id))
  await logOut(service, shop, asha.token)
  assert.equal(await isAlive(service, shop, elsewhere.token), true)
})

test('a logout with no session, an ended one or one of another store is 401', async () => {
  const shop = await newStore(service)
  const other = await newStore(service)
  const { token } = await newCustomer(service, other)
  const bare = await service.call('/v1/auth/logout', { method: 'POST', headers: { 'x-store-key': shop.key } })
  assertError(bare, 401, 'UNAUTHORIZED')
  assertError(await logOut(service, shop, 'ses_00000000000000000000000000000000'), 401, 'UNAUTHORIZED')
  assertError(await logOut(service, shop, token), 401, 'UNAUTHORIZED')
  assert.equal(await isAlive(service, other, token), true)
})

test('a session lasts seven days', async (t) => {
  const moved = await serviceFor(t)
  const shop = await newStore(moved)
  const { token } = await newCustomer(moved, shop)
  moved.clock.advance(days(7) - minutes(1))
  assert.equal(await isAlive(moved, shop, token), true)
  moved.clock.advance(minutes(1))
  assert.equal(await isAlive(moved, shop, token), false)
})

test('the stored session hash cannot be used as a token', async () => {
  const shop = await newStore(service)
  const { token } = await newCustomer(service, shop)
  const { id } = await shop.load()
  const row = await service.db.one<{ text: string; hash: string }>`
    select row_to_json(s)::text as text, token_hash as hash from session s where store_id = ${id}`
  assert.equal(row.text.includes(token.slice(4)), false)
  assert.equal(await isAlive(service, shop, row.hash), false)
  assert.equal(await isAlive(service, shop, `ses_${row.hash}`), false)
})
