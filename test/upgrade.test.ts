import assert from 'node:assert/strict'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { newDatabase, newFolder, query, runJson, runVitrine } from '../src/cli/fixture.ts'
import { minutes } from '../src/core/clock.ts'
import { migrate } from '../src/db/migrate.ts'
import { readMigrations } from '../src/db/migration-files.ts'
import { examineData, examineInvariants } from '../src/features/doctor/doctor.ts'
import { examineFiles, separateSharedFiles } from '../src/features/downloads/shared-files.ts'
import { startTestService, type TestService } from './harness.ts'
import type { liveInShop } from './upgrade/life.ts'

/**
 * Databases as released versions left them, with data in them (test/upgrade/make.ts makes them), are brought to this
 * version. Orders, carts and sessions survive the upgrade, and the invariants hold.
 */
const folder = new URL('./upgrade/', import.meta.url)
const versions = globSync('*.sql', { cwd: folder }).map((name) => name.slice(0, -'.sql'.length))

type Facts = Awaited<ReturnType<typeof liveInShop>> & { lastMigration: number }
const factsOf = (version: string): Facts => JSON.parse(readFileSync(new URL(`${version}.json`, folder), 'utf8'))

/** A database and a data folder as a version left them. */
const asLeftBy = async (t: TestContext, version: string) => {
  const facts = factsOf(version)
  const databaseUrl = await newDatabase(t)
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(`create table vitrine_migration (
    number integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`)
  for (const { number, name, text, checksum } of readMigrations()) {
    if (number > facts.lastMigration) continue
    await client.query(text)
    await client.query('insert into vitrine_migration values ($1, $2, $3)', [number, name, checksum])
  }
  await client.query(`begin; ${readFileSync(new URL(`${version}.sql`, folder), 'utf8')} commit`)
  await client.end()
  const dataDir = newFolder(t)
  mkdirSync(join(dataDir, 'files'))
  writeFileSync(join(dataDir, 'files/book.txt'), facts.download.content)
  writeFileSync(join(dataDir, 'files/map.txt'), 'Here be dragons')
  return { facts, databaseUrl, dataDir, settings: { DATABASE_URL: databaseUrl, VITRINE_DATA_DIR: dataDir } }
}

