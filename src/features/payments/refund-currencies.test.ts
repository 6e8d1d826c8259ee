import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doubles } from '../../../test/doubles/doubles.ts'
import { openDouble } from '../../../test/doubles/fixture.ts'
import { choose } from '../../../test/doubles/payment-double.ts'
import { newStore } from '../../../test/harness.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { address } from '../checkout/fixture.ts'
import { checkInvariants } from '../doctor/invariants.ts'
import { changePaymentAccount } from './accounts.ts'
import { refundOrderById } from './refunds.ts'

for (const chosen of doubles) {
  for (const [currency, price, parts] of [
    ['JPY', 333, [1, 500, 498]],
    ['KWD', 1.12, [0.01, 2.34, 1.01]],
  ] as const) {
    test(`${chosen.name}: ${currency} is charged and refunded exactly`, async (t) => {
      const { double, service } = await openDouble(t, chosen)
      const shop = await newStore(service, { currency })
      await shop.add({ name: 'Mug', price, stock: 10 })
      const store = await shop.load()
      const request = { provider: chosen.name, credentials: double.openAccount(service.url, store.publicId) }
      await service.db.tx((tx) => changePaymentAccount(tx, service.app.services.payments, store, request))
      await service.db.run`update store set payment_provider = ${chosen.name} where id = ${store.id}`
      const asha = await newCustomer(service, shop)
      const { id: productId } = (await shop.get('/v1/products/mug')).json
      await asha.call('POST', '/v1/cart', { body: { productId, quantity: 3 } })
      const { status, json, text } = await asha.call('POST', '/v1/checkout', { body: { shippingAddress: address } })
      assert.equal(status, 201, text)
      await choose(json.payment.redirectUrl, 'pay')
      const orderId: string = json.order.id
      const show = async () => (await asha.call('GET', `/v1/customer/orders/${orderId}`)).json
      assert.equal((await show()).paymentStatus, 'paid')
      for (const amount of parts) {
        const made = await refundOrderById(service.app.services, orderId, { amount })
        assert.deepEqual([made.amount, made.status], [amount, 'succeeded'])
      }
      const { paymentStatus, refundedTotal, total } = await show()
      assert.deepEqual([paymentStatus, refundedTotal], ['refunded', total])
      assert.equal(double.returned(), double.taken())
      assert.deepEqual(await checkInvariants(service.db, { storeId: store.id }), [])
    })
  }
}
