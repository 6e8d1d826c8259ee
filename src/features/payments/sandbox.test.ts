import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { assertError, serviceFor } from '../../../test/harness.ts'
import { minutes } from '../../core/clock.ts'
import { openScene } from './fixture.ts'
import { closePayment, startPayment } from './sessions.ts'

const newScene = async (t: TestContext) => {
  const service = await serviceFor(t)
  const scene = await openScene(service)
  const path = (url: string) => url.replace('http://vitrine.test', '')
  return {
    ...scene,
    show: (url: string) => service.call(path(url)),
    choose: (url: string, choice: string) =>
      service.call(path(url), {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ choice }).toString(),
      }),
  }
}

test('the page shows the amount, runs no script, and allows the form to redirect to the storefront', async (t) => {
  const scene = await newScene(t)
  await scene.service.db.run`update store set name = '<b>"Tea" & more' where id = ${scene.store.id}`
  const { redirectUrl } = await scene.openOrder()
  const { status, headers, text } = await scene.show(redirectUrl)
  assert.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8'])
  assert.match(text, /₹200\.00/)
  assert.match(text, /<h1>&lt;b&gt;&quot;Tea&quot; &amp; more<\/h1>/)
  assert.match(text, /<meta name="viewport" content="width=device-width, initial-scale=1">/)
  assert.doesNotMatch(text, /<script|onclick/)
  assert.deepEqual(
    [...text.matchAll(/<button name="choice" value="(\w+)"/g)].map(([, value]) => value),
    ['success', 'failure', 'later'],
  )
  const policy = headers.get('content-security-policy') ?? ''
  assert.match(
    policy,
    /default-src 'none'; img-src data:; style-src 'sha256-\S+'; form-action 'self' https:\/\/shop\.\w+\.example;/,
  )
  assert.match(policy, /frame-ancestors 'none'/)
})

test('success settles through the webhook and redirects to the callback', async (t) => {
  const scene = await newScene(t)
  const order = await scene.openOrder()
  const answer = await scene.choose(order.redirectUrl, 'success')
  assert.deepEqual([answer.status, answer.headers.get('location')], [303, `/payment/callback?orderId=${order.id}`])
  const [event] = await scene.inbox()
  assert.deepEqual([event?.source, event?.outcome, event?.body.status], ['payment', 'applied', 'success'])
  assert.deepEqual(await scene.stateOf(order.id), ['paid', 'paid', 'sold', null])
  assert.deepEqual((await scene.look(order.id)).payment, {
    ...{ method: 'card', last4: '4242', upiId: '', reference: order.payment },
  })
  const back = await scene.callback(order.id)
  assert.match(
    back.headers.get('location') ?? '',
    /^https:\/\/shop\.\w+\.example\/payment\/callback\?.*&status=success$/,
  )
  assert.match((await scene.show(order.redirectUrl)).text, /completed, closed or expired/)
})

test('after a failure the order can be paid on a new page', async (t) => {
  const scene = await newScene(t)
  const order = await scene.openOrder()
  assert.equal((await scene.choose(order.redirectUrl, 'failure')).status, 303)
  assert.deepEqual(await scene.stateOf(order.id), ['pending', 'failed', 'reserved', null])
  assert.match((await scene.callback(order.id)).headers.get('location') ?? '', /&status=failed$/)
  await scene.choose(order.redirectUrl, 'success')
  assert.deepEqual(await scene.stateOf(order.id), ['pending', 'failed', 'reserved', null])
  const { redirectUrl } = await startPayment(scene.ctx, order.id)
  assert.equal((await scene.choose(redirectUrl ?? '', 'success')).status, 303)
  assert.deepEqual(await scene.stateOf(order.id), ['paid', 'paid', 'sold', null])
})

test('"later" leaves the payment open, and the same page accepts a choice later', async (t) => {
  const scene = await newScene(t)
  const order = await scene.openOrder()
  assert.equal((await scene.choose(order.redirectUrl, 'later')).status, 303)
  assert.match((await scene.callback(order.id)).headers.get('location') ?? '', /&status=pending$/)
  assert.deepEqual(await scene.inbox(), [])
  await scene.choose(order.redirectUrl, 'success')
  assert.deepEqual(await scene.stateOf(order.id), ['paid', 'paid', 'sold', null])
})

test('a closed or expired page accepts no payment', async (t) => {
  const scene = await newScene(t)
  const closed = await scene.openOrder()
  assert.equal(await closePayment(scene.ctx, closed.id), 'closed')
  const lapsed = await scene.openOrder()
  scene.service.clock.advance(minutes(26))
  for (const { id, redirectUrl } of [closed, lapsed]) {
    assert.match((await scene.show(redirectUrl)).text, /completed, closed or expired/)
    assert.equal((await scene.choose(redirectUrl, 'success')).status, 303)
    assert.equal((await scene.look(id)).paymentStatus, 'pending')
  }
})

test('of concurrent clicks one wins, and only that one is reported', async (t) => {
  const scene = await newScene(t)
  for (let round = 0; round < 5; round++) {
    const order = await scene.openOrder({ quantity: 1 })
    await Promise.all(['success', 'failure', 'success', 'failure'].map((c) => scene.choose(order.redirectUrl, c)))
    const [, paymentStatus] = await scene.stateOf(order.id)
    const [payment] = await scene.paymentsOf(order.id)
    assert.ok(['paid', 'failed'].includes(paymentStatus ?? ''))
    assert.equal(payment, paymentStatus)
    assert.equal((await scene.inbox()).length, round + 1)
  }
})

test('a modified URL, and any URL in production, is 404; an unknown choice is 400', async (t) => {
  const scene = await newScene(t)
  const { redirectUrl } = await scene.openOrder()
  for (const changed of [
    `${redirectUrl}x`,
    redirectUrl.slice(0, -1),
    `${redirectUrl}.x`,
    redirectUrl.replace('pay_', 'pay_0'),
  ]) {
    assertError(await scene.show(changed), 404, 'NOT_FOUND')
    assertError(await scene.choose(changed, 'success'), 404, 'NOT_FOUND')
  }
  for (const choice of ['', 'paid', '__proto__'])
    assertError(await scene.choose(redirectUrl, choice), 400, 'BAD_REQUEST')
  const production = await serviceFor(t, { production: true })
  assertError(await production.call(new URL(redirectUrl).pathname), 404, 'NOT_FOUND')
})
