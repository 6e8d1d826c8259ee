import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { assertError, startTestService, type TestService, type TestStore } from '../../../test/harness.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { minutes } from '../../core/clock.ts'
import { openOrderShop, payOrder, placeOrder, withOrder } from '../orders/fixture.ts'
import { refundOrder } from '../orders/settle.ts'
import { markDemoStore } from '../stores/stores.sql.ts'

let service: TestService
let dataDir: string
before(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'vitrine-downloads-'))
  mkdirSync(join(dataDir, 'files'))
  writeFileSync(join(dataDir, 'files/of-nobody.txt'), 'Whose is this?')
  writeFileSync(join(dataDir, 'secret'), 'a secret of the service')
  service = await startTestService({ dataDir })
})
after(async () => {
  await service.close()
  rmSync(dataDir, { recursive: true, force: true })
})

/** The folder of a store, with the files of these tests. */
const placeFiles = async (shop: TestStore) => {
  const folder = join(dataDir, 'files', (await shop.load()).publicId)
  mkdirSync(join(folder, 'deep'), { recursive: true })
  writeFileSync(join(folder, 'book.txt'), 'Once upon a time')
  writeFileSync(join(folder, 'deep/map.txt'), 'Here be dragons')
  symlinkSync(join(dataDir, 'secret'), join(folder, 'way-out'))
  return folder
}

const buy = async (digital: object = { file: 'book.txt', name: 'The book.txt' }, quantity = 1) => {
  const shop = await openOrderShop(service, { name: 'Thing', price: 10, digital })
  const folder = await placeFiles(shop)
  const asha = await newCustomer(service, shop)
  const orderId = await placeOrder(service, shop, asha, { goods: { thing: quantity, mug: 1 } })
  await payOrder(service, shop, orderId)
  const { json } = await asha.call('GET', '/v1/downloads')
  const [download] = json.data
  return { shop, folder, asha, orderId, download, use: () => asha.call('GET', `/v1/downloads/${download.id}`) }
}

/** Opens a link at this service, whatever public URL it was made for. */
const follow = (link: string | null) => service.call(new URL(link ?? '').pathname)

test('a paid file can be downloaded through a link without a key', async () => {
  const { asha, orderId, download, use } = await buy()
  assert.deepEqual(
    [download.orderId, download.orderNumber, download.name, download.fileName],
    [orderId, '1001', 'Thing', 'The book.txt'],
  )
  assert.deepEqual([download.used, download.mostUses, download.remaining, download.expiresAt], [0, 5, 5, null])
  const { status, headers, text } = await use()
  assert.deepEqual([status, text, headers.get('cache-control')], [302, '', 'no-store'])
  assert.match(headers.get('location') ?? '', /^http:\/\/vitrine\.test\/downloads\/dlk_/)

  const file = await follow(headers.get('location'))
  assert.deepEqual([file.status, file.text], [200, 'Once upon a time'])
  assert.equal(file.headers.get('content-length'), '16')
  assert.equal(
    file.headers.get('content-disposition'),
    `attachment; filename="The book.txt"; filename*=UTF-8''The%20book.txt`,
  )
  assert.equal(file.headers.get('x-content-type-options'), 'nosniff')
  const { json } = await asha.call('GET', '/v1/downloads')
  assert.deepEqual([json.data[0].used, json.data[0].remaining, json.hasMore], [1, 4, false])
})

test('unpaid orders, other customers and guests get no download', async () => {
  const { shop, asha, download } = await buy()
  const waiting = await placeOrder(service, shop, asha, { goods: { book: 1 } })
  const ravi = await newCustomer(service, shop)
  assert.equal((await asha.call('GET', '/v1/downloads')).json.data.length, 1)
  assert.deepEqual((await ravi.call('GET', '/v1/downloads')).json.data, [])
  assertError(await ravi.call('GET', `/v1/downloads/${download.id}`), 404, 'NOT_FOUND')
  assertError(await shop.get(`/v1/downloads/${download.id}`), 401, 'UNAUTHORIZED')
  await payOrder(service, shop, waiting)
  await payOrder(service, shop, waiting)
  const { json } = await asha.call('GET', '/v1/downloads?limit=1')
  assert.deepEqual([json.data[0].orderId, json.hasMore], [waiting, true])
  const next = await asha.call('GET', `/v1/downloads?limit=1&cursor=${json.nextCursor}`)
  assert.deepEqual([next.json.data[0].id, next.json.nextCursor], [download.id, null])
})

