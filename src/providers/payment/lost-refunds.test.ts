import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDouble } from '../../../test/doubles/double.ts'
import { createJuspay } from './juspay.ts'
import { createRazorpay } from './razorpay.ts'

const payment = {
  ...{ paymentId: 'pay_1', reference: 'v1', transaction: 'pay_2', orderId: 'ord_1' },
  ...{ amountMinor: 5000, currency: 'INR' },
}

for (const { name, create, made, refusal } of [
  {
    name: 'juspay',
    create: createJuspay,
    made: (id: unknown) => ({ order_id: 'v1', refunds: [{ unique_request_id: id, amount: 50, status: 'SUCCESS' }] }),
    refusal: { error_info: { code: 'INVALID_INPUT', developer_message: 'Refund amount exceeds the order amount' } },
  },
  {
    name: 'razorpay',
    create: createRazorpay,
    made: (id: unknown) => ({ items: [{ id: 'rfnd_1', receipt: id, amount: 5000, status: 'processed' }] }),
    refusal: { error: { code: 'BAD_REQUEST_ERROR', description: 'The payment has been fully refunded already' } },
  },
]) {
  test(`${name}: a refund whose answer was lost is found, although the second try is refused`, async (t) => {
    let requestId: unknown
    const double = await startDouble({
      api: ({ method, text }) => {
        if (method === 'GET') return { status: 200, body: requestId === undefined ? {} : made(requestId) }
        if (requestId !== undefined) return { status: 400, body: refusal }
        const { unique_request_id, receipt } = JSON.parse(text)
        requestId = unique_request_id ?? receipt
        return { status: 200, body: {} }
      },
    })
    t.after(() => double.close())
    const account = { storeId: 'store_1', credentials: {} }
    const refund = { refundId: 'ref_1', reference: null, amountMinor: 5000, isRepeated: false, isMade: false }
    double.faults.drop = 1
    const { status } = await create(double.url).refund(account, payment, refund, AbortSignal.timeout(5000))
    assert.equal(status, 'succeeded')
    const other = { ...refund, refundId: 'ref_2' }
    const refused = await create(double.url).refund(account, payment, other, AbortSignal.timeout(5000))
    assert.equal(refused.status, 'failed')
  })
}
