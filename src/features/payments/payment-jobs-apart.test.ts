import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startTestService } from '../../../test/harness.ts'
import { days, minutes } from '../../core/clock.ts'
import { countAll, fill, newRunner, serviceAlone } from '../../jobs/fixture.ts'
import type { PaymentProvider } from '../../providers/payment/provider.ts'
import { openScene, queueRefunds, scriptedProvider } from './fixture.ts'
import { startPayment } from './sessions.ts'

/** Shops with due refunds, at a provider whose refund method can be replaced. */
const newScene = async (t: TestContext) => {
  const { provider } = scriptedProvider()
  const refunded: { storeId: string; paymentId: string }[] = []
  const does: { refund: PaymentProvider['refund'] } = {
    refund: async ({ storeId }, { paymentId }) => {
      refunded.push({ storeId, paymentId })
      return { status: 'succeeded', reference: null, detail: '' }
    },
  }
  const replaceable: PaymentProvider = { ...provider, refund: (...args) => does.refund(...args) }
  const { service, url } = await serviceAlone(t, { paymentProviders: [replaceable] })
  const openShop = async (refunds: number) => {
    const scene = await openScene(service, { provider: 'scripted', stock: 1000 })
    const orders: { id: string; payment: string }[] = []
    for (let i = 0; i < refunds; i++) {
      const order = await scene.openOrder({ quantity: 1 })
      await scene.report(order)
      orders.push(order)
    }
    await queueRefunds(service.db)
    return { ...scene, orders }
  }
  return { service, url, refunded, does, openShop, provider: replaceable }
}

const forever = () => new Promise<never>(() => {})

test('a refund that hangs blocks no other job, and is made later by another instance', async (t) => {
  const { service, url, does, openShop, provider, refunded } = await newScene(t)
  const shop = await openShop(1)
  const order = await shop.openOrder()
  await fill(service, 2)
  const { refund } = does
  does.refund = forever
  service.clock.advance(minutes(31))
  const first = newRunner(service, { everyMs: 20, limitMs: 3000 })
  t.after(first.stop)
  first.start()
  const statsOf = (name: string) => first.stats().find((kind) => kind.name === name)
  while (statsOf('refund')?.running !== 1) await sleep(10)
  while ((await shop.look(order.id)).status !== 'cancelled') await sleep(10)
  while (((await countAll(url)).otp_request ?? 1) > 0) await sleep(10)
  while (statsOf('refund')?.failed !== 1) await sleep(10)
  assert.match(String(first.failures), /refund: refund job took longer than 3000 ms/)
  await first.stop()

  const other = await startTestService({ databaseUrl: url, paymentProviders: [provider] })
  t.after(() => other.close())
  does.refund = refund
  other.clock.advance(minutes(31))
  await newRunner(other).runDue()
  assert.equal(refunded.length, 0, 'it is not due yet')
  other.clock.advance(minutes(2))
  await newRunner(other).runDue()
  assert.deepEqual(
    refunded.map(({ paymentId }) => paymentId),
    [shop.orders[0]?.payment],
  )
  assert.deepEqual(await shop.paymentsOf(shop.orders[0]?.id ?? ''), ['refunded'])
})

