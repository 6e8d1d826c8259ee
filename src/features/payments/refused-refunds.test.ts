import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { doubles } from '../../../test/doubles/doubles.ts'
import { openDouble } from '../../../test/doubles/fixture.ts'
import { choose } from '../../../test/doubles/payment-double.ts'
import { minutes } from '../../core/clock.ts'
import { newRunner } from '../../jobs/fixture.ts'
import type { PaymentProvider } from '../../providers/payment/provider.ts'
import { type RefundRequest, refundOrderById } from './refunds.ts'

/** A paid order of two mugs at a provider that makes refunds and says that it refused them, as after a lost answer. */
const openRefusing = async (t: TestContext, chosen: (typeof doubles)[number]) => {
  const says: { refund: 'refused' | 'succeeded' | 'truth' } = { refund: 'refused' }
  const refuse = (provider: PaymentProvider): PaymentProvider => ({
    ...provider,
    refund: async (...call) => {
      if (says.refund === 'succeeded') return { status: 'succeeded', reference: null, detail: '' }
      const result = await provider.refund(...call)
      if (says.refund === 'truth') return result
      return { status: 'failed', reference: null, detail: 'Refused.', isRefused: true }
    },
  })
  const { double, service, openShop } = await openDouble(t, {
    ...chosen,
    createProvider: (url) => refuse(chosen.createProvider(url)),
  })
  const shop = await openShop()
  const order = await shop.order()
  await choose(order.page, 'pay')
  const line: string = (await order.show()).items[0].id
  return {
    ...{ double, shop, says, line },
    refund: (request: RefundRequest) => refundOrderById(service.app.services, order.id, request),
    runJobs: async () => {
      service.clock.advance(minutes(5))
      await newRunner(service).runDue()
    },
    /** Payment status, attention code, refunded total, refunded units of the line and stock. */
    state: async () => {
      const row = await service.db.one<{ flag: string | null; units: number }>`
        select o.needs_attention as flag, l.refunded as units from orders o
        join order_line l on l.store_id = o.store_id and l.order_id = o.id
        where o.id = ${order.id}`
      const { paymentStatus, refundedTotal } = await order.show()
      return [paymentStatus, row.flag, refundedTotal, row.units, (await shop.stockOf(shop.mug)).onHand]
    },
    statuses: async () => (await order.show()).refunds.map(({ status }: { status: string }) => status),
  }
}

for (const chosen of doubles) {
  const { name } = chosen

  test(`${name}: a refund that was refused here counts when the provider reports its success`, async (t) => {
    const { double, shop, refund, state, statuses, line } = await openRefusing(t, chosen)
    double.delivery.hold = true
    assert.equal((await refund({ items: [{ id: line, quantity: 1 }] })).status, 'failed')
    assert.deepEqual(await state(), ['paid', 'REFUND_FAILED', 0, 0, 8])
    double.delivery.duplicate = true
    await double.release()
    assert.deepEqual(await state(), ['partially_refunded', 'REFUND_FAILED', 100, 1, 9])
    assert.deepEqual(await statuses(), ['succeeded'])
    assert.deepEqual(await shop.findings(), [])
    // The provider can still report a failure after that.
    Object.assign(double.delivery, { hold: false, duplicate: false })
    await double.settleRefunds('failed')
    assert.deepEqual(await state(), ['paid', 'REFUND_FAILED', 0, 0, 8])
    assert.deepEqual(await shop.findings(), [])
  })

  test(`${name}: a refused refund that succeeds after its money was refunded is flagged`, async (t) => {
    const { double, shop, refund, state, statuses, says, line } = await openRefusing(t, chosen)
    double.delivery.hold = true
    const items = [{ id: line, quantity: 2 }]
    await refund({ items })
    says.refund = 'succeeded'
    await refund({ items: [{ id: line, quantity: 1 }] })
    await double.release()
    assert.deepEqual(await state(), ['partially_refunded', 'REFUND_MISMATCH', 100, 1, 9])
    assert.deepEqual(await statuses(), ['failed', 'succeeded'])
    assert.equal((await shop.inbox()).at(-1)?.outcome, 'mismatch')
    assert.deepEqual(await shop.findings(), [])
  })

  test(`${name}: a failure that the provider has reported is final, also after a refusal`, async (t) => {
    const { double, shop, refund, state } = await openRefusing(t, chosen)
    Object.assign(double.delivery, { hold: true, reorder: true })
    await refund({ amount: 50 })
    await double.settleRefunds('failed')
    await double.release()
    assert.deepEqual(await state(), ['paid', 'REFUND_FAILED', 0, 0, 8])
    assert.deepEqual(await shop.findings(), [])
  })

  test(`${name}: a refusal does not undo a success that a webhook has reported`, async (t) => {
    const { shop, refund, state } = await openRefusing(t, chosen)
    await refund({ amount: 50 })
    assert.deepEqual(await state(), ['partially_refunded', null, 50, 0, 8])
    assert.deepEqual(await shop.findings(), [])
  })
}

// Juspay sends no event for a pending refund.
for (const chosen of doubles.filter(({ name }) => name !== 'juspay')) {
  test(`${chosen.name}: a refused refund that the provider reports as pending is followed`, async (t) => {
    const { double, shop, refund, runJobs, state, statuses, says, line } = await openRefusing(t, chosen)
    double.delivery.hold = true
    double.behaviour.refund = 'pending'
    await refund({ items: [{ id: line, quantity: 1 }] })
    await double.release()
    assert.deepEqual(await statuses(), ['pending'])
    assert.deepEqual(await state(), ['paid', 'REFUND_FAILED', 100, 1, 8])
    assert.deepEqual(await shop.findings(), [])
    says.refund = 'truth'
    double.delivery.lose = true
    await double.settleRefunds('succeeded')
    await runJobs()
    assert.deepEqual(await state(), ['partially_refunded', 'REFUND_FAILED', 100, 1, 9])
    assert.equal(double.returned(), 10_000)
    assert.deepEqual(await shop.findings(), [])
  })
}
