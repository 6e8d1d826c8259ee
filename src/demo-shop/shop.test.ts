import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { assertError, callUrl, newStore, startTestService, type TestService } from '../../test/harness.ts'
import { openShop as openStocked } from '../features/checkout/fixture.ts'
import { payOrder } from '../features/orders/fixture.ts'
import { bundlePage, demoShop } from '../http/page-assets.ts'
import { rememberCodes } from './development.ts'
import { openDemoShop } from './fixture.ts'
import { startShop } from './start-shop.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const phone = '+919876543210'
const message = { phone, code: '123456', text: 'Your code is 123456.', storeId: 'store_1', storeName: 'Test shop' }

const openShop = (t: { after(undo: () => unknown): void }) => openDemoShop(service, t)

test('every address of the shop serves the page with its configuration and a policy against inline scripts', async (t) => {
  const { url } = await openShop(t)
  for (const path of ['/', '/sign-in', '/payment/callback?orderId=1&status=success', '/search?q=%C3%A9']) {
    const { status, headers, text } = await callUrl(`${url}${path}`)
    assert.equal(status, 200, path)
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
    const [, config = ''] = /<script type="application\/json" id="config">(.*?)<\/script>/.exec(text) ?? []
    assert.deepEqual(JSON.parse(config), {
      apiUrl: service.url,
      storeKey: 'vpk_<script>',
      development: true,
      showsCodes: true,
      showsMail: true,
    })
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/)
    assert.ok(policy.includes(`connect-src 'self' ${service.url}`))
    for (const [, source = ''] of text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)) {
      assert.equal((await callUrl(`${url}${source}`)).status, 200, source)
    }
  }
  assertError(await callUrl(`${url}/assets/nothing.js`), 404, 'NOT_FOUND')
  assertError(await callUrl(`${url}/products`, { method: 'POST' }), 404, 'NOT_FOUND')
})

test('the JavaScript of the shop is under 60 kB gzipped', async () => {
  const { files } = await bundlePage(demoShop)
  const scripts = [...files].filter(([name]) => name.endsWith('.js'))
  const bytes = scripts.reduce((sum, [, text]) => sum + gzipSync(text).length, 0)
  assert.ok(bytes > 5_000 && bytes < 60_000, `${bytes} bytes`)
})

test('only this machine can read the last code of a phone', async (t) => {
  const { url, sender, storeId, server } = await openShop(t)
  const address = `${url}/dev/code?phone=${encodeURIComponent(phone)}`
  assertError(await callUrl(address), 404, 'NOT_FOUND')
  await sender.send({ ...message, storeId, code: '111111' })
  await sender.send({ ...message, storeId })
  await sender.send({ ...message, code: '222222' })
  assert.deepEqual((await callUrl(address)).json, { code: '123456' })
  const askFrom = async (remoteAddress: string, host: string) =>
    (await server.inject({ url: address.slice(url.length), remoteAddress, headers: { host } })).statusCode
  assert.equal(await askFrom('127.0.0.1', 'evil.example'), 403)
  assert.equal(await askFrom('192.168.1.5', 'localhost'), 403)
  assert.equal(await askFrom('::1', 'localhost:3001'), 200)
})

test('a message that could not be sent stores no code', async () => {
  const { sender, codeFor } = rememberCodes({ name: 'strict', send: () => Promise.reject(new Error('no')) })
  await assert.rejects(sender.send(message))
  assert.equal(codeFor(message.storeId, phone), undefined)
})

test('the simulated carrier ships and delivers a paid order of its own store only', async (t) => {
  const { url, shop, mug, newBuyer } = await openShop(t)
  const asha = await newBuyer({ productId: mug })
  const orderId = (await asha.checkOut()).json.order.id
  await payOrder(service, shop, orderId)
  const move = (body: unknown) =>
    callUrl(`${url}/dev/delivery`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const statusNow = async () => (await asha.call('GET', `/v1/customer/orders/${orderId}`)).json.status
  assert.equal((await move({ orderId })).status, 204)
  assert.equal(await statusNow(), 'out_for_delivery')
  assert.equal((await move({ orderId })).status, 204)
  assert.equal(await statusNow(), 'delivered')
  assertError(await move({ orderId }), 409, 'CONFLICT')
  assertError(await move({}), 400, 'BAD_REQUEST')
  assertError(await move({ orderId: 'ord_nobody' }), 404, 'NOT_FOUND')
  const elsewhere = await openStocked(service)
  const theirs = await elsewhere.newBuyer({ productId: elsewhere.mug })
  const their = (await theirs.checkOut()).json.order.id
  await payOrder(service, elsewhere.shop, their)
  assertError(await move({ orderId: their }), 404, 'NOT_FOUND')
})

test('the store allows the origin of the shop, and a port in use is reported', async (t) => {
  const store = await newStore(service)
  const options = {
    config: { ...service.config, demoPort: 0 },
    services: service.app.services,
    keys: { storeId: store.storeId, browserKey: store.key },
    codeFor: null,
    logger: service.logger,
  }
  const shop = await startShop(options)
  assert.ok('url' in shop)
  t.after(shop.close)
  const { origins, domain } = await store.load()
  assert.equal(domain, shop.url, 'links to the shop work')
  assert.deepEqual([...origins].sort(), [shop.url, shop.url.replace('localhost', '127.0.0.1')].sort())
  const demoPort = Number(new URL(shop.url).port)
  const second = await startShop({ ...options, config: { ...options.config, demoPort } })
  assert.ok('reason' in second)
  assert.match(second.reason, new RegExp(`port ${demoPort} is in use`))
  const deleted = await startShop({ ...options, keys: { ...options.keys, storeId: 'store_nobody' } })
  assert.deepEqual(deleted, { reason: 'the demo store was deleted' })
})
