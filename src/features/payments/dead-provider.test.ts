import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doubles } from '../../../test/doubles/doubles.ts'
import { openDouble } from '../../../test/doubles/fixture.ts'
import { choose } from '../../../test/doubles/payment-double.ts'
import { assertError } from '../../../test/harness.ts'
import { minutes, seconds } from '../../core/clock.ts'
import { newRunner } from '../../jobs/fixture.ts'
import { openShop } from '../checkout/fixture.ts'

/** Failed calls that open the circuit of a store, and requests that a call makes before it fails. */
const [maxFailures, tries] = [5, 3]

for (const chosen of doubles) {
  test(`${chosen.name}: a dead provider is not called for each checkout, and others notice nothing`, async (t) => {
    const { double, service, openShop: openShopAtDouble } = await openDouble(t, chosen)
    const [shop, other, sandbox] = [await openShopAtDouble(), await openShopAtDouble(), await openShop(service)]
    const buyers = await Promise.all(Array.from({ length: 8 }, () => shop.newBuyer({ productId: shop.mug })))
    double.faults.fail = 1000
    for (const answer of await Promise.all(buyers.slice(0, maxFailures).map((buyer) => buyer.checkOut()))) {
      assertError(answer, 502, 'BAD_GATEWAY')
    }
    assert.equal(double.calls.length, maxFailures * tries)
    const [late, later, last] = buyers.slice(maxFailures)
    assert.ok(late && later && last)
    assertError(await late.checkOut(), 502, 'BAD_GATEWAY')
    assert.equal(double.calls.length, maxFailures * tries, 'the circuit is open')

    double.faults.fail = 0
    assertError(await late.checkOut(), 502, 'BAD_GATEWAY')
    await choose((await other.order()).page, 'pay')
    const buyer = await sandbox.newBuyer({ productId: sandbox.mug })
    assert.equal((await buyer.checkOut()).status, 201)
    assert.equal((await late.call('GET', '/v1/products')).status, 200)

    double.faults.fail = 1000
    service.clock.advance(seconds(11))
    const calls = double.calls.length
    const answers = await Promise.all([late, later, last].map((waiting) => waiting.checkOut()))
    for (const answer of answers) assertError(answer, 502, 'BAD_GATEWAY')
    assert.equal(double.calls.length, calls + tries, 'one call tries again')

    double.faults.fail = 0
    service.clock.advance(seconds(11))
    for (const waiting of [late, later, last]) {
      const { status, json, text } = await waiting.checkOut()
      assert.equal(status, 200, text)
      assert.equal(json.payment.status, 'open')
    }
    for (const { findings } of [shop, other]) assert.deepEqual(await findings(), [])
  })
}

test('a silent provider ends at the time limit, and is not called after that', async (t) => {
  const [stripe] = doubles
  assert.ok(stripe)
  const { double, openShop: openShopAtDouble } = await openDouble(t, stripe)
  const shop = await openShopAtDouble()
  const buyers = await Promise.all(Array.from({ length: 6 }, () => shop.newBuyer({ productId: shop.mug })))
  double.faults.silent = 1000
  const [last, ...first] = buyers
  assert.ok(last)
  for (const answer of await Promise.all(first.map((buyer) => buyer.checkOut()))) {
    assertError(answer, 502, 'BAD_GATEWAY')
  }
  const calls = double.calls.length
  assertError(await last.checkOut(), 502, 'BAD_GATEWAY')
  assert.equal(double.calls.length, calls)
  assert.deepEqual(await shop.findings(), [])
})

test('refunds that the provider does not list do not stop checkouts', async (t) => {
  const [stripe] = doubles
  assert.ok(stripe)
  const { double, service, openShop: openShopAtDouble } = await openDouble(t, stripe)
  const shop = await openShopAtDouble()
  await choose((await shop.order()).page, 'pay')
  double.behaviour.refund = 'pending'
  for (let made = 0; made < maxFailures; made++) await double.refundInDashboard(1_000)
  await service.db.run`update refund set reference = 're_gone' || reference`
  service.clock.advance(minutes(5))
  double.calls.length = 0
  await newRunner(service).runDue()
  assert.ok(double.calls.filter((call) => call === 'GET /v1/refunds').length >= maxFailures)
  const buyer = await shop.newBuyer({ productId: shop.mug })
  assert.equal((await buyer.checkOut()).status, 201)
})

test('a provider that refuses connections is 502', async (t) => {
  for (const chosen of doubles) {
    const { double, openShop: openShopAtDouble } = await openDouble(t, {
      ...chosen,
      start: async (options) => {
        const made = await chosen.start(options)
        // Closed twice otherwise: by this test and by the end of the test.
        let closed: Promise<void> | null = null
        return { ...made, close: () => (closed ??= made.close()) }
      },
    })
    const shop = await openShopAtDouble()
    const buyer = await shop.newBuyer({ productId: shop.mug })
    await double.close()
    assertError(await buyer.checkOut(), 502, 'BAD_GATEWAY')
    const { json } = await buyer.call('GET', '/v1/customer/orders')
    assert.equal((json.data ?? json)[0].paymentStatus, 'pending')
    assert.deepEqual(await shop.findings(), [])
  }
})
