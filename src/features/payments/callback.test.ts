import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { assertError, serviceFor } from '../../../test/harness.ts'
import { seconds } from '../../core/clock.ts'
import { hostileUrls, openScene, type SceneOptions, scriptedProvider } from './fixture.ts'

const newScene = async (t: TestContext, options: SceneOptions = {}) => {
  const scripted = scriptedProvider()
  const service = await serviceFor(t, { paymentProviders: [scripted.provider] })
  return { ...scripted, scene: await openScene(service, { provider: 'scripted', ...options }) }
}

const locationOf = async (answer: Promise<{ status: number; headers: Headers; text: string }>) => {
  const { status, headers, text } = await answer
  assert.equal(status, 302, text)
  assert.equal(headers.get('cache-control'), 'no-store')
  return headers.get('location')
}

test('the browser is redirected to the origin of the order, or to the domain of the store', async (t) => {
  const { scene } = await newScene(t, { origins: ['http://localhost:5173'] })
  const local = await scene.openOrder({ storefrontUrl: 'http://localhost:5173', quantity: 1 })
  const plain = await scene.openOrder({ quantity: 1 })
  const query = (id: string) => `/payment/callback?orderId=${id}&status=pending`
  assert.equal(await locationOf(scene.callback(local.id)), `http://localhost:5173${query(local.id)}`)
  assert.equal(await locationOf(scene.callback(plain.id)), `${scene.shop.domain}${query(plain.id)}`)
})

test('whatever the stored storefront URL is, the browser is redirected to an allowed origin only', async (t) => {
  const { scene } = await newScene(t)
  const order = await scene.openOrder()
  for (const url of scene.shop.aim(hostileUrls).filter((text) => !text.includes('\0'))) {
    await scene.service.db.run`update orders set storefront_url = ${url} where id = ${order.id}`
    const location = (await locationOf(scene.callback(order.id))) ?? ''
    assert.equal(location, `${scene.shop.domain}/payment/callback?orderId=${order.id}&status=pending`, url)
  }
})

test('a pending payment is checked at the provider before the redirect', async (t) => {
  for (const [reported, status] of [
    ['success', 'success'],
    ['failed', 'failed'],
    ['pending', 'pending'],
  ] as const) {
    const { scene, does } = await newScene(t)
    const order = await scene.openOrder()
    does.status = reported
    assert.match((await locationOf(scene.callback(order.id))) ?? '', new RegExp(`&status=${status}$`))
    const paymentStatus = reported === 'success' ? 'paid' : reported
    assert.equal((await scene.look(order.id)).paymentStatus, paymentStatus)
  }
})

test('a forged status changes nothing', async (t) => {
  const { scene } = await newScene(t)
  const order = await scene.openOrder()
  for (const forged of ['&status=success', '&status=failed&status=success', '&paymentStatus=paid']) {
    assert.match((await locationOf(scene.callback(order.id, forged))) ?? '', /&status=pending$/)
  }
  assert.deepEqual(await scene.stateOf(order.id), ['pending', 'pending', 'reserved', null])
})

test('many callbacks within a few seconds call the provider once', async (t) => {
  const { scene, calls, does } = await newScene(t)
  const order = await scene.openOrder()
  const statusCalls = () => calls.filter((call) => call === 'status').length
  await Promise.all(Array.from({ length: 20 }, () => scene.callback(order.id)))
  assert.equal(statusCalls(), 1)
  scene.service.clock.advance(seconds(4))
  does.status = 'success'
  await Promise.all(Array.from({ length: 20 }, () => scene.callback(order.id)))
  assert.equal(statusCalls(), 2)
  scene.service.clock.advance(seconds(4))
  await scene.callback(order.id)
  assert.equal(statusCalls(), 2)
})

test('if the provider is down, the status is "pending" and the error is logged', async (t) => {
  const { scene, does } = await newScene(t)
  const order = await scene.openOrder()
  does.status = 'down'
  assert.match((await locationOf(scene.callback(order.id))) ?? '', /&status=pending$/)
  const logged = scene.service.logLines.find((line) => line.includes('payment status check failed')) ?? '{}'
  const { err, storeId, orderId, paymentId, provider } = JSON.parse(logged)
  assert.equal(err.message, 'the provider is down')
  assert.deepEqual(
    { storeId, orderId, paymentId, provider },
    { storeId: scene.shop.storeId, orderId: order.id, paymentId: order.payment, provider: 'scripted' },
  )
})

test('refunded and cancelled orders have the status "failed"', async (t) => {
  const { scene } = await newScene(t)
  const [refunded, cancelled] = [await scene.openOrder(), await scene.openOrder()]
  await scene.report(refunded)
  await scene.report(refunded, { status: 'refunded' })
  await scene.cancel(cancelled.id)
  for (const { id } of [refunded, cancelled]) {
    assert.match((await locationOf(scene.callback(id))) ?? '', /&status=failed$/)
  }
})

test('an unknown order is 404 and a missing one is 400', async (t) => {
  const { scene } = await newScene(t)
  assertError(await scene.callback('ord_nobody'), 404, 'NOT_FOUND')
  assertError(await scene.callback('%00'), 400, 'BAD_REQUEST')
  for (const query of ['', '?orderId=', '?orderId=a&orderId=b', `?orderId=${'x'.repeat(101)}`]) {
    assertError(await scene.service.call(`/payment/callback${query}`), 400, 'BAD_REQUEST')
  }
})