test('a download can be used five times per copy, even concurrently', async () => {
  const { use, asha } = await buy(undefined, 2)
  const answers = await Promise.all(Array.from({ length: 16 }, use))
  assert.equal(answers.filter(({ status }) => status === 302).length, 10)
  for (const answer of answers.filter(({ status }) => status !== 302)) assertError(answer, 410, 'GONE')
  const { json } = await asha.call('GET', '/v1/downloads')
  assert.deepEqual([json.data[0].used, json.data[0].remaining], [10, 0])
})

test('a page gets the same link as JSON, and the use is counted', async () => {
  const { asha, download } = await buy()
  const ask = () => asha.call('POST', `/v1/downloads/${download.id}/link`)
  const requestedAtMs = service.clock.now()
  const { status, json, headers } = await ask()
  assert.deepEqual([status, headers.get('cache-control')], [201, 'no-store'])
  const ttlMs = Date.parse(json.expiresAt) - requestedAtMs
  assert.ok(ttlMs >= minutes(10) && ttlMs < minutes(11), String(ttlMs))
  assert.equal((await follow(json.url)).text, 'Once upon a time')
  for (let used = 1; used < 5; used++) assert.equal((await ask()).status, 201)
  assertError(await ask(), 410, 'GONE')
  assert.equal((await asha.call('GET', '/v1/downloads')).json.data[0].remaining, 0)
})

test('a link expires after ten minutes, and a modified one is refused', async (t) => {
  const moving = await startTestService({ dataDir })
  t.after(() => moving.close())
  const { use, download } = await buy()
  const other = await buy()
  const path = new URL((await use()).headers.get('location') ?? '').pathname
  for (const forged of [
    path.replace(download.id, other.download.id),
    `${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`,
    path.replace(/\.(\d+)\./, (_, ms) => `.${Number(ms) + 1}.`),
    '/downloads/dlk_',
    `/downloads/${download.id}`,
  ]) {
    assertError(await service.call(forged), 404, 'NOT_FOUND')
  }
  moving.clock.advance(minutes(9))
  assert.equal((await moving.call(path)).status, 200)
  moving.clock.advance(minutes(1))
  assertError(await moving.call(path), 410, 'GONE')
})

test('a refunded or expired download is 410, and so is a link to it', async () => {
  const refunded = await buy()
  const link = (await refunded.use()).headers.get('location')
  await withOrder(service, refunded.shop, refunded.orderId, refundOrder)
  assertError(await refunded.use(), 410, 'GONE')
  assertError(await follow(link), 410, 'GONE')
  assert.deepEqual((await refunded.asha.call('GET', '/v1/downloads')).json.data, [])

  const expired = await buy()
  const store = await expired.shop.load()
  await service.db.run`update download set expires_at = now() where store_id = ${store.id}`
  assertError(await expired.use(), 410, 'GONE')
})

test('a link to an external file redirects to it', async () => {
  const { use, download } = await buy({ url: 'https://cdn.example/a file.zip?key=1' })
  assert.equal(download.fileName, '')
  const { status, headers } = await follow((await use()).headers.get('location'))
  assert.deepEqual([status, headers.get('location')], [302, 'https://cdn.example/a%20file.zip?key=1'])
  // Products of older versions may have any address.
  const script = await buy({ url: 'https://cdn.example/script' })
  await service.db.run`
    update order_line set digital = '{"url": "javascript:alert(1)"}' where order_id = ${script.orderId} and digital is not null`
  assertError(await follow((await script.use()).headers.get('location')), 500, 'INTERNAL')
})

test('a file may be in a subfolder, and no name leaves the files folder', async () => {
  const deep = await buy({ file: 'deep/map.txt' })
  assert.equal(deep.download.fileName, 'map.txt')
  assert.equal((await follow((await deep.use()).headers.get('location'))).text, 'Here be dragons')
  for (const file of [
    '../secret',
    'deep/../../secret',
    'way-out',
    join(dataDir, 'secret'),
    'deep',
    '..',
    './book.txt',
    'deep//map.txt',
    '..\\secret',
    'missing.txt',
    'book.txt/x',
    '../of-nobody.txt',
    'of-nobody.txt',
  ]) {
    const { use, asha } = await buy({ file })
    const answer = await use()
    assertError(answer, 500, 'INTERNAL')
    assert.equal(answer.json.error, 'The file is missing. Please contact the store.')
    // No use was counted, and the log has the reason.
    assert.equal((await asha.call('GET', '/v1/downloads')).json.data[0].used, 0)
    assert.ok(service.logLines.some((line) => line.includes(JSON.stringify(`"${file}"`).slice(1, -1))))
  }
})

