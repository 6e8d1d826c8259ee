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

/** Resolves at the next poll of the service for waiting requests; rejects if there is none. */
const nextPoll = ({ db }: TestService) =>
  new Promise<void>((resolve, reject) => {
    const end = (done: () => void) => {
      clearTimeout(timeout)
      stop()
      done()
    }
    const timeout = setTimeout(() => end(() => reject(new Error('no request waits for an order'))), 10_000)
    const stop = db.onStatement((text) => {
      if (text.includes('unnest(')) end(resolve)
    })
  })

test('a waiting request is answered when the order is paid, on any instance', async (t) => {
  const other = await serviceFor(t)
  const shop = await openOrderShop(service)
  const asha = await newCustomer(service, shop)
  const id = await placeOrder(service, shop, asha)
  const polled = nextPoll(service)
  const answer = asha.call('GET', `/v1/customer/orders/${id}?wait=25`)
  await polled
  await payOrder(other, shop, id)
  const { json } = await answer
  assert.deepEqual([json.status, json.paymentStatus], ['paid', 'paid'])
})

test('a failed payment ends the wait too, and a decided order is returned immediately', async () => {
  const shop = await openOrderShop(service)
  const asha = await newCustomer(service, shop)
  const id = await placeOrder(service, shop, asha)
  const polled = nextPoll(service)
  const answer = asha.call('GET', `/v1/customer/orders/${id}?wait=25`)
  await polled
  await failPayment(service, shop, id)
  assert.deepEqual([(await answer).json.status, (await answer).json.paymentStatus], ['pending', 'failed'])

  const statements: string[] = []
  const stop = service.db.onStatement((text) => statements.push(text))
  const again = await asha.call('GET', `/v1/customer/orders/${id}?wait=25`)
  stop()
  assert.equal(again.json.paymentStatus, 'failed')
  assert.ok(!statements.some((text) => text.includes('unnest(')))
})

test('a wait ends after the requested seconds, with the current order', async () => {
  const shop = await openOrderShop(service)
  const asha = await newCustomer(service, shop)
  const id = await placeOrder(service, shop, asha)
  const { status, json } = await asha.call('GET', `/v1/customer/orders/${id}?wait=1`)
  assert.deepEqual([status, json.status], [200, 'pending'])
  for (const wait of ['26', '-1', '1.5', 'long']) {
    assertError(await asha.call('GET', `/v1/customer/orders/${id}?wait=${wait}`), 400, 'BAD_REQUEST')
  }
})

test('many waiting requests hold no connection, and one statement serves all of them', async () => {
  const shop = await openOrderShop(service)
  const asha = await newCustomer(service, shop)
  const ids = await Promise.all(Array.from({ length: 3 }, () => placeOrder(service, shop, asha)))
  const calls = Array.from({ length: 120 }, (_, i) => asha.call('GET', `/v1/customer/orders/${ids[i % 3]}?wait=25`))
  const sent = { reads: 0, polls: 0 }
  const stop = service.db.onStatement((text) => {
    if (text.includes('unnest(')) sent.polls++
    else if (text.includes('as timeline')) sent.reads++
  })
  const isQuiet = () => sent.reads >= calls.length && service.db.poolState().idle >= service.db.poolState().total - 1
  for (let polls = 0; polls < 60 && !isQuiet(); polls++) await nextPoll(service)
  assert.ok(isQuiet(), JSON.stringify({ ...sent, ...service.db.poolState() }))
  const before = sent.polls
  await nextPoll(service)
  stop()
  assert.deepEqual([sent.polls, sent.reads], [before + 1, calls.length])
  for (const id of ids) await payOrder(service, shop, id)
  const answers = await Promise.all(calls)
  assert.deepEqual([...new Set(answers.map(({ json }) => json.status))], ['paid'])
})

test('a shutdown answers waiting requests with the current order', async (t) => {
  const stopping = await serviceFor(t)
  const shop = await openOrderShop(stopping)
  const asha = await newCustomer(stopping, shop)
  const id = await placeOrder(stopping, shop, asha)
  const polled = nextPoll(stopping)
  const answer = asha.call('GET', `/v1/customer/orders/${id}?wait=25`)
  await polled
  const closed = stopping.close()
  const { status, json } = await answer
  assert.deepEqual([status, json.status], [200, 'pending'])
  await closed
})
