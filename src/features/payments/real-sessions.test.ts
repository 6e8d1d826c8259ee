import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doubles } from '../../../test/doubles/doubles.ts'
import { openDouble } from '../../../test/doubles/fixture.ts'
import { choose } from '../../../test/doubles/payment-double.ts'
import { assertError } from '../../../test/harness.ts'
import { minutes } from '../../core/clock.ts'
import { newRunner } from '../../jobs/fixture.ts'

for (const chosen of doubles) {
  const { name } = chosen
  const canClose = name !== 'juspay'

  test(`${name}: sessions end with their orders`, async (t) => {
    const { double, service, openShop } = await openDouble(t, chosen)
    const shop = await openShop()

    await t.test('a repeated checkout makes one order and one session', async () => {
      const before = double.payable()
      const buyer = await shop.newBuyer({ productId: shop.mug })
      const headers = { 'idempotency-key': 'checkout-0001' }
      const answers = await Promise.all([1, 2, 3].map(() => buyer.checkOut({}, headers)))
      const made = answers.filter(({ status }) => status < 300)
      assert.equal(new Set(made.map(({ json }) => json.order.id)).size, 1)
      for (const { status } of answers) assert.ok(status < 300 || status === 409, String(status))
      assert.equal(double.payable(), before + 1)
    })

    await t.test('a replaced order cannot be paid, or its payment is refunded', async () => {
      const [before, taken] = [double.payable(), double.taken()]
      const old = await shop.order()
      await old.buyer.call('POST', '/v1/cart', { body: { productId: shop.mug, quantity: 1 } })
      const { status, json, text } = await old.buyer.checkOut()
      assert.equal(status, 201, text)
      assert.equal((await old.show()).status, 'cancelled')
      assert.equal(double.payable(), before + (canClose ? 1 : 2))
      await choose(json.payment.redirectUrl, 'pay')
      await choose(old.page, 'pay')
      await newRunner(service).runDue()
      const kept = json.order.total * 100
      assert.equal(double.taken() - double.returned() - taken, kept)
      assert.equal(double.returned(), canClose ? 0 : 20_000)
      assert.deepEqual(await shop.findings(), [])
    })

    await t.test(
      'an order that is not paid in time is cancelled, its units return and its page is closed',
      async () => {
        const { reserved } = await shop.stockOf(shop.mug)
        const [order, taken] = [await shop.order(), double.taken()]
        assert.equal((await shop.stockOf(shop.mug)).reserved, reserved + 2)
        service.clock.advance(minutes(40))
        await newRunner(service).runDue()
        assert.equal((await order.show()).status, 'cancelled')
        assert.equal((await shop.stockOf(shop.mug)).reserved, 0)
        await choose(order.page, 'pay')
        assert.equal(double.taken(), taken)
        assert.deepEqual(await shop.findings(), [])
      },
    )

    await t.test('an order cannot be cancelled while its payment is undecided', async () => {
      for (const outcome of ['failed', 'success'] as const) {
        const order = await shop.order()
        const cancel = async () => (await order.buyer.call('POST', `/v1/customer/orders/${order.id}/cancel`)).status
        await choose(order.page, 'pay-later')
        // A payment link is paid or not.
        const isUndecided = name !== 'razorpay'
        assert.equal(await cancel(), isUndecided ? 409 : 200)
        await double.settleLater(outcome)
        const { paymentStatus } = await order.show()
        if (isUndecided) assert.equal(paymentStatus, outcome === 'success' ? 'paid' : 'failed')
        assert.equal(await cancel(), isUndecided && outcome === 'success' ? 409 : 200)
      }
      assert.deepEqual(await shop.findings(), [])
    })
  })
}

test('juspay: while a failed payment is tried again on its page, its order stays', async (t) => {
  const juspay = doubles.find(({ name }) => name === 'juspay')
  assert.ok(juspay)
  const { double, service, openShop } = await openDouble(t, juspay)
  const shop = await openShop()

  /** An order whose payment failed, with a shopper who tries again on the same page. */
  const retryOnPage = async () => {
    const order = await shop.order()
    await choose(order.page, 'fail')
    assert.equal((await order.show()).paymentStatus, 'failed')
    await choose(order.page, 'pay-later')
    const pay = () => order.buyer.call('POST', '/v1/payment', { body: { orderId: order.id } })
    const cancel = () => order.buyer.call('POST', `/v1/customer/orders/${order.id}/cancel`)
    return { ...order, pay, cancel }
  }

  await t.test('it cannot be cancelled, replaced or paid on a second page', async () => {
    const order = await retryOnPage()
    const payable = double.payable()
    assertError(await order.cancel(), 409, 'CONFLICT')
    assertError(await order.pay(), 409, 'CONFLICT')
    assertError(await order.buyer.checkOut(), 409, 'CONFLICT')
    await order.buyer.call('POST', '/v1/cart', { body: { productId: shop.mug, quantity: 1 } })
    assertError(await order.buyer.checkOut(), 409, 'CONFLICT')
    assert.equal(double.payable(), payable)
    await double.settleLater('failed')
    const { status, json, text } = await order.pay()
    assert.equal(status, 200, text)
    assert.notEqual(json.id, order.payment.id)
    assert.equal((await order.cancel()).status, 200)
  })

  await t.test('a payment that is made there is found without its webhook', async () => {
    const [cancelled, retried] = [await retryOnPage(), await retryOnPage()]
    double.delivery.lose = true
    await double.settleLater('success')
    double.delivery.lose = false
    assertError(await cancelled.cancel(), 409, 'CONFLICT')
    assert.equal((await cancelled.show()).paymentStatus, 'paid')
    const { status, json, text } = await retried.pay()
    assert.equal(status, 200, text)
    assert.deepEqual([json.id, json.status, json.paymentStatus], [retried.payment.id, 'paid', 'paid'])
  })

  await t.test('a page that was closed here, and is being paid, blocks too', async () => {
    const order = await shop.order()
    service.clock.advance(minutes(26))
    const pay = () => order.buyer.call('POST', '/v1/payment', { body: { orderId: order.id } })
    const again = await pay()
    assert.equal(again.status, 200, again.text)
    await choose(order.page, 'pay-later')
    assertError(await order.buyer.call('POST', `/v1/customer/orders/${order.id}/cancel`), 409, 'CONFLICT')
    double.delivery.lose = true
    await double.settleLater('success')
    double.delivery.lose = false
    assertError(await order.buyer.call('POST', `/v1/customer/orders/${order.id}/cancel`), 409, 'CONFLICT')
    assert.equal((await order.show()).paymentStatus, 'paid')
  })

  await t.test('it does not expire', async () => {
    const order = await retryOnPage()
    service.clock.advance(minutes(32))
    await newRunner(service).runDue()
    assert.equal((await order.show()).status, 'pending')
    await double.settleLater('success')
    assert.equal((await order.show()).paymentStatus, 'paid')
  })

  await t.test('at most two pages are asked about', async () => {
    const order = await shop.order()
    let { page } = order
    for (let retry = 0; retry < 3; retry++) {
      await choose(page, 'fail')
      page = (await order.buyer.call('POST', '/v1/payment', { body: { orderId: order.id } })).json.redirectUrl
    }
    await choose(page, 'fail')
    const calls = double.calls.length
    assert.equal((await order.buyer.call('POST', `/v1/customer/orders/${order.id}/cancel`)).status, 200)
    assert.equal(double.calls.length, calls + 2)
  })
  assert.deepEqual(await shop.findings(), [])
})
