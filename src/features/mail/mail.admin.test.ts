import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newStaff } from '../../../test/admin-callers.ts'
import { assertError } from '../../../test/harness.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { payOrder, placeOrder } from '../orders/fixture.ts'
import { openMailScene } from './fixture.ts'

test('support sends a mail about an order again, once for a key, and the timeline shows it', async (t) => {
  const { service, shop, asha, runJobs, mails } = await openMailScene(t, { passwords: cheapPasswords })
  const support = await newStaff(service, shop, 'support')
  const orderId = await placeOrder(service, shop, asha)
  await payOrder(service, shop, orderId)
  await runJobs()
  const resend = (name: string, key: string) =>
    support.inStore('POST', `/orders/${orderId}/messages/${name}/resend`, undefined, { 'idempotency-key': key })
  const [one, two] = await Promise.all([resend('order.paid', 'a'), resend('order.paid', 'a')])
  assert.deepEqual([one.status, two.status, one.json], [201, 201, two.json])
  assert.equal(one.json.recipient, 'asha@example.com')
  await runJobs()
  assert.equal(mails.filter(({ name }) => name === 'order.paid').length, 2)
  assertError(await resend('order.shipped', 'b'), 409, 'CONFLICT')
  assertError(await resend('nothing', 'c'), 400, 'BAD_REQUEST')
  const { messages, timeline } = (await support.inStore('GET', `/orders/${orderId}`)).json
  assert.deepEqual(
    messages.filter(({ name }: { name: string }) => name === 'order.paid').map(({ state }: { state: string }) => state),
    ['sent', 'sent'],
  )
  const kinds = timeline.map(({ kind, type }: { kind: string; type: string }) => `${kind} ${type}`)
  assert.ok(kinds.includes('message order.paid') && kinds.includes('change order.message_resent'), kinds.join(', '))
})
