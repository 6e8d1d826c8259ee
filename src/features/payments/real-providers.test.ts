import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doubles } from '../../../test/doubles/doubles.ts'
import { openDouble } from '../../../test/doubles/fixture.ts'
import { choose } from '../../../test/doubles/payment-double.ts'
import { assertError, callUrl, withinASecond } from '../../../test/harness.ts'
import { minutes } from '../../core/clock.ts'
import { newRunner } from '../../jobs/fixture.ts'
import { refundOrderById } from './refunds.ts'

for (const chosen of doubles) {
  const { name } = chosen

  test(`${name}: an order is paid on the provider's page, and its webhook settles it`, async (t) => {
    const { double, service, openShop } = await openDouble(t, chosen)
    const shop = await openShop()
    const order = await shop.order()
    const { expiresAt } = await order.show()
    assert.ok(order.payment.expiresAt < expiresAt, 'the session ends before the units are released')
    const back = await choose(order.page, 'pay-by-upi')
    assert.ok(double.delivered.every(({ status }) => status === 200))
    const paid = await order.show()
    assert.deepEqual([paid.status, paid.paymentStatus], ['paid', 'paid'])
    // Nothing of the address is believed but the name of the payment.
    const returned = await callUrl(String(back).replace('http://vitrine.test', service.url))
    const target = `/payment/callback?orderId=${order.id}&amp;status=success`
    if (name === 'juspay') {
      assert.equal(returned.status, 200)
      assert.ok(returned.text.includes(target), returned.text)
      assert.doesNotMatch(returned.text, /<script/)
    } else {
      assert.equal(returned.status, 302)
      assert.ok(returned.headers.get('location')?.endsWith(target.replace('&amp;', '&')))
    }
    assert.ok(await withinASecond(async () => (await order.show()).payment.method === 'upi'))
    assert.deepEqual(await shop.findings(), [])
  })

  test(`${name}: a shopper whose payment was declined can try again, and is charged once`, async (t) => {
    const { double, openShop } = await openDouble(t, chosen)
    const shop = await openShop()
    const order = await shop.order()
    await choose(order.page, 'fail')
    const again = await order.buyer.call('POST', '/v1/payment', { body: { orderId: order.id } })
    assert.equal(again.status, 200, again.text)
    await choose(again.json.redirectUrl, 'pay')
    assert.equal((await order.show()).paymentStatus, 'paid')
    assert.equal(double.taken(), 20_000)
    assert.deepEqual(await shop.findings(), [])
  })

  test(`${name}: without webhooks a job settles the payment`, async (t) => {
    const { double, service, openShop } = await openDouble(t, chosen)
    const shop = await openShop()
    const order = await shop.order()
    double.delivery.lose = true
    await choose(order.page, 'pay')
    assert.equal((await order.show()).paymentStatus, 'pending')
    service.clock.advance(minutes(2))
    await newRunner(service).runDue()
    assert.equal((await order.show()).paymentStatus, 'paid')
    assert.deepEqual(await shop.findings(), [])
  })

  test(`${name}: a payment after the cancellation or a decline is found without its webhook`, async (t) => {
    const { double, service, openShop } = await openDouble(t, chosen)
    const shop = await openShop()
    const cancelled = await shop.order()
    const cancelling = await cancelled.buyer.call('POST', `/v1/customer/orders/${cancelled.id}/cancel`)
    assert.equal(cancelling.status, 200, cancelling.text)
    const declined = await shop.order()
    await choose(declined.page, 'fail')
    double.delivery.lose = true
    for (const { page } of [cancelled, declined]) await choose(page, 'pay')
    for (const span of [2, 45]) {
      service.clock.advance(minutes(span))
      await newRunner(service).runDue()
    }
    // Only Juspay takes money for a payment that was closed.
    assert.equal(double.taken(), name === 'juspay' ? 40_000 : 20_000)
    assert.equal((await cancelled.show()).paymentStatus, name === 'juspay' ? 'paid' : 'pending')
    assert.equal((await declined.show()).paymentStatus, 'paid')
    assert.deepEqual(await shop.findings(), [])
  })

  test(`${name}: repeated and reordered webhooks take effect once`, async (t) => {
    const { double, service, openShop } = await openDouble(t, chosen)
    const shop = await openShop()
    const order = await shop.order()
    Object.assign(double.delivery, { hold: true, duplicate: true, reorder: true })
    await choose(order.page, 'pay')
    await refundOrderById(service.app.services, order.id).catch(() => {})
    await double.release()
    await double.release()
    const paid = await order.show()
    assert.equal(paid.paymentStatus, 'paid')
    assert.equal(paid.timeline.filter(({ type }: { type: string }) => type === 'paid').length, 1)
    assert.deepEqual(await shop.findings(), [])
  })

  test(`${name}: a webhook that is not signed by this store's account is 401 and stores nothing`, async (t) => {
    const { double, openShop } = await openDouble(t, chosen)
    const [shop, other] = [await openShop(), await openShop()]
    const order = await shop.order()
    double.delivery.lose = true
    await choose(order.page, 'pay')
    double.delivery.lose = false
    const sent: { url: string; headers: Record<string, string>; body: string }[] = []
    const otherOrder = await other.order()
    await choose(otherOrder.page, 'pay')
    for (const { url, headers, body } of double.delivered) sent.push({ url, headers, body })
    const before = await shop.inbox()
    for (const { url, headers, body } of sent) {
      const elsewhere = url.replace(other.storeId, shop.storeId)
      const swapped = 'x-store-id' in headers ? { ...headers, 'x-store-id': shop.storeId } : headers
      const answer = await callUrl(elsewhere, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...swapped },
        body,
      })
      assertError(answer, 401, 'UNAUTHORIZED')
      const bare = await callUrl(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      assertError(bare, 401, 'UNAUTHORIZED')
    }
    assert.deepEqual(await shop.inbox(), before)
    assert.equal((await order.show()).paymentStatus, 'pending')
  })

  test(`${name}: refunds in parts, one after the other and at once, never exceed the payment`, async (t) => {
    const { double, service, openShop } = await openDouble(t, chosen)
    const shop = await openShop()
    const order = await shop.order()
    await choose(order.page, 'pay')
    const first = await refundOrderById(service.app.services, order.id, { amount: 50, reason: 'late' })
    assert.deepEqual([first.status, first.amount, first.paymentStatus], ['succeeded', 50, 'partially_refunded'])
    const attempts = Array.from({ length: 8 }, () => refundOrderById(service.app.services, order.id, { amount: 40 }))
    const made = (await Promise.allSettled(attempts)).filter(({ status }) => status === 'fulfilled')
    assert.equal(made.length, 3)
    const shown = await order.show()
    assert.deepEqual([shown.paymentStatus, shown.refundedTotal, shown.refunds.length], ['partially_refunded', 170, 4])
    const rest = await refundOrderById(service.app.services, order.id)
    assert.deepEqual([rest.amount, rest.paymentStatus], [30, 'refunded'])
    assert.equal(double.returned(), double.taken())
    assert.deepEqual(await shop.findings(), [])
  })

  test(`${name}: a pending refund is decided later, by a webhook or by the job, and can fail`, async (t) => {
    const { double, service, openShop } = await openDouble(t, chosen)
    const shop = await openShop()
    const order = await shop.order()
    await choose(order.page, 'pay')
    double.behaviour.refund = 'pending'
    const asked = await refundOrderById(service.app.services, order.id, { amount: 50 })
    assert.deepEqual([asked.status, asked.paymentStatus], ['pending', 'paid'])
    await double.settleRefunds('succeeded')
    assert.equal((await order.show()).paymentStatus, 'partially_refunded')
    await double.settleRefunds('failed')
    const failed = await order.show()
    assert.deepEqual([failed.paymentStatus, failed.refundedTotal], ['paid', 0])
    assert.equal(failed.timeline.at(-1).type, 'refund_failed')
    await refundOrderById(service.app.services, order.id, { amount: 60 })
    double.delivery.lose = true
    await double.settleRefunds('succeeded')
    service.clock.advance(minutes(5))
    await newRunner(service).runDue()
    assert.equal((await order.show()).paymentStatus, 'partially_refunded')
    assert.deepEqual(await shop.findings(), [])
  })

  test(`${name}: a refund in the dashboard and a dispute reach the order`, async (t) => {
    const { double, service, openShop } = await openDouble(t, chosen)
    const shop = await openShop()
    const order = await shop.order()
    await choose(order.page, 'pay')
    await double.refundInDashboard(5_000)
    const refunded = await order.show()
    assert.deepEqual([refunded.paymentStatus, refunded.refundedTotal], ['partially_refunded', 50])
    assert.equal(refunded.refunds[0].reason, 'provider')
    await double.dispute('opened')
    const { needsAttention } = await service.db.one<{ needsAttention: string }>`
      select needs_attention as "needsAttention" from orders where id = ${order.id}`
    assert.equal(needsAttention, 'DISPUTE')
    assert.deepEqual(await shop.findings(), [])
  })

  test(`${name}: a refund that is pending in the dashboard is followed, and not made a second time`, async (t) => {
    const { double, service, openShop } = await openDouble(t, chosen)
    const shop = await openShop()
    const order = await shop.order()
    await choose(order.page, 'pay')
    double.behaviour.refund = 'pending'
    await double.refundInDashboard(5_000)
    double.behaviour.refund = 'succeeded'
    // Juspay reports a pending refund only together with the next one.
    await double.refundInDashboard(1_000)
    for (const _ of [1, 2]) {
      service.clock.advance(minutes(5))
      await newRunner(service).runDue()
    }
    await double.settleRefunds('succeeded')
    assert.equal(double.returned(), 6_000)
    const shown = await order.show()
    assert.deepEqual([shown.paymentStatus, shown.refundedTotal, shown.refunds.length], ['partially_refunded', 60, 2])
    assert.deepEqual(await shop.findings(), [])
  })

  test(`${name}: a refund and a dispute that arrive before the report of their payment are applied after it`, async (t) => {
    const { double, service, openShop } = await openDouble(t, chosen)
    const shop = await openShop()
    for (const isAsked of [false, true]) {
      const order = await shop.order()
      Object.assign(double.delivery, { hold: true, reorder: true })
      double.delivery.lose = isAsked
      await choose(order.page, 'pay')
      double.delivery.lose = false
      await double.refundInDashboard(5_000)
      await double.dispute('opened')
      await double.release()
      Object.assign(double.delivery, { hold: false, reorder: false })
      if (isAsked) {
        service.clock.advance(minutes(2))
        await newRunner(service).runDue()
      }
      const shown = await order.show()
      assert.deepEqual([shown.paymentStatus, shown.refundedTotal], ['partially_refunded', 50])
      assert.ok(shown.timeline.some(({ message }: { message: string }) => message.startsWith('The customer disputes')))
    }
    assert.ok((await shop.inbox()).every(({ outcome }) => outcome !== 'unknown_order'))
    assert.deepEqual(await shop.findings(), [])
  })

  test(`${name}: an event that waited for its payment is applied by a job if the process died before it was`, async (t) => {
    const { double, service, openShop } = await openDouble(t, chosen)
    const shop = await openShop()
    const order = await shop.order()
    await choose(order.page, 'pay')
    await double.refundInDashboard(5_000)
    // As if the refund had come first, and the process had died after the payment was settled.
    await service.db.run`delete from refund where order_id = ${order.id}`
    await service.db.run`delete from sale_entry where order_id = ${order.id} and refunds_minor <> 0`
    await service.db.run`update orders set payment_status = 'paid' where id = ${order.id}`
    await service.db.run`
      update payment_event e set outcome = 'unknown_order', order_id = null, transaction_ref = p.transaction_ref
      from payment p where p.order_id = ${order.id} and e.store_id = p.store_id and e.order_id = p.order_id and e.detail = 'The refund is recorded.'`
    service.clock.advance(minutes(2))
    await newRunner(service).runDue()
    const shown = await order.show()
    assert.deepEqual([shown.paymentStatus, shown.refundedTotal], ['partially_refunded', 50])
    assert.deepEqual(await shop.findings(), [])
  })

  test(`${name}: a refund in the dashboard beside a whole one of ours refunds the order once`, async (t) => {
    const { double, service, openShop } = await openDouble(t, chosen)
    const shop = await openShop()
    const order = await shop.order()
    await choose(order.page, 'pay')
    double.faults.fail = 100
    assert.equal((await refundOrderById(service.app.services, order.id)).status, 'pending')
    double.faults.fail = 0
    await double.refundInDashboard(20_000)
    for (const _ of [1, 2]) {
      service.clock.advance(minutes(5))
      await newRunner(service).runDue()
    }
    const shown = await order.show()
    assert.equal(double.returned(), 20_000)
    assert.deepEqual([shown.paymentStatus, shown.refundedTotal], ['refunded', 200])
    assert.deepEqual(await shop.findings(), [])
  })

  test(`${name}: a lost answer never makes a second payable session, and a dead provider is 502`, async (t) => {
    const { double, openShop } = await openDouble(t, chosen)
    const shop = await openShop()
    double.faults.drop = 1
    const order = await shop.order()
    assert.equal(double.payable(), 1)
    assert.ok(order.page.startsWith(double.url))
    const buyer = await shop.newBuyer({ productId: shop.mug })
    double.faults.fail = 100
    assertError(await buyer.checkOut(), 502, 'BAD_GATEWAY')
    double.faults.fail = 0
    const again = await buyer.checkOut()
    assert.equal(again.status, 200, again.text)
    assert.equal(again.json.payment.status, 'open')
    assert.equal(double.payable(), 2)
  })
}
