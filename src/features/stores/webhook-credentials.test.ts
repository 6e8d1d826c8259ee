import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, serviceFor, type TestService } from '../../../test/harness.ts'
import { hours } from '../../core/clock.ts'
import { sendCarrierEvent } from '../orders/fixture.ts'
import { basic, openScene } from '../payments/fixture.ts'
import { rotateWebhookCredential } from './webhook-credentials.ts'

const open = async (service: TestService) => {
  const scene = await openScene(service)
  const rotatePayment = async (overlapMs = hours(24)) => {
    const made = await service.db.tx((tx) => rotateWebhookCredential(tx, scene.store, 'payment', overlapMs))
    assert.ok('password' in made)
    return made
  }
  const rotateLogistics = async (overlapMs = hours(24)) => {
    const made = await service.db.tx((tx) => rotateWebhookCredential(tx, scene.store, 'logistics', overlapMs))
    assert.ok('key' in made)
    return made
  }
  const { id } = await scene.order({ method: 'cod' })
  return {
    ...{ ...scene, rotatePayment, rotateLogistics },
    /** Calls the payment webhook with these credentials, about an unknown order. */
    payAs: async ({ username, password }: { username: string; password: string }) =>
      scene.send(scene.event({ id: 'ord_none', payment: 'pay_none', total: 1 }), {
        authorization: basic(username, password),
      }),
    sendEventAs: (key: string) => sendCarrierEvent(service, scene.shop, { orderId: id, status: 'packed' }, key),
  }
}

test('after a rotation the old payment credentials work beside the new ones until they expire', async (t) => {
  const service = await serviceFor(t)
  const { shop, payAs, rotatePayment } = await open(service)
  const old = shop.paymentWebhook
  const made = await rotatePayment()
  assert.equal(made.username, old.username)
  assert.notEqual(made.password, old.password)
  assert.ok(Math.abs((made.oldValidUntil?.getTime() ?? 0) - service.clock.now() - hours(24)) < 60_000)
  for (const credentials of [old, made]) assertError(await payAs(credentials), 404, 'NOT_FOUND')
  assertError(await payAs({ ...old, password: 'another' }), 401, 'UNAUTHORIZED')
  service.clock.advance(hours(23))
  assertError(await payAs(old), 404, 'NOT_FOUND')
  service.clock.advance(hours(1) + 1)
  assertError(await payAs(old), 401, 'UNAUTHORIZED')
  assertError(await payAs(made), 404, 'NOT_FOUND')
})

test('after a rotation the old logistics key works beside the new one until it expires', async (t) => {
  const service = await serviceFor(t)
  const { shop, sendEventAs, rotateLogistics } = await open(service)
  const made = await rotateLogistics(hours(2))
  assert.match(made.key, /^vlk_\w{32}$/)
  for (const key of [shop.logisticsKey, made.key]) assert.equal((await sendEventAs(key)).status, 200)
  service.clock.advance(hours(2) + 1)
  assertError(await sendEventAs(shop.logisticsKey), 401, 'UNAUTHORIZED')
  assert.equal((await sendEventAs(made.key)).status, 200)
})

test('a rotation without overlap ends all earlier credentials of that kind immediately', async (t) => {
  const service = await serviceFor(t)
  const { shop, payAs, sendEventAs, rotatePayment } = await open(service)
  const second = await rotatePayment()
  const third = await rotatePayment(0)
  for (const old of [shop.paymentWebhook, second]) assertError(await payAs(old), 401, 'UNAUTHORIZED')
  assertError(await payAs(third), 404, 'NOT_FOUND')
  assert.equal((await sendEventAs(shop.logisticsKey)).status, 200)
})

test('a later rotation never extends an older credential', async (t) => {
  const service = await serviceFor(t)
  const { shop, payAs, rotatePayment } = await open(service)
  const second = await rotatePayment(hours(1))
  await rotatePayment(hours(24))
  service.clock.advance(hours(1) + 1)
  assertError(await payAs(shop.paymentWebhook), 401, 'UNAUTHORIZED')
  assertError(await payAs(second), 404, 'NOT_FOUND')
})

test('concurrent rotations all produce valid credentials, and one of them is current', async (t) => {
  const service = await serviceFor(t)
  const { store, payAs, rotatePayment } = await open(service)
  const made = await Promise.all(Array.from({ length: 6 }, () => rotatePayment()))
  for (const credentials of made) assertError(await payAs(credentials), 404, 'NOT_FOUND')
  const { count } = await service.db.one<{ count: number }>`
    select count(*) from webhook_credential
    where store_id = ${store.id} and kind = 'payment' and valid_until is null`
  assert.equal(count, 1)
})
