import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startShiprocketDouble } from '../../test/doubles/shiprocket.ts'
import { callUrl } from '../../test/harness.ts'
import {
  assertSentence,
  demoInstallation,
  newFolder,
  readDemoKeys,
  runJson,
  runVitrine,
  startService,
  undo,
} from './fixture.ts'

/** The demo store, running, with a test double of Shiprocket and a file with the credentials there. */
const openDemo = async (t: TestContext) => {
  const double = await startShiprocketDouble()
  undo(t, () => double.close())
  const installation = { ...(await demoInstallation(t)), VITRINE_SHIPROCKET_URL: double.url }
  const { url } = await startService(t, installation)
  const { browserKey } = readDemoKeys(installation.VITRINE_DATA_DIR)
  const { key: logisticsKey } = await runJson(['webhook-credential', 'rotate', '--kind', 'logistics'], installation)
  const file = join(newFolder(t), 'shiprocket.json')
  const credentials = double.openAccount(url, logisticsKey)
  writeFileSync(file, JSON.stringify(credentials))
  return {
    ...{ double, installation, file, credentials },
    vitrine: (...args: string[]) => runJson(args, installation),
    order: () => placeCashOrder(url, browserKey),
  }
}

const placeCashOrder = async (url: string, key: string): Promise<string> => {
  const post = async (path: string, body: unknown, token = '') => {
    const headers = { 'x-store-key': key, 'content-type': 'application/json', authorization: `Bearer ${token}` }
    const { status, json, text } = await callUrl(`${url}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    assert.ok(status < 300, text)
    return json
  }
  const { token } = await post('/v1/signup', { name: 'Asha', email: 'asha@example.com', password: 'a long password' })
  const { json: glasses } = await callUrl(`${url}/v1/products/cutting-chai-glasses`, {
    headers: { 'x-store-key': key },
  })
  await post('/v1/cart', { productId: glasses.id, variantId: glasses.variants[0].id, quantity: 2 }, token)
  const shippingAddress = {
    ...{ name: 'Asha', phone: '+919876543210', line1: '12 Temple Road', city: 'Bengaluru', state: 'Karnataka' },
    ...{ postalCode: '560001', country: 'IN' },
  }
  return (await post('/v1/checkout', { paymentMethod: 'cod', shippingAddress }, token)).order.id
}

test('an operator books a parcel, prints its label, has it picked up and follows it', async (t) => {
  const { double, vitrine, order, file, installation } = await openDemo(t)
  const set = await vitrine('store', 'set', '--carrier', 'shiprocket', '--carrier-credentials', file)
  assert.deepEqual(set.carriers, ['shiprocket'])
  const id = await order()
  const booked = await vitrine('order', 'ship', id, '--carrier', 'shiprocket', '--weight', '0.75', '--courier', '51')
  assert.deepEqual(
    [booked.orderId, booked.carrier, booked.status, booked.partner],
    [id, 'shiprocket', 'booked', 'Delhivery Air'],
  )
  const [parcel] = double.shipments()
  assert.deepEqual([parcel?.awb, parcel?.request.weight], [booked.trackingNumber, 0.75])
  assert.equal(parcel?.request.sub_total, (await vitrine('order', 'show', id)).total, 'what the courier collects')

  const { shipmentId } = booked
  const label = await runVitrine(['shipment', 'label', shipmentId], installation)
  assert.match(label.stdout, /^http.*\.pdf\n$/)
  assert.match((await vitrine('shipment', 'pickup', shipmentId)).pickupAt, /^\d{4}-\d\d-\d\dT/)
  double.delivery.lose = true
  await double.scan(booked.trackingNumber, 17)
  assert.equal((await vitrine('shipment', 'track', shipmentId)).status, 'out_for_delivery')
  double.delivery.lose = false
  const page = await (await fetch(double.url)).text()
  assert.ok(page.includes(booked.trackingNumber) && page.includes('value="7"'), page)
  const delivered = new URLSearchParams({ awb: booked.trackingNumber, statusId: '7' })
  await fetch(double.url, { method: 'POST', body: delivered })
  const { status, paymentStatus } = await vitrine('order', 'show', id)
  assert.deepEqual([status, paymentStatus], ['delivered', 'paid'])
})

test('an operator cancels a parcel and books it again', async (t) => {
  const { double, vitrine, order, file } = await openDemo(t)
  await vitrine('store', 'set', '--carrier', 'shiprocket', '--carrier-credentials', file)
  const ship = ['order', 'ship', await order(), '--carrier', 'shiprocket', '--weight', '1']
  const { shipmentId } = await vitrine(...ship)
  assert.equal((await vitrine('shipment', 'cancel', shipmentId)).status, 'cancelled')
  assert.notEqual((await vitrine(...ship)).shipmentId, shipmentId)
  assert.equal(double.shipments().length, 1)
})

test('credentials are tried before they are stored', async (t) => {
  const { credentials, file, installation, vitrine } = await openDemo(t)
  const set = ['store', 'set', '--carrier', 'shiprocket', '--carrier-credentials', file]
  writeFileSync(file, JSON.stringify({ ...credentials, password: 'wrong' }))
  assertSentence(await runVitrine(set, installation), /Shiprocket refused the login/)
  assert.deepEqual((await vitrine('store', 'show')).carriers, [])
  assert.deepEqual((await vitrine(...set, '--no-check')).carriers, ['shiprocket'])
  writeFileSync(file, JSON.stringify(credentials))
  const good = await runVitrine(set, installation)
  assert.match(good.stderr, /accepted the login/)
  assert.ok(!`${good.stdout}${good.stderr}`.includes(credentials.password ?? '-'))
})

test('what an operator gets wrong is explained in a sentence', async (t) => {
  const { installation, order, file, double } = await openDemo(t)
  const id = await order()
  const ship = ['order', 'ship', id, '--carrier', 'shiprocket']
  const byHand = ['order', 'ship', id, '--tracking', 'BB1', '--partner', 'Bluebird']
  const faults: [string[], string | RegExp][] = [
    [ship, '--weight is required with --carrier'],
    [[...ship, '--weight', 'heavy'], '--weight must be a number of kg'],
    [[...ship, '--weight', '1', '--height', '0'], '--height must be a number of cm'],
    [[...ship, '--weight', '1', '--courier', 'fast'], '--courier must be'],
    [[...ship, '--weight', '1', '--tracking', 'BB1'], 'cannot be used with --carrier'],
    [[...ship, '--weight', '1', '--url', 'https://a.example'], 'cannot be used with --carrier'],
    [[...ship, '--weight', '1', '--eta', '2027-01-31'], 'cannot be used with --carrier'],
    [[...byHand, '--weight', '1'], '--courier need --carrier.'],
    [[...byHand, '--height', '10'], '--courier need --carrier.'],
    [[...byHand, '--courier', '24'], '--courier need --carrier.'],
    [[...ship, '--weight', '1'], 'with --carrier shiprocket and --carrier-credentials'],
    [['order', 'ship', id, '--carrier', 'pigeon', '--weight', '1'], 'There is no carrier "pigeon"'],
    [['store', 'set', '--carrier-credentials', file], 'with --carrier'],
    [['shipment', 'track', 'ship_none'], 'The store has no shipment ship_none'],
  ]
  for (const [args, part] of faults) assertSentence(await runVitrine(args, installation), part)
  const { code, stderr } = await runVitrine(['order', 'ship', id, '--tracking', 'BB1'], installation)
  assert.deepEqual([code, stderr.includes("required option '--partner <name>'")], [2, true])

  await runJson(['store', 'set', '--carrier', 'shiprocket', '--carrier-credentials', file], installation)
  double.behaviour.courier = 'refused'
  assertSentence(
    await runVitrine([...ship, '--weight', '1'], installation),
    /not serviceable.* ship_.* stays unbooked.*vitrine shipment cancel/,
  )
  double.faults.fail = 100
  assertSentence(await runVitrine([...ship, '--weight', '1'], installation), /did not answer/)
})
