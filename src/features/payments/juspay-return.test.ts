import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doubles } from '../../../test/doubles/doubles.ts'
import { openDouble } from '../../../test/doubles/fixture.ts'
import { choose } from '../../../test/doubles/payment-double.ts'
import { changePaymentAccount } from './accounts.ts'

const [juspay, stripe] = ['juspay', 'stripe'].map((wanted) => doubles.find(({ name }) => name === wanted))

/** An order that was paid while webhooks are lost, so that only the return can settle it. */
const openReturn = async (t: Parameters<typeof openDouble>[0]) => {
  assert.ok(juspay)
  const { double, service, openShop } = await openDouble(t, juspay)
  const shop = await openShop()
  const order = await shop.order()
  double.delivery.lose = true
  const back = new URL(String(await choose(order.page, 'pay')))
  const visit = async (change: Record<string, string | null> = {}) => {
    const query = new URLSearchParams(back.search)
    for (const [name, value] of Object.entries(change)) value === null ? query.delete(name) : query.set(name, value)
    const { status, text } = await service.call(`${back.pathname}?${query}`)
    assert.equal(status, 200, text)
    return /status=(\w+)/.exec(text)?.[1]
  }
  return { double, service, shop, order, visit }
}

test('a Juspay return with a bad signature causes no call to Juspay and settles nothing', async (t) => {
  const { double, order, visit } = await openReturn(t)
  const calls = double.calls.length
  for (const change of [
    { signature: 'AAAA' },
    { signature: null },
    { signature: null, signature_algorithm: null },
    { signature_algorithm: 'none' },
    { status: 'AUTHORIZATION_FAILED', status_id: '27' },
    { order_id: String(new URL(order.page).pathname.slice('/pay/'.length)).toUpperCase() },
  ]) {
    assert.equal(await visit(change), 'pending', JSON.stringify(change))
  }
  assert.equal(double.calls.length, calls)
  assert.equal((await order.show()).paymentStatus, 'pending')
  assert.equal(await visit(), 'success')
  assert.equal(double.calls.length, calls + 1)
  assert.equal((await order.show()).paymentStatus, 'paid')
})

test('without a response key the return needs no signature, and only the status call is believed', async (t) => {
  const { service, shop, order, visit } = await openReturn(t)
  const store = await shop.shop.load()
  const request = { provider: 'juspay', credentials: { responseKey: '' } }
  await service.db.tx((tx) => changePaymentAccount(tx, service.app.services.payments, store, request))
  const forged = { signature: null, status: 'AUTHORIZATION_FAILED', status_id: '27' }
  assert.equal(await visit(forged), 'success')
  assert.equal((await order.show()).paymentStatus, 'paid')
})

test('a return at the address of a provider that the store does not use is 404', async (t) => {
  assert.ok(stripe)
  const { double, service, openShop } = await openDouble(t, stripe)
  const shop = await openShop()
  const order = await shop.order()
  const { reference } = await service.db.one<{ reference: string }>`
    select reference from payment where id = ${order.payment.id}`
  const calls = double.calls.length
  const { status } = await service.call(`/payment/callback/juspay?order_id=${reference}`)
  assert.equal(status, 404)
  assert.equal(double.calls.length, calls)
})
