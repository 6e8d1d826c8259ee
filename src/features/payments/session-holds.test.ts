import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doubles } from '../../../test/doubles/doubles.ts'
import { openDouble } from '../../../test/doubles/fixture.ts'
import { choose } from '../../../test/doubles/payment-double.ts'
import { assertError, serviceFor } from '../../../test/harness.ts'
import { hours, minutes } from '../../core/clock.ts'
import { newRunner } from '../../jobs/fixture.ts'
import { SessionLost } from '../../providers/payment/provider.ts'
import { openScene, scriptedProvider } from './fixture.ts'
import { startPayment } from './sessions.ts'

for (const chosen of doubles) {
  const { name } = chosen

  test(`${name}: a retry gets a session that ends before the units are released, and holds end at last`, async (t) => {
    const { double, service, openShop } = await openDouble(t, chosen)
    const shop = await openShop()
    const order = await shop.order()
    const placedAt = Date.parse((await order.show()).createdAt)
    const pay = () => order.buyer.call('POST', '/v1/payment', { body: { orderId: order.id } })
    let session = order.payment
    let retries = 0
    for (; ; retries++) {
      assert.ok(retries < 20)
      const hold = Date.parse((await order.show()).expiresAt)
      assert.ok(hold - Date.parse(session.expiresAt) >= minutes(1), 'the session ends first')
      assert.ok(hold - placedAt <= hours(3) + minutes(1), 'holds are limited')
      service.clock.advance(Date.parse(session.expiresAt) - service.clock.now() + 1000)
      const again = await pay()
      if (again.status === 409) break
      assert.equal(again.status, 200, again.text)
      assert.notEqual(again.json.id, session.id)
      session = again.json
      // Juspay cannot close a session, and its own lasts a little longer.
      if (name !== 'juspay') assert.equal(double.payable(), 1)
    }
    // Juspay's sessions can be short, so they fit into what is left of the first hold.
    assert.ok(name === 'juspay' ? retries >= 1 : retries >= 3, `${retries} retries`)
    assertError(await pay(), 409, 'CONFLICT')
    assert.equal((await shop.stockOf(shop.mug)).reserved, 2)
    service.clock.advance(hours(1))
    await newRunner(service).runDue()
    assert.equal((await order.show()).status, 'cancelled')
    assert.deepEqual(await shop.stockOf(shop.mug), { onHand: 10, reserved: 0 })
    assert.equal(double.payable(), 0)
    assert.deepEqual(await shop.findings(), [])
  })

  for (const fault of ['drop', 'failAfter'] as const) {
    test(`${name}: if every answer to a start is lost (${fault}), one session can be paid`, async (t) => {
      const { double, service, openShop } = await openDouble(t, chosen)
      const shop = await openShop()
      for (const laterMs of [0, minutes(2)]) {
        const buyer = await shop.newBuyer({ productId: shop.mug })
        const before = double.payable()
        double.faults[fault] = 3
        assertError(await buyer.checkOut(), 502, 'BAD_GATEWAY')
        service.clock.advance(laterMs)
        const { status, json, text } = await buyer.checkOut()
        assert.equal(status, 200, text)
        assert.equal(double.payable(), before + 1)
        await choose(json.payment.redirectUrl, 'pay')
        const shown = (await buyer.call('GET', `/v1/customer/orders/${json.order.id}`)).json
        assert.deepEqual([shown.paymentStatus, double.payable()], ['paid', before])
      }
      assert.deepEqual(await shop.findings(), [])
    })
  }

  test(`${name}: units go back to stock only after the session is closed at the provider`, async (t) => {
    const { double, service, openShop } = await openDouble(t, chosen)
    const shop = await openShop()
    const order = await shop.order()
    const expire = async () => {
      service.clock.advance(Date.parse((await order.show()).expiresAt ?? '') - service.clock.now() + minutes(2))
      await newRunner(service).runDue()
    }
    double.faults.fail = 1000
    await expire()
    assert.equal((await order.show()).status, 'pending')
    assert.equal((await shop.stockOf(shop.mug)).reserved, 2)
    double.faults.fail = 0
    service.clock.advance(minutes(10))
    const calls = double.calls.length
    await newRunner(service).runDue()
    assert.ok(double.calls.length > calls)
    assert.equal((await order.show()).status, 'cancelled')
    assert.deepEqual(await shop.stockOf(shop.mug), { onHand: 10, reserved: 0 })
    assert.equal(double.payable(), 0)
    assert.deepEqual(await shop.findings(), [])
  })
}

