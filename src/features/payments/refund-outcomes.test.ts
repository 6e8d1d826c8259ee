import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doubles } from '../../../test/doubles/doubles.ts'
import { openDouble } from '../../../test/doubles/fixture.ts'
import { choose } from '../../../test/doubles/payment-double.ts'
import { hours, minutes } from '../../core/clock.ts'
import { newRunner, serviceAlone } from '../../jobs/fixture.ts'
import { setStock } from '../cart/fixture.ts'
import { scriptedProvider } from './fixture.ts'
import { openRefundScene } from './refund-fixture.ts'
import { type RefundRequest, type RequestedRefund, refundOrderById } from './refunds.ts'

type Chosen = (typeof doubles)[number]

/** A paid order of two mugs at a double. `check` compares the rows with the money at the double. */
const openPaid = async (t: Parameters<typeof openDouble>[0], chosen: Chosen) => {
  const { double, service, openShop } = await openDouble(t, chosen)
  const shop = await openShop()
  const order = await shop.order()
  await choose(order.page, 'pay')
  const [{ id: line }] = (await order.show()).items
  const { db } = service
  return {
    ...{ double, service, order, line: line as string },
    refund: (request?: RefundRequest) => refundOrderById(service.app.services, order.id, request),
    runJobs: async (laterMs = minutes(5)) => {
      service.clock.advance(laterMs)
      await newRunner(service).runDue()
    },
    stock: async () => (await shop.stockOf(shop.mug)).onHand,
    sellOut: () => setStock(service, shop.shop, shop.mug, 0),
    state: async () => {
      const row = await db.one<Record<string, string | null>>`
        select status, payment_status as paid, stock_state as stock, needs_attention as flag from orders
        where id = ${order.id}`
      return [row.status, row.paid, row.stock, row.flag]
    },
    check: async () => {
      const moved = await db.one<{ taken: number; returned: number }>`
        select (select sum(amount_minor)::integer from payment where order_id = ${order.id}
            and status in ('paid', 'refunded')) as taken,
          (select coalesce(sum(amount_minor), 0)::integer from refund where order_id = ${order.id}
            and status = 'succeeded') as returned`
      assert.deepEqual(moved, { taken: double.taken(), returned: double.returned() })
      assert.deepEqual(await shop.findings(), [])
    },
  }
}

