import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { doubles } from '../../../test/doubles/doubles.ts'
import { choose } from '../../../test/doubles/payment-double.ts'
import { minutes } from '../../core/clock.ts'
import { newId } from '../../core/ids.ts'
import { ProviderRefused, ProviderUnavailable } from '../http.ts'
import type { Charge, PaymentEvent, PaymentRef } from './provider.ts'

const serviceUrl = 'https://shop.example'

type Chosen = (typeof doubles)[number]

/** A store with an account at a double, and the events that the double has sent so far. */
const openAccount = async (t: TestContext, { start, createProvider }: Chosen) => {
  const double = await start()
  t.after(() => double.close())
  double.delivery.lose = true
  const provider = createProvider(double.url)
  const credentials = double.openAccount(serviceUrl, 'store_1')
  const account = { storeId: 'store_1', credentials }
  const events: PaymentEvent[] = []
  const { notify } = double
  const within = (ms = 5000) => AbortSignal.timeout(ms)
  const charge = (more: Partial<Charge> = {}): Charge => ({
    ...{ paymentId: newId('pay'), reference: null, transaction: null, orderId: newId('ord'), orderNumber: 1001 },
    ...{
      amountMinor: 97_750,
      currency: 'INR',
      storeName: 'Kavya',
      expiresAt: new Date(Date.now() + provider.sessionMs),
    },
    returnUrl: `${serviceUrl}/payment/callback/${provider.name}`,
    customer: { id: 'cus_1', name: 'Asha', email: 'asha@example.com', phone: '+919876543210' },
    ...more,
  })
  return { double, provider, account, events, notify, within, charge }
}

for (const chosen of doubles) {
  const { name } = chosen

  test(`${name}: a payment is started, paid and read`, async (t) => {
    const { provider, account, within, charge } = await openAccount(t, chosen)
    const wanted = charge()
    const session = await provider.start(account, wanted, within())
    const payment: PaymentRef = { ...wanted, reference: session.reference }
    assert.equal((await provider.status(account, payment, within())).status, 'open')
    const back = await choose(session.redirectUrl, 'pay-by-upi')
    assert.ok(back?.startsWith(wanted.returnUrl), String(back))
    const names = provider.readReturn(Object.fromEntries(new URL(String(back)).searchParams))
    assert.ok(
      names.orderId === wanted.orderId || names.reference === session.reference || names.paymentId === wanted.paymentId,
    )
    const { status, amount, currency, instrument, transaction } = await provider.status(account, payment, within())
    assert.deepEqual({ status, amount, currency }, { status: 'success', amount: 977.5, currency: 'INR' })
    assert.deepEqual([instrument.method, instrument.upiId], ['upi', 'asha@bank'])
    assert.notEqual(instrument.reference, '')
    assert.notEqual(transaction, null)
  })

  test(`${name}: after a lost answer, a repeated start gives the same session`, async (t) => {
    const { double, provider, account, within, charge } = await openAccount(t, chosen)
    const wanted = charge()
    double.faults.drop = 1
    const first = await provider.start(account, wanted, within())
    const second = await provider.start(account, wanted, within())
    assert.equal(second.redirectUrl, first.redirectUrl)
    assert.equal(double.payable(), 1)
  })

  test(`${name}: simultaneous starts give one session`, async (t) => {
    const { double, provider, account, within, charge } = await openAccount(t, chosen)
    const wanted = charge()
    const started = await Promise.all(Array.from({ length: 5 }, () => provider.start(account, wanted, within())))
    assert.equal(new Set(started.map(({ redirectUrl }) => redirectUrl)).size, 1)
    assert.equal(double.payable(), 1)
  })

  test(`${name}: a provider that is down or silent is unavailable, and wrong credentials are refused`, async (t) => {
    const { double, provider, account, within, charge } = await openAccount(t, chosen)
    double.faults.fail = 3
    await assert.rejects(provider.start(account, charge(), within()), ProviderUnavailable)
    double.faults.silent = 1
    await assert.rejects(provider.start(account, charge(), within(50)))
    const stranger = { ...account, credentials: { ...account.credentials, secretKey: 'x', keyId: 'x', apiKey: 'x' } }
    await assert.rejects(provider.start(stranger, charge(), within()), ProviderRefused)
    await assert.rejects(provider.check(stranger, within()), ProviderRefused)
    assert.match(await provider.check(account, within()), /accepted/)
  })

  test(`${name}: a closed session cannot be paid, and a paid one cannot be closed`, async (t) => {
    const { provider, account, within, charge } = await openAccount(t, chosen)
    const begin = async () => {
      const wanted = charge()
      const session = await provider.start(account, wanted, within())
      return { session, payment: { ...wanted, reference: session.reference } }
    }
    const open = await begin()
    assert.equal(await provider.close(account, open.payment, within()), 'closed')
    const paid = await begin()
    await choose(paid.session.redirectUrl, 'pay')
    assert.equal(await provider.close(account, paid.payment, within()), 'paid')
    assert.equal(
      await provider.close(account, charge(), within()),
      'closed',
      'its answer was lost, so nobody has its page',
    )
  })

  test(`${name}: refunds in parts are made once each and never exceed the payment`, async (t) => {
    const { double, provider, account, within, charge } = await openAccount(t, chosen)
    const wanted = charge()
    const session = await provider.start(account, wanted, within())
    await choose(session.redirectUrl, 'pay')
    const { transaction } = await provider.status(account, { ...wanted, reference: session.reference }, within())
    const payment = { ...wanted, reference: session.reference, transaction }
    const refundId = newId('pay')
    const refund = (id: string, amountMinor: number, isRepeated = false) =>
      provider.refund(
        account,
        payment,
        { refundId: id, reference: null, amountMinor, isMade: false, isRepeated },
        within(),
      )
    double.faults.drop = 1
    const first = await refund(refundId, 7_750)
    assert.equal(first.status, 'succeeded')
    assert.deepEqual(await refund(refundId, 7_750, true), first)
    assert.equal(double.returned(), 7_750)
    double.behaviour.refund = 'pending'
    const later = newId('pay')
    assert.equal((await refund(later, 90_000)).status, 'pending')
    assert.equal((await refund(newId('pay'), 1)).status, 'failed')
    await double.settleRefunds('succeeded')
    assert.equal((await refund(later, 90_000, true)).status, 'succeeded')
    assert.equal(double.returned(), double.taken())
  })

  test(`${name}: an expired session reads as closed`, async (t) => {
    let nowMs = Date.now()
    const double = await chosen.start({ now: () => nowMs })
    t.after(() => double.close())
    const provider = chosen.createProvider(double.url)
    const account = { storeId: 'store_1', credentials: double.openAccount(serviceUrl, 'store_1') }
    const { charge } = await openAccount(t, chosen)
    const wanted = charge()
    const signal = AbortSignal.timeout(5000)
    const { reference, redirectUrl } = await provider.start(account, wanted, signal)
    nowMs += minutes(40)
    await choose(redirectUrl, 'pay')
    assert.equal(double.taken(), 0)
    // Juspay says the same of a session that has expired as of one that nobody has begun to pay.
    const { status } = await provider.status(account, { ...wanted, reference }, signal)
    assert.equal(status, name === 'juspay' ? 'open' : 'closed')
  })
}