test('a link is redacted in the log', async () => {
  const { use } = await buy()
  const path = new URL((await use()).headers.get('location') ?? '').pathname
  await service.call(path)
  assertError(await service.call(`${path}x`), 404, 'NOT_FOUND')
  const secret = path.slice('/downloads/'.length)
  assert.ok(service.logLines.some((line) => line.includes('/downloads/[hidden]')))
  assert.ok(!service.logLines.some((line) => line.includes(secret)))
})

test('a product cannot use a file of another store', async () => {
  const { folder, shop } = await buy()
  writeFileSync(join(folder, 'only-here.txt'), 'sold by one store alone')
  const { publicId } = await shop.load()
  for (const file of ['only-here.txt', `${publicId}/only-here.txt`, `../${publicId}/only-here.txt`]) {
    const other = await buy({ file })
    assertError(await other.use(), 500, 'INTERNAL')
  }
  const linked = await buy({ file: 'by-a-link.txt' })
  symlinkSync(join(folder, 'only-here.txt'), join(linked.folder, 'by-a-link.txt'))
  assertError(await linked.use(), 500, 'INTERNAL')
})

test('the demo files are for demo stores only, and not in production', async (t) => {
  const { use, shop } = await buy({ file: 'chai-at-home.pdf', name: 'Chai at Home.pdf' })
  assertError(await use(), 500, 'INTERNAL')
  const { id } = await shop.load()
  await service.db.tx((tx) => markDemoStore(tx, id))
  const path = new URL((await use()).headers.get('location') ?? '').pathname
  assert.match((await service.call(path)).text, /^%PDF/)
  const production = await startTestService({ dataDir, production: true })
  t.after(() => production.close())
  assertError(await production.call(path), 500, 'INTERNAL')
})

test('HEAD of a link returns the headers of GET without reading the file', async (t) => {
  const { use, folder, asha } = await buy()
  const location = (await use()).headers.get('location') ?? ''
  const address = `${service.url}${new URL(location).pathname}`
  const handle = await open(join(folder, 'book.txt'))
  const reading = t.mock.method(Object.getPrototypeOf(handle), 'createReadStream')
  await handle.close()
  const head = await fetch(address, { method: 'HEAD' })
  assert.deepEqual([head.status, await head.text()], [200, ''])
  assert.equal(reading.mock.callCount(), 0)
  const opened = await fetch(address)
  assert.equal(await opened.text(), 'Once upon a time')
  assert.equal(reading.mock.callCount(), 1)
  const names = ['content-length', 'content-type', 'content-disposition', 'cache-control', 'x-content-type-options']
  for (const name of names) assert.equal(head.headers.get(name), opened.headers.get(name), name)
  assert.equal(head.headers.get('content-length'), '16')
  assert.equal((await asha.call('GET', '/v1/downloads')).json.data[0].used, 1)

  assert.equal((await fetch(`${address}x`, { method: 'HEAD' })).status, 404)
  rmSync(join(folder, 'book.txt'))
  assert.equal((await fetch(address, { method: 'HEAD' })).status, 500)
  const elsewhere = await buy({ url: 'https://cdn.example/a' })
  const { pathname } = new URL((await elsewhere.use()).headers.get('location') ?? '')
  const redirect = await fetch(`${service.url}${pathname}`, { method: 'HEAD', redirect: 'manual' })
  assert.deepEqual([redirect.status, redirect.headers.get('location')], [302, 'https://cdn.example/a'])
})

test('a HEAD request does not count as a use', async () => {
  const { shop, asha, download } = await buy()
  const address = `${service.url}/v1/downloads/${download.id}`
  const head = await fetch(address, {
    method: 'HEAD',
    headers: { 'x-store-key': shop.key, authorization: `Bearer ${asha.token}` },
  })
  assert.equal(head.status, 404)
  const { json } = await asha.call('GET', '/v1/downloads')
  assert.equal(json.data[0].used, 0)
})
