import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, serviceFor, startTestService, type TestService } from '../../../test/harness.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { failPayment, openOrderShop, payOrder, placeOrder } from './fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

/** Ends when the service has looked for orders that somebody waits for; a test that waits in vain fails. */
const nextLook = ({ db }: TestService) =>
  new Promise<void>((resolve, reject) => {
    const end = (done: () => void) => {
      clearTimeout(patience)
      stop()
      done()
    }
    const patience = setTimeout(() => end(() => reject(new Error('nobody waits for an order'))), 10_000)
    const stop = db.onStatement((text) => {
      if (text.includes('unnest(')) end(resolve)
    })
  })

test('whoever waits for an order is answered when it is paid, on whichever instance that happens', async (t) => {
  const other = await serviceFor(t)
  const shop = await openOrderShop(service)
  const asha = await newCustomer(service, shop)
  const id = await placeOrder(service, shop, asha)
  const looked = nextLook(service)
  const answer = asha.call('GET', `/v1/customer/orders/${id}?wait=25`)
  await looked
  await payOrder(other, shop, id)
  const { json } = await answer
  assert.deepEqual([json.status, json.paymentStatus], ['paid', 'paid'])
})

test('a payment that fails ends the wait too, and an order that is decided is not waited for', async () => {
  const shop = await openOrderShop(service)
  const asha = await newCustomer(service, shop)
  const id = await placeOrder(service, shop, asha)
  const looked = nextLook(service)
  const answer = asha.call('GET', `/v1/customer/orders/${id}?wait=25`)
  await looked
  await failPayment(service, shop, id)
  assert.deepEqual([(await answer).json.status, (await answer).json.paymentStatus], ['pending', 'failed'])

  const statements: string[] = []
  const stop = service.db.onStatement((text) => statements.push(text))
  const again = await asha.call('GET', `/v1/customer/orders/${id}?wait=25`)
  stop()
  assert.equal(again.json.paymentStatus, 'failed')
  assert.ok(!statements.some((text) => text.includes('unnest(')))
})

test('a wait ends after the seconds asked for, with the order as it is', async () => {
  const shop = await openOrderShop(service)
  const asha = await newCustomer(service, shop)
  const id = await placeOrder(service, shop, asha)
  const { status, json } = await asha.call('GET', `/v1/customer/orders/${id}?wait=1`)
  assert.deepEqual([status, json.status], [200, 'pending'])
  for (const wait of ['26', '-1', '1.5', 'long']) {
    assertError(await asha.call('GET', `/v1/customer/orders/${id}?wait=${wait}`), 400, 'BAD_REQUEST')
  }
})

test('a crowd that waits holds no connection, and one statement looks for all of them', async () => {
  const shop = await openOrderShop(service)
  const asha = await newCustomer(service, shop)
  const ids = await Promise.all(Array.from({ length: 3 }, () => placeOrder(service, shop, asha)))
  const calls = Array.from({ length: 120 }, (_, i) => asha.call('GET', `/v1/customer/orders/${ids[i % 3]}?wait=25`))
  const sent = { reads: 0, looks: 0 }
  const stop = service.db.onStatement((text) => {
    if (text.includes('unnest(')) sent.looks++
    else if (text.includes('as timeline')) sent.reads++
  })
  const isQuiet = () => sent.reads >= calls.length && service.db.poolState().idle >= service.db.poolState().total - 1
  for (let looks = 0; looks < 60 && !isQuiet(); looks++) await nextLook(service)
  assert.ok(isQuiet(), JSON.stringify({ ...sent, ...service.db.poolState() }))
  const before = sent.looks
  await nextLook(service)
  stop()
  assert.deepEqual([sent.looks, sent.reads], [before + 1, calls.length])
  for (const id of ids) await payOrder(service, shop, id)
  const answers = await Promise.all(calls)
  assert.deepEqual([...new Set(answers.map(({ json }) => json.status))], ['paid'])
})

test('a shutdown answers those who wait with the order as it is', async (t) => {
  const stopping = await serviceFor(t)
  const shop = await openOrderShop(stopping)
  const asha = await newCustomer(stopping, shop)
  const id = await placeOrder(stopping, shop, asha)
  const looked = nextLook(stopping)
  const answer = asha.call('GET', `/v1/customer/orders/${id}?wait=25`)
  await looked
  const closed = stopping.close()
  const { status, json } = await answer
  assert.deepEqual([status, json.status], [200, 'pending'])
  await closed
})