/** A service of this version, a minute after the data were made: sessions, codes and reservations are valid. */
const upgraded = async (t: TestContext, version: string) => {
  const left = await asLeftBy(t, version)
  const { databaseUrl, dataDir, facts } = left
  await migrate({ connectionString: databaseUrl })
  const service = await startTestService({ databaseUrl, dataDir })
  t.after(() => service.close())
  await separateSharedFiles(service.db, join(dataDir, 'files'))
  service.clock.advance(Date.parse(facts.madeAt) - Date.now() + minutes(1))
  const key = { 'x-store-key': facts.store.serverKey }
  const send = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
    service.call(path, {
      method,
      headers: { ...key, ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const signedIn = (token: string) => ({ authorization: `Bearer ${token}` })
  return { ...left, service, send, signedIn }
}

const assertSound = async (service: TestService, filesFolder: string) => {
  assert.equal((await examineData(service.db)).staleListings, 0)
  assert.deepEqual((await examineInvariants(service.db)).findings, [])
  const { missing, isShared } = await examineFiles(service.db, filesFolder)
  assert.deepEqual([missing, isShared], [[], false])
}

for (const version of versions) {
  test(`after an upgrade from ${version} doctor finds nothing, and a second one changes nothing`, async (t) => {
    const { settings, facts, dataDir } = await asLeftBy(t, version)
    const { applied } = await runJson(['migrate'], settings)
    const newer = readMigrations().filter(({ number }) => number > facts.lastMigration)
    assert.deepEqual(
      applied,
      newer.map(({ name }) => name),
    )
    const { code, stdout } = await runVitrine(['doctor'], settings)
    assert.equal(code, 0, stdout)
    assert.match(stdout, /\nAll is well\.\n$/)
    assert.equal((await runVitrine(['migrate'], settings)).stdout, 'The database is up to date.\n')
    for (const { id } of [facts.store, facts.other]) {
      assert.ok(existsSync(join(dataDir, 'files', id, 'book.txt')), 'both stores sold it')
    }
  })

  test(`the catalog of ${version} is unchanged after the upgrade`, async (t) => {
    const { send, facts } = await upgraded(t, version)
    const { status, json } = await send('GET', '/v1/products', {})
    assert.equal(status, 200)
    assert.deepEqual(json.map(({ slug }: { slug: string }) => slug).sort(), facts.products)
    const shirt = (await send('GET', '/v1/products/shirt', {})).json
    assert.deepEqual(
      shirt.variants.map(({ sku, price }: { sku: string; price: number }) => [sku, price]),
      [
        ['SHIRT-S', 300],
        ['SHIRT-M', 320],
      ],
    )
    assert.equal((await send('GET', '/v1/products/kettle', { 'x-outlet-id': facts.pune })).json.price, 120)
    assert.equal((await send('GET', '/v1/search?q=lamp', {})).json.total, 1)
    const { json: small } = await send('GET', '/v1/products?options=Size:S', {})
    assert.deepEqual(
      small.map(({ slug }: { slug: string }) => slug),
      ['shirt'],
    )
    assert.equal((await send('GET', '/v1/products', { 'x-store-key': facts.store.browserKey })).status, 200)
    assert.equal((await send('GET', '/v1/products', { 'x-store-key': facts.store.revokedKey })).status, 401)
    assert.equal((await send('GET', '/v1/products', { 'x-store-key': facts.other.serverKey })).json.length, 4)
  })

  test(`orders of ${version} are unchanged after the upgrade`, async (t) => {
    const { service, facts, databaseUrl } = await upgraded(t, version)
    const expected = {
      delivered: 'delivered paid',
      onItsWay: 'out_for_delivery paid',
      withFile: 'paid paid',
      refunded: 'refunded refunded',
      failed: 'pending failed',
      cancelled: 'cancelled pending',
      cash: 'pending pending',
      replaced: 'cancelled pending',
      pending: 'pending pending',
    }
    const rows = await query(databaseUrl, `select id, status || ' ' || payment_status as state from orders`)
    const states = Object.fromEntries(rows.map(({ id, state }) => [id, state]))
    for (const [name, id] of Object.entries(facts.orders)) {
      assert.equal(states[id], expected[name as keyof typeof expected], name)
    }
    const headers = { 'x-store-key': facts.store.serverKey, authorization: `Bearer ${facts.sessions.asha}` }
    for (const name of ['delivered', 'onItsWay', 'withFile', 'refunded'] as const) {
      const { status, json } = await service.call(`/v1/customer/orders/${facts.orders[name]}`, { headers })
      assert.deepEqual([status, `${json.status} ${json.paymentStatus}`], [200, expected[name]])
      assert.ok(json.items.length > 0 && json.timeline.length > 1 && json.total > 0)
    }
    const list = await service.call('/v1/customer/orders', { headers })
    assert.equal(list.json.data.length, 4)
  })

  test(`sessions, codes and carts of ${version} work after the upgrade`, async (t) => {
    const { send, signedIn, facts } = await upgraded(t, version)
    for (const token of Object.values(facts.sessions)) {
      assert.equal((await send('GET', '/v1/customer', signedIn(token))).status, 200)
    }
    const asha = signedIn(facts.sessions.asha)
    assert.equal((await send('GET', '/v1/wishlist', asha)).json.length, 1)
    assert.equal((await send('GET', '/v1/customer/addresses', asha)).json.data.length, 1)
    const email = 'asha@bluedoor.example'
    assert.equal((await send('POST', '/v1/signin', {}, { email, password: 'seven wooden spoons' })).status, 200)
    assert.equal((await send('POST', '/v1/auth/otp/verify', {}, facts.waitingCode)).status, 200)
    const { json: lines } = await send('GET', '/v1/cart', { 'x-guest-token': facts.guestToken })
    assert.deepEqual(
      lines.map(({ product, quantity }: { product: { slug: string }; quantity: number }) => [product.slug, quantity]),
      [
        ['shirt', 1],
        ['mug', 3],
      ],
    )
  })

  test(`a cart of ${version} can be bought after the upgrade, and an order of it can be paid`, async (t) => {
    const { send, signedIn, facts, service, dataDir } = await upgraded(t, version)
    const pay = async (page: string) => {
      const body = 'choice=success'
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      assert.equal((await service.call(new URL(page).pathname, { method: 'POST', headers, body })).status, 303)
    }
    const address = (facts.kept.body as { shippingAddress: object }).shippingAddress
    const zoya = signedIn(facts.sessions.zoya)
    const bought = await send('POST', '/v1/checkout', zoya, { shippingAddress: address })
    assert.equal(bought.status, 201, bought.text)
    await pay(bought.json.payment.redirectUrl)
    const paid = await send('GET', `/v1/customer/orders/${bought.json.order.id}`, zoya)
    assert.deepEqual([paid.json.status, paid.json.total], ['paid', 250])

    const kabir = signedIn(facts.sessions.kabir)
    const again = { ...kabir, 'idempotency-key': facts.kept.key }
    const kept = await send('POST', '/v1/checkout', again, facts.kept.body)
    assert.equal(kept.json.order?.id, facts.orders.pending, kept.text)
    await pay(facts.kept.answer.payment.redirectUrl)
    const settled = await send('GET', `/v1/customer/orders/${facts.orders.pending}`, kabir)
    assert.equal(settled.json.status, 'paid')
    await assertSound(service, join(dataDir, 'files'))
  })

  test(`a file that was bought in ${version} can be fetched after the upgrade`, async (t) => {
    const { send, signedIn, facts, service, dataDir } = await upgraded(t, version)
    const asha = signedIn(facts.sessions.asha)
    const [download] = (await send('GET', '/v1/downloads', asha)).json.data
    assert.deepEqual([download.id, download.used], [facts.download.id, 1])
    const { headers } = await send('GET', `/v1/downloads/${download.id}`, asha)
    const file = await service.call(new URL(headers.get('location') ?? '').pathname)
    assert.deepEqual([file.status, file.text], [200, facts.download.content])
    await assertSound(service, join(dataDir, 'files'))
  })
}

test('there is a version to upgrade from', () => assert.ok(versions.includes('0.1.0')))
