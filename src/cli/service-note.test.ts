import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { callUrl } from '../../test/harness.ts'
import {
  assertSentence,
  freePort,
  productionSettings,
  readDemoKeys,
  runJson,
  runVitrine,
  seededInstallation,
  startService,
} from './fixture.ts'

/** Places a cash order through the API. */
const orderForCash = async (url: string, dataDir: string): Promise<string> => {
  const { browserKey } = readDemoKeys(dataDir)
  let token = ''
  const post = async (path: string, body: unknown) => {
    const { status, json, text } = await callUrl(`${url}${path}`, {
      method: 'POST',
      headers: {
        ...{ 'x-store-key': browserKey, 'content-type': 'application/json' },
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    })
    assert.ok(status < 300, text)
    return json
  }
  token = (await post('/v1/signup', { name: 'Asha', email: 'asha@example.com', password: 'a long password' })).token
  const headers = { 'x-store-key': browserKey }
  const product = (await callUrl(`${url}/v1/products/masala-chai-blend`, { headers })).json
  await post('/v1/cart', { productId: product.id, variantId: product.variants[0].id, quantity: 1 })
  const shippingAddress = {
    ...{ name: 'Asha', phone: '+919876543210', line1: '12 Temple Road', city: 'Bengaluru' },
    ...{ postalCode: '560001', country: 'IN' },
  }
  return (await post('/v1/checkout', { paymentMethod: 'cod', shippingAddress })).order.id
}

test('commands find the running service by its note, whatever PORT they have, and name it', async (t) => {
  const installation = await seededInstallation(t)
  const file = join(installation.VITRINE_DATA_DIR, 'service.json')
  const service = await startService(t, installation)
  const url = `http://127.0.0.1:${installation.PORT}`
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { url, pid: service.pid })
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const orderId = await orderForCash(service.url, installation.VITRINE_DATA_DIR)
  const elsewhere = await freePort()
  const simulate = ['simulate', 'delivery', orderId, '--status', 'in_transit']
  const sent = await runJson(simulate, { ...installation, PORT: elsewhere })
  assert.deepEqual([sent.service, sent.received], [url, true])
  const words = await runVitrine(simulate, { ...installation, PORT: elsewhere })
  assert.equal(words.stdout, `Sent to ${url}: ${orderId} is in_transit.\n`)
  const refused = await runVitrine([...simulate, '--shipment', 'ship_none'], { ...installation, PORT: elsewhere })
  assertSentence(refused, `The service at ${url} answered 404`)

  assert.equal((await service.stop()).code, 0)
  assert.equal(existsSync(file), false)
  assertSentence(
    await runVitrine(simulate, { ...installation, PORT: elsewhere }),
    `No service answers at http://127.0.0.1:${elsewhere}`,
  )
  const publicUrl = `http://localhost:${await freePort()}`
  assertSentence(
    await runVitrine(simulate, { ...installation, VITRINE_PUBLIC_URL: publicUrl }),
    `No service answers at ${publicUrl}`,
  )
})

test('the note of a killed service is ignored', async (t) => {
  const installation = await seededInstallation(t)
  const file = join(installation.VITRINE_DATA_DIR, 'service.json')
  const first = await startService(t, installation)
  const orderId = await orderForCash(first.url, installation.VITRINE_DATA_DIR)
  await first.stop('SIGKILL')
  assert.equal(existsSync(file), true)
  const PORT = await freePort()
  const simulate = ['simulate', 'delivery', orderId, '--status', 'in_transit']
  assertSentence(
    await runVitrine(simulate, { ...installation, PORT }),
    `No service answers at http://127.0.0.1:${PORT}`,
  )
  for (const damage of ['', '{"url": 7}', '{"url": "file:///etc/passwd", "pid": 1}']) {
    writeFileSync(file, damage)
    assertSentence(
      await runVitrine(simulate, { ...installation, PORT }),
      `No service answers at http://127.0.0.1:${PORT}`,
    )
  }
  await startService(t, { ...installation, PORT })
  assert.equal((await runJson(simulate, installation)).service, `http://127.0.0.1:${PORT}`)
})

test('a service that listens on all addresses notes one that this machine can call', async (t) => {
  const installation = { ...(await seededInstallation(t)), ...productionSettings }
  await startService(t, installation)
  const { url } = JSON.parse(readFileSync(join(installation.VITRINE_DATA_DIR, 'service.json'), 'utf8'))
  assert.equal(url, `http://127.0.0.1:${installation.PORT}`)
  assert.equal((await callUrl(`${url}/health`)).status, 200)
})
