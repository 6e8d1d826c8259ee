import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doubles } from '../../../test/doubles/doubles.ts'
import { openDouble } from '../../../test/doubles/fixture.ts'
import { choose } from '../../../test/doubles/payment-double.ts'
import { assertError, startWindow } from '../../../test/harness.ts'
import { newId } from '../../core/ids.ts'

/** More than are allowed in a minute. */
const attempts = 70

for (const chosen of doubles) {
  test(`${chosen.name}: bad webhooks from the provider's address do not stop good ones`, async (t) => {
    const { service, openShop } = await openDouble(t, chosen)
    const [attacked, other] = [await openShop(), await openShop()]
    const isInPath = chosen.name !== 'juspay'
    const sendBad = (storeId: string) =>
      service.call(isInPath ? `/webhook/${chosen.name}/${storeId}` : '/webhook/juspay', {
        method: 'POST',
        headers: {
          ...{ 'content-type': 'application/json', authorization: 'Basic eDp5', 'stripe-signature': 't=1,v1=00' },
          ...{ 'x-razorpay-signature': '00', 'x-store-id': storeId },
        },
        body: '{}',
      })
    const pay = async (shop: typeof attacked) => {
      const order = await shop.order()
      await choose(order.page, 'pay')
      assert.equal((await order.show()).paymentStatus, 'paid')
    }
    await pay(attacked)
    const statuses: number[] = []
    startWindow(service)
    for (let i = 0; i < attempts; i++) statuses.push((await sendBad(attacked.storeId)).status)
    assert.deepEqual([...new Set(statuses)], [401, 429])
    await pay(attacked)
    await pay(other)
    startWindow(service)
    for (let i = 0; i < attempts; i++) await sendBad(newId('store'))
    assertError(await sendBad(newId('store')), 429, 'RATE_LIMITED')
    await pay(attacked)
    await pay(other)
  })
}

test('returns with invented references are limited', async (t) => {
  const [chosen] = doubles
  assert.ok(chosen)
  const { service } = await openDouble(t, chosen)
  const visit = (i: number) => service.call(`/payment/callback/razorpay?razorpay_payment_link_id=plink_${i}`)
  startWindow(service)
  for (let i = 0; i < 60; i++) assertError(await visit(i), 404, 'NOT_FOUND')
  assertError(await visit(60), 429, 'RATE_LIMITED')
})
