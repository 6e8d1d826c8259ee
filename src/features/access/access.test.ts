import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, newStore, startTestService, type TestService, withinASecond } from '../../../test/harness.ts'
import { distantServiceFor, openLine } from '../../../test/outage.ts'
import { minutes } from '../../core/clock.ts'
import { hashSecret } from '../../core/secrets.ts'
import type { Queries } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Store } from '../context.ts'
import { revokeKey } from '../stores/stores.ts'
import { createDirectory } from './directory.ts'
import { createLookupLimit } from './lookups.ts'
import { createLocalCounter } from './rate-limit.ts'
import { scopes } from './storefront.contract.ts'

let service: TestService
let twin: TestService
before(async () => {
  ;[service, twin] = await Promise.all([startTestService(), startTestService()])
})
after(() => Promise.all([service.close(), twin.close()]))

const statusOn = async (instance: { call: TestService['call'] }, key: string, path = '/v1/store') =>
  (await instance.call(path, { headers: { 'x-store-key': key } })).status

const isRefusedOn = (instance: { call: TestService['call'] }, key: string) =>
  withinASecond(async () => (await statusOn(instance, key)) === 401)

test('a key works in both headers, whatever the case of the header name', async () => {
  const shop = await newStore(service)
  for (const name of ['X-Store-Key', 'x-store-key', 'x-api-key', 'X-API-KEY']) {
    assert.equal((await service.call('/v1/store', { headers: { [name]: shop.key } })).status, 200, name)
  }
})