for (const chosen of doubles) {
  const { name } = chosen

  test(`${name}: a whole refund that fails after its success leaves a paid order with its units`, async (t) => {
    const { double, refund, state, stock, check, order } = await openPaid(t, chosen)
    assert.equal((await refund()).paymentStatus, 'refunded')
    assert.deepEqual([...(await state()), await stock()], ['refunded', 'refunded', 'released', null, 10])
    await check()
    await double.settleRefunds('failed')
    assert.deepEqual([...(await state()), await stock()], ['paid', 'paid', 'sold', 'REFUND_FAILED', 8])
    const { refunds, refundedTotal } = await order.show()
    assert.deepEqual([refunds[0].status, refundedTotal], ['failed', 0])
    await check()
    // A late copy of the success changes nothing.
    await double.settleRefunds('succeeded')
    await refund()
    assert.deepEqual([...(await state()), await stock()], ['refunded', 'refunded', 'released', null, 10])
    await check()
  })

  test(`${name}: of two refunds of a line, the one that fails takes its own unit again`, async (t) => {
    const { double, refund, state, stock, check, line } = await openPaid(t, chosen)
    const items = [{ id: line, quantity: 1 }]
    await refund({ items })
    assert.deepEqual([...(await state()), await stock()], ['paid', 'partially_refunded', 'sold', null, 9])
    double.behaviour.refund = 'pending'
    assert.equal((await refund({ items })).status, 'pending')
    assert.equal(await stock(), 9)
    await check()
    await double.settleRefunds('succeeded')
    assert.deepEqual([...(await state()), await stock()], ['refunded', 'refunded', 'released', null, 10])
    await check()
    await double.settleRefunds('failed')
    assert.deepEqual([...(await state()), await stock()], ['paid', 'paid', 'sold', 'REFUND_FAILED', 8])
    await check()
    double.behaviour.refund = 'succeeded'
    await refund({ items })
    assert.deepEqual([...(await state()).slice(0, 3), await stock()], ['paid', 'partially_refunded', 'sold', 9])
    await check()
  })

  test(`${name}: a refund that fails after its units were sold is flagged, and sells nothing twice`, async (t) => {
    const { double, refund, state, stock, check, sellOut, line, order } = await openPaid(t, chosen)
    const items = [{ id: line, quantity: 1 }]
    await refund({ items })
    await sellOut()
    await double.settleRefunds('failed')
    assert.deepEqual([...(await state()), await stock()], ['paid', 'paid', 'sold', 'REFUND_FAILED', 0])
    assert.match((await order.show()).timeline.at(-1).message, /no longer in stock/)
    await check()
    // The unit went back to stock with the first attempt.
    await refund({ items })
    assert.equal(await stock(), 0)
    await check()
  })

  test(`${name}: a refund that the provider refuses leaves the order paid and flagged`, async (t) => {
    const { double, refund, state, stock, check } = await openPaid(t, chosen)
    double.behaviour.refund = 'failed'
    const { status, paymentStatus } = await refund({ amount: 50 })
    assert.deepEqual([status, paymentStatus], ['failed', 'paid'])
    assert.deepEqual([...(await state()), await stock()], ['paid', 'paid', 'sold', 'REFUND_FAILED', 8])
    await check()
  })

  for (const [fault, failures] of [
    ['drop', 1],
    ['drop', 3],
    ['failAfter', 1],
    ['failAfter', 3],
    ['fail', 3],
  ] as const) {
    test(`${name}: after ${failures} lost answers to a refund (${fault}) nothing is returned twice`, async (t) => {
      const { double, refund, runJobs, check, order } = await openPaid(t, chosen)
      double.faults[fault] = failures
      const { status } = await refund({ amount: 150 })
      assert.equal(status, failures === 1 ? 'succeeded' : 'pending')
      await runJobs()
      await runJobs()
      const { refundedTotal, paymentStatus } = await order.show()
      assert.deepEqual([refundedTotal, paymentStatus, double.returned()], [150, 'partially_refunded', 15_000])
      await check()
      // Too much is left to refuse the second attempt for its amount alone.
      double.faults[fault] = failures
      await refund()
      await runJobs()
      assert.deepEqual([(await order.show()).paymentStatus, double.returned()], ['refunded', 20_000])
      await check()
    })
  }

  test(`${name}: a refund that the provider cannot answer yet is pending, and is not made again`, async (t) => {
    const { double, refund, runJobs, check, order } = await openPaid(t, chosen)
    double.behaviour.refund = 'pending'
    double.delivery.lose = true
    await Promise.all(Array.from({ length: 5 }, () => refund()))
    await runJobs()
    assert.equal((await order.show()).paymentStatus, 'paid')
    await double.settleRefunds('succeeded')
    await runJobs(hours(2))
    assert.deepEqual([(await order.show()).paymentStatus, double.returned()], ['refunded', 20_000])
    await check()
  })
}

const pick = async (refund: Promise<RequestedRefund>) => [(await refund).amount, (await refund).paymentStatus]

test('a part of the payment is refunded while a duplicate payment waits for its refund', async (t) => {
  const { provider, does } = scriptedProvider()
  const { service } = await serviceAlone(t, { paymentProviders: [provider] })
  const scene = await openRefundScene(service, { provider: 'scripted' })
  const order = await scene.order()
  const second = { orderId: order.id, status: 'success', amount: order.total, currency: 'INR' }
  await scene.report({ ...second, transactionId: 'another' })
  assert.deepEqual(await order.state(), ['paid', 'paid', 'sold', 'DUPLICATE_PAYMENT'])
  const part = await order.refund({ amount: 50 })
  assert.equal(part.paymentStatus, 'partially_refunded')
  assert.deepEqual(await scene.findings(), [])
  does.refund = 'failed'
  service.clock.advance(minutes(1))
  await newRunner(service).runDue()
  assert.deepEqual(await order.state(), ['paid', 'partially_refunded', 'sold', 'REFUND_FAILED'])
  assert.deepEqual(await scene.findings(), [])
  does.refund = 'succeeded'
  // The duplicate, which could not be refunded, pays the order now.
  assert.deepEqual(await pick(order.refund()), [150, 'paid'])
  assert.deepEqual(await scene.findings(), [])
  assert.deepEqual(await pick(order.refund()), [200, 'refunded'])
  assert.deepEqual(await order.state(), ['refunded', 'refunded', 'released', null])
  assert.deepEqual(await scene.findings(), [])
})