test('juspay: a shopper who pays on the old and on the new page is charged once in the end', async (t) => {
  const juspay = doubles.find(({ name }) => name === 'juspay')
  assert.ok(juspay)
  const { double, service, openShop } = await openDouble(t, juspay)
  const shop = await openShop()
  const order = await shop.order()
  service.clock.advance(minutes(26))
  const again = await order.buyer.call('POST', '/v1/payment', { body: { orderId: order.id } })
  assert.equal(again.status, 200, again.text)
  await choose(order.page, 'pay')
  await choose(again.json.redirectUrl, 'pay')
  assert.equal(double.taken(), 40_000)
  await newRunner(service).runDue()
  assert.equal(double.returned(), 20_000)
  assert.equal((await order.show()).paymentStatus, 'paid')
  assert.deepEqual(await shop.findings(), [])
})

test('a lost session is replaced by a new payment, and one that is lost again is 502', async (t) => {
  const scripted = scriptedProvider()
  const service = await serviceFor(t, { paymentProviders: [scripted.provider] })
  const scene = await openScene(service, { provider: 'scripted', stock: 50 })
  let lost = 1
  scripted.meanwhile.start = async () => {
    if (lost-- > 0) throw new SessionLost('It has ended.')
  }
  const order = await scene.order()
  const pay = (orderId: string) => scene.asha.call('POST', '/v1/payment', { body: { orderId } })
  const { status, json, text } = await pay(order.id)
  assert.equal(status, 200, text)
  assert.notEqual(json.id, order.payment)
  assert.deepEqual(await scene.paymentsOf(order.id), ['closed', 'open'])
  // More than would open the circuit if these were failures of the provider.
  lost = 12
  const other = await scene.order()
  for (let i = 0; i < 6; i++) assertError(await pay(other.id), 502, 'BAD_GATEWAY')
  assert.equal((await pay(other.id)).status, 200)
})

test('a lost session does not close the session that another request has opened meanwhile', async (t) => {
  const scripted = scriptedProvider()
  const service = await serviceFor(t, { paymentProviders: [scripted.provider] })
  const scene = await openScene(service, { provider: 'scripted' })
  const order = await scene.order()
  let starts = 0
  scripted.meanwhile.start = async () => {
    if (++starts > 1) return
    await startPayment(scene.ctx, order.id)
    throw new SessionLost('It is not listed yet.')
  }
  const view = await startPayment(scene.ctx, order.id)
  assert.deepEqual([view.id, view.redirectUrl], [order.payment, `https://pay.example/${order.payment}`])
  assert.deepEqual(await scene.paymentsOf(order.id), ['open'])
})

test('requests that lose the same session get the same new page', async (t) => {
  const scripted = scriptedProvider()
  const service = await serviceFor(t, { paymentProviders: [scripted.provider] })
  const scene = await openScene(service, { provider: 'scripted' })
  const order = await scene.order()
  scripted.meanwhile.start = async (paymentId) => {
    if (paymentId === order.payment) throw new SessionLost('It has ended.')
  }
  const views = await Promise.all(Array.from({ length: 5 }, () => startPayment(scene.ctx, order.id)))
  assert.equal(new Set(views.map(({ redirectUrl }) => redirectUrl)).size, 1)
  assert.notEqual(views[0]?.redirectUrl, null)
  assert.deepEqual(await scene.paymentsOf(order.id), ['closed', 'open'])
})