test('a refund of a killed instance is made by another one within two minutes', async (t) => {
  const { service, url, openShop, refunded } = await newScene(t)
  const shop = await openShop(1)
  const script = fileURLToPath(new URL('../../../test/hanging-instance.ts', import.meta.url))
  const child = spawn(process.execPath, [script, url], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  const [asked] = await once(child.stdout, 'data')
  assert.equal(String(asked).trim(), shop.orders[0]?.payment)
  await newRunner(service).runDue()
  assert.equal(refunded.length, 0, 'it is claimed')
  child.kill('SIGKILL')
  await once(child, 'exit')
  service.clock.advance(minutes(2))
  await newRunner(service).runDue()
  assert.deepEqual(
    refunded.map(({ paymentId }) => paymentId),
    [shop.orders[0]?.payment],
  )
})

test('instances share refunds, and each is made once', async (t) => {
  const { service, url, openShop, provider, refunded } = await newScene(t)
  const shops = [await openShop(12), await openShop(3)]
  const other = await startTestService({ databaseUrl: url, paymentProviders: [provider] })
  t.after(() => other.close())
  await Promise.all([service, other, service, other].map((instance) => newRunner(instance).runDue()))
  const due = shops.flatMap(({ orders }) => orders.map(({ payment }) => payment))
  assert.deepEqual(refunded.map(({ paymentId }) => paymentId).sort(), due.sort())
})

test('a store with many refunds due does not delay the refund of another store', async (t) => {
  const { service, openShop, refunded } = await newScene(t)
  const [busy, quiet] = [await openShop(40), await openShop(1)]
  await newRunner(service).runDue()
  assert.equal(refunded.length, 41)
  const turn = refunded.findIndex(({ storeId }) => storeId === quiet.shop.storeId)
  assert.ok(turn < 10, `its turn was ${turn} of ${busy.orders.length}`)
})

test('a failing refund is retried with growing delays, and blocks no other', async (t) => {
  const { service, does, openShop, refunded } = await newScene(t)
  const shop = await openShop(3)
  const stuck = shop.orders[0]?.payment
  let attempts = 0
  const { refund } = does
  does.refund = async (account, payment, wanted, signal) => {
    if (payment.paymentId !== stuck) return refund(account, payment, wanted, signal)
    attempts++
    throw new Error('the account is closed')
  }
  const attemptsAfter: number[] = []
  for (const waitMs of [0, minutes(1.1), minutes(1.1), minutes(1), minutes(2), minutes(2.1)]) {
    service.clock.advance(waitMs)
    await newRunner(service).runDue()
    attemptsAfter.push(attempts)
  }
  assert.equal(refunded.length, 2)
  assert.deepEqual(attemptsAfter, [1, 2, 2, 3, 3, 4])
})

test('a service runs its jobs, logs failures with their ids, and counts them in its metrics', async (t) => {
  const { provider } = scriptedProvider()
  const away: PaymentProvider = { ...provider, refund: () => Promise.reject(new Error('the provider is down')) }
  const { service } = await serviceAlone(t, { paymentProviders: [away], jobs: { everyMs: 20 } })
  const scene = await openScene(service, { provider: 'scripted' })
  const order = await scene.openOrder()
  await scene.report(order)
  await queueRefunds(service.db)
  const findLine = () => service.logLines.find((line) => line.includes('refund job failed'))
  while (findLine() === undefined) await sleep(10)
  const { level, job, storeId, orderId, paymentId, attempt } = JSON.parse(findLine() ?? '')
  assert.deepEqual(
    { level, job, storeId, orderId, paymentId, attempt },
    { level: 40, job: 'refund', storeId: scene.shop.storeId, orderId: order.id, paymentId: order.payment, attempt: 1 },
  )
  const { text } = await service.call('/metrics')
  for (const name of ['waiting', 'running', 'oldest_seconds', 'done_total']) {
    assert.match(text, new RegExp(`^vitrine_jobs_${name}\\{job="refund"\\} \\d`, 'm'))
  }
  assert.match(text, /^vitrine_jobs_failed_total\{job="refund"\} 1$/m)
  assert.match(text, /^vitrine_jobs_failed_total\{job="session-cleanup"\} 0$/m)
})

test('a failed poll is logged as a poll', async (t) => {
  const { service } = await serviceAlone(t, { jobs: { everyMs: 20 } })
  await service.db.run`alter table payment_event rename to payment_event_away`
  const findLine = () => service.logLines.find((line) => line.includes('payment-event-cleanup job: poll failed'))
  while (findLine() === undefined) await sleep(10)
  const { job, step } = JSON.parse(findLine() ?? '')
  assert.deepEqual({ job, step }, { job: 'payment-event-cleanup', step: 'poll' })
})

test('a service deletes expired rows, logs nothing about it, and stops cleanly', async (t) => {
  const { service, url } = await serviceAlone(t)
  await fill(service, 3)
  const running = await startTestService({ databaseUrl: url, jobs: { everyMs: 20 }, logLevel: 'info' })
  running.clock.advance(days(200))
  while (Object.values(await countAll(url)).some((count) => count > 0)) await sleep(10)
  await running.close()
  assert.deepEqual(
    running.logLines.filter((line) => !line.includes('Server listening')),
    [],
  )
})

test('a call to a provider that never answers ends at its time limit, and can be repeated', async (t) => {
  const { provider } = scriptedProvider()
  const signals: AbortSignal[] = []
  let isHanging = true
  const hanging: PaymentProvider = {
    ...provider,
    start: (account, charge, signal) => {
      signals.push(signal)
      return isHanging ? forever() : provider.start(account, charge, signal)
    },
  }
  const { service } = await serviceAlone(t, { paymentProviders: [hanging] })
  const scene = await openScene(service, { provider: 'scripted' })
  const order = await scene.order()
  const { signal } = new AbortController()
  const limited = { ...scene.ctx, providerCalls: { limitMs: 30, signal } }
  await assert.rejects(startPayment(limited, order.id), { code: 'BAD_GATEWAY' })
  assert.equal(signals[0]?.aborted, true)
  assert.deepEqual(await scene.paymentsOf(order.id), ['starting'])
  isHanging = false
  assert.equal((await startPayment(limited, order.id)).status, 'open')
  assert.equal(signals[1]?.aborted, false)
})