test('the database stores the hash of a key and never the key', async () => {
  const shop = await newStore(service)
  const secrets = [shop.key, shop.serverKey, shop.browserKey, shop.logisticsKey, shop.paymentWebhook.password]
  const tables = await service.db.many<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`
  assert.ok(tables.some(({ name }) => name === 'store_key'))
  for (const { name } of tables) {
    for (const secret of secrets) assert.equal(await countRowsHolding(name, secret), 0, name)
  }
  assert.equal(await countRowsHolding('store_key', hashSecret(shop.key)), 1)
})

const countRowsHolding = async (table: string, text: string) => {
  // The name comes from the system catalog, so it is safe to insert.
  const from = sql([`${table} t`] as unknown as TemplateStringsArray)
  const { count } = await service.db.one<{ count: number }>`
    select count(*) from ${from} where position(${text} in t::text) > 0`
  return count
}

test('a server key has all scopes, and a browser key cannot assert customers', async () => {
  const shop = await newStore(service)
  assert.deepEqual((await shop.newKey({ kind: 'server' })).scopes, scopes)
  const browser = await shop.newKey({ kind: 'browser' })
  assert.deepEqual(
    browser.scopes,
    scopes.filter((scope) => scope !== 'customers:assert'),
  )
})

test('a key can call only the endpoints that its scopes allow', async () => {
  const shop = await newStore(service)
  const { key } = await shop.newKey({ scopes: ['products:read'] })
  assert.equal(await statusOn(service, key, '/v1/products'), 200)
  assert.equal(await statusOn(service, key, '/v1/store'), 403)
  const { key: useless } = await shop.newKey({ scopes: [] })
  assert.equal(await statusOn(service, useless, '/v1/products'), 403)
})

test('a key with an unknown scope cannot be created', async () => {
  const shop = await newStore(service)
  await assert.rejects(shop.newKey({ scopes: ['products:write'] }), { code: 'SCOPE_UNKNOWN' })
})

test('a revoked key is refused within a second on every instance', async () => {
  const shop = await newStore(service)
  const { id, key } = await shop.newKey()
  assert.equal(await statusOn(service, key), 200)
  assert.equal(await statusOn(twin, key), 200)
  await service.db.tx((tx) => revokeKey(tx, id))
  assert.ok(await isRefusedOn(service, key))
  assert.ok(await isRefusedOn(twin, key))
  assert.equal(await statusOn(service, shop.key), 200, 'other keys of the store still work')
})

test('a revoked key is refused within a second even by an instance that receives no notifications', async (t) => {
  const [queries, news] = [await openLine(t), await openLine(t)]
  // Its queries may take as long as they need: only the news does not come.
  const deaf = await distantServiceFor(t, { lines: { queries, news }, patienceMs: 10_000 })
  news.silence()
  const shop = await newStore(service)
  const { id, key } = await shop.newKey({ rateLimit: 10_000 })
  assert.equal(await statusOn(deaf, key), 200)
  await service.db.tx((tx) => revokeKey(tx, id))
  assert.ok(await isRefusedOn(deaf, key))
})

test('revoking a key twice leaves it revoked, and the error for an unknown key names it', async () => {
  const shop = await newStore(service)
  const { id, key } = await shop.newKey()
  const first = await service.db.tx((tx) => revokeKey(tx, id))
  const second = await service.db.tx((tx) => revokeKey(tx, id))
  assert.deepEqual(second.revokedAt, first.revokedAt)
  assert.ok(await isRefusedOn(service, key))
  await assert.rejects(
    service.db.tx((tx) => revokeKey(tx, 'key_nobody_has')),
    /key_nobody_has/,
  )
})

test('a key expires to the millisecond, also when its answers are cached', async (t) => {
  const own = await startTestService()
  t.after(() => own.close())
  const shop = await newStore(own)
  const { key } = await shop.newKey({ expiresAt: new Date(own.clock.now() + minutes(10)) })
  assert.equal(await statusOn(own, key), 200)
  assert.equal(await statusOn(own, key), 200)
  own.clock.advance(minutes(9))
  assert.equal(await statusOn(own, key), 200)
  own.clock.advance(minutes(1))
  assert.equal(await statusOn(own, key), 401)
})

test('X-Outlet-Id selects an outlet of the store, and the default outlet is used without it', async () => {
  const shop = await newStore(service)
  const second = await shop.newOutlet('Second')
  await shop.add({ name: 'Mug', price: 10, stock: { [shop.outletId]: 3, [second]: 8 } })
  const stockAt = async (headers: Record<string, string>) => (await shop.get('/v1/products', headers)).json[0].stock
  // Twice, because the second round is answered from the cache.
  for (let round = 0; round < 2; round++) {
    assert.equal(await stockAt({}), 3)
    assert.equal(await stockAt({ 'x-outlet-id': shop.outletId }), 3)
    assert.equal(await stockAt({ 'x-outlet-id': second }), 8)
  }
})

test('an unknown outlet and an outlet of another store get the same error', async () => {
  const shop = await newStore(service)
  const other = await newStore(service)
  const foreign = await shop.get('/v1/products', { 'x-outlet-id': other.outletId })
  const unknown = await shop.get('/v1/products', { 'x-outlet-id': 'outlet_nowhere' })
  assertError(foreign, 400, 'BAD_REQUEST')
  assertError(unknown, 400, 'BAD_REQUEST')
  assert.equal(foreign.text, unknown.text)
})

test('a new outlet can be used within a second on every instance', async () => {
  const shop = await newStore(service)
  assert.equal(await statusOn(twin, shop.key), 200)
  const outlet = await shop.newOutlet('New')
  const headers = { 'x-store-key': shop.key, 'x-outlet-id': outlet }
  assert.ok(await withinASecond(async () => (await twin.call('/v1/products', { headers })).status === 200))
})

test('a header that contains two keys is refused', async () => {
  const shop = await newStore(service)
  assertError(await shop.get('/v1/store', { 'x-store-key': `${shop.key}, ${shop.key}` }), 401, 'UNAUTHORIZED')
})

test('WWW-Authenticate in a 401 shows whether the session or the key is invalid', async () => {
  const shop = await newStore(service)
  const askWith = async (headers: Record<string, string>) => {
    const answer = await shop.get('/v1/customer', headers)
    assertError(answer, 401, 'UNAUTHORIZED')
    return answer.headers.get('www-authenticate')
  }
  assert.equal(await askWith({}), 'Bearer')
  assert.equal(await askWith({ authorization: 'Bearer ses_dead' }), 'Bearer error="invalid_token"')
  assert.equal(await askWith({ authorization: 'Bearer ses_dead', 'x-store-key': 'vpk_revoked' }), null)
})

const client = '203.0.113.9'

test('a result that was read before a change is not cached after it', async () => {
  const shop = await newStore(service)
  const store = await shop.load()
  const midway = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const slow: Queries = {
    ...service.db,
    maybeOne: async (strings, ...values) => {
      const row = await service.db.maybeOne(strings, ...values)
      midway.resolve()
      await goOn.promise
      return row as never
    },
  }
  const directory = createDirectory({
    db: slow,
    counter: createLocalCounter(),
    limitLookups: createLookupLimit(Date.now),
  })
  const reading = directory.key(shop.key, client)
  await midway.promise
  directory.invalidateStore(store.id)
  goOn.resolve()
  assert.equal((await reading)?.store.publicId, shop.storeId)
  assert.equal(directory.cachedKey(shop.key), undefined)
  await directory.key(shop.key, client)
  assert.ok(directory.cachedKey(shop.key), 'cached when there was no change during the read')
})

test('a change of one store leaves the cache of other stores alone', async () => {
  const [shop, other] = [await newStore(service), await newStore(service)]
  const directory = createDirectory({
    db: service.db,
    counter: createLocalCounter(),
    limitLookups: createLookupLimit(Date.now),
  })
  await Promise.all([directory.key(shop.key, client), directory.key(other.key, client)])
  directory.invalidateStore((await shop.load()).id)
  assert.equal(directory.cachedKey(shop.key), undefined)
  assert.ok(directory.cachedKey(other.key))
})

test('a key is read again when its store is, however late it was read itself', async () => {
  const shop = await newStore(service)
  const keys = [shop.key]
  for (let i = 0; i < 9; i++) keys.push((await shop.newKey()).key)
  const directory = createDirectory({
    db: service.db,
    counter: createLocalCounter(),
    limitLookups: createLookupLimit(Date.now),
  })
  const staleAt = new Map<Store, Set<number>>()
  for (const key of keys) {
    const found = await directory.key(key, client)
    if (found === undefined) throw new Error('The key is not known.')
    // The key for which the store was read is itself a little older than the store.
    const times = staleAt.get(found.store)
    if (times === undefined) staleAt.set(found.store, new Set())
    else times.add(found.staleAtMs)
  }
  assert.ok(staleAt.size < keys.length, 'the store was read for each key')
  for (const times of staleAt.values()) assert.ok(times.size <= 1, `${[...times]}`)
})
