import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newProgram, newStaff } from '../../../test/admin-callers.ts'
import { assertError, startTestService, type TestService } from '../../../test/harness.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { openRefundScene } from './refund-fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
})
after(() => service.close())

const open = async () => {
  const scene = await openRefundScene(service)
  const owner = await newStaff(service, scene.shop)
  const support = await newProgram(service, scene.shop, { role: 'support' })
  const audit = async (action: string) => (await owner.inStore('GET', `/audit?action=${action}`)).json.data
  const setLimit = async (supportRefundLimit: number | null) => {
    const { status, text } = await owner.inStore('PATCH', '/settings', { supportRefundLimit })
    assert.equal(status, 200, text)
  }
  return { ...scene, owner, support, audit, setLimit }
}

test('a refund of units, of an amount, and of the rest', async () => {
  const { owner, order, stock, findings, audit } = await open()
  const { id, lines, state } = await order({ mug: 3 })
  const refund = (body?: unknown) => owner.inStore('POST', `/orders/${id}/refunds`, body)
  const units = await refund({ items: [{ id: lines[0], quantity: 1 }], reason: 'Broken' })
  assert.equal(units.status, 201, units.text)
  assert.deepEqual([units.json.amount, units.json.status, units.json.reason], [100, 'succeeded', 'Broken'])
  assert.equal(await stock(), 18)
  assert.equal((await refund({ amount: 50 })).json.amount, 50)
  assert.equal((await refund()).json.amount, 150)
  assert.deepEqual((await state()).slice(0, 2), ['refunded', 'refunded'])
  assertError(await refund(), 409, 'CONFLICT')
  assertError(await refund({ amount: 1, items: [{ id: lines[0], quantity: 1 }] }), 400, 'BAD_REQUEST')
  assert.deepEqual(await findings(), [])
  const entries = await audit('order.refunded')
  assert.equal(entries.length, 3)
  assert.deepEqual(entries.at(-1).changes.refund.after.amount, 100)
  const { timeline, refunds } = (await owner.inStore('GET', `/orders/${id}`)).json
  assert.equal(refunds.length, 3)
  assert.equal(
    timeline.filter(({ type, kind }: Record<string, string>) => kind === 'change' && type === 'order.refunded').length,
    3,
  )
})

test('refunds at once never exceed the payment, and one key makes one refund', async () => {
  const { owner, order, findings } = await open()
  const { id, show } = await order({ mug: 2 })
  const send = (body: unknown, headers = {}) => owner.inStore('POST', `/orders/${id}/refunds`, body, headers)
  const answers = await Promise.all(Array.from({ length: 5 }, () => send({ amount: 70 })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 409, 409, 409])
  const again = await Promise.all(Array.from({ length: 4 }, () => send({ amount: 20 }, { 'idempotency-key': 'r1' })))
  assert.deepEqual(
    again.map(({ status }) => status),
    [201, 201, 201, 201],
  )
  assert.equal(new Set(again.map(({ json }) => json.id)).size, 1)
  assertError(await send({ amount: 21 }, { 'idempotency-key': 'r1' }), 409, 'CONFLICT')
  assert.equal((await show()).refundedTotal, 160)
  assert.deepEqual(await findings(), [])
})

test('support refunds nothing unless the store allows it, and never more than the limit for one order', async () => {
  const { owner, support, order, setLimit, findings } = await open()
  const first = await order({ mug: 5 })
  const refund = (id: string, body: unknown) => support.inStore('POST', `/orders/${id}/refunds`, body)
  assertError(await refund(first.id, { amount: 1 }), 403, 'FORBIDDEN')
  await setLimit(100)
  const answers = await Promise.all(Array.from({ length: 6 }, () => refund(first.id, { amount: 30 })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 201, 403, 403, 403])
  assert.match(answers.find(({ status }) => status === 403)?.json.error, /100\.00 INR/)
  assert.equal((await first.show()).refundedTotal, 90)
  assertError(await refund(first.id, {}), 403, 'FORBIDDEN')
  assert.equal((await refund(first.id, { amount: 10 })).status, 201)
  const second = await order({ mug: 1 })
  assert.equal((await refund(second.id, {})).json.amount, 100)
  assert.equal((await owner.inStore('POST', `/orders/${first.id}/refunds`, {})).json.amount, 400)
  await setLimit(null)
  assertError(await refund((await order()).id, { amount: 1 }), 403, 'FORBIDDEN')
  assert.deepEqual(await findings(), [])
})

test('a preview says what a refund would return and what the caller may refund, and refunds nothing', async () => {
  const { owner, support, order, setLimit } = await open()
  const { id, lines, show } = await order({ mug: 3 })
  const preview = async (caller: typeof owner | typeof support, body?: unknown) => {
    const { status, json, text } = await caller.inStore('POST', `/orders/${id}/refunds/preview`, body)
    assert.equal(status, 200, text)
    return [json.amount, json.maximum]
  }
  const two = { items: [{ id: lines[0], quantity: 2 }] }
  assert.deepEqual(await preview(owner), [300, 300])
  assert.deepEqual(await preview(owner, two), [200, 300])
  assert.deepEqual(await preview(support, two), [200, 0])
  await setLimit(120)
  assert.deepEqual(await preview(support, two), [200, 120])
  assert.equal((await owner.inStore('POST', `/orders/${id}/refunds`, { amount: 50 })).status, 201)
  assert.deepEqual(await preview(support, { amount: 70 }), [70, 70])
  assert.equal((await show()).refundedTotal, 50)
  const tooMuch = await owner.inStore('POST', `/orders/${id}/refunds/preview`, { amount: 251 })
  assertError(tooMuch, 409, 'CONFLICT')
  const unpaid = await order({ mug: 1 }, { isPaid: false })
  assertError(await owner.inStore('POST', `/orders/${unpaid.id}/refunds/preview`), 409, 'CONFLICT')
})

test('an order says of each item what is shipped, refunded and still to be shipped', async () => {
  const { owner, order } = await open()
  const { id, lines, ship, refund } = await order({ mug: 4 })
  const [line = ''] = lines
  const units = async () => {
    const [item] = (await owner.inStore('GET', `/orders/${id}`)).json.items
    return [item.shipped, item.refunded, item.toShip]
  }
  assert.deepEqual(await units(), [0, 0, 4])
  await ship({ line, quantity: 2 })
  assert.deepEqual(await units(), [2, 0, 2])
  await refund({ items: [{ id: line, quantity: 1 }], restock: false })
  assert.deepEqual(await units(), [2, 1, 2], 'a unit that the customer has')
  await refund({ items: [{ id: line, quantity: 1 }] })
  assert.deepEqual(await units(), [2, 2, 1], 'a unit that is still in the store')
  await ship()
  assert.deepEqual(await units(), [3, 2, 0])
  await refund()
  assert.deepEqual(await units(), [3, 4, 0])
})

test('an unpaid order is cancelled once, and a paid one is not', async () => {
  const { owner, support, order, audit, stock } = await open()
  const unpaid = await order({ mug: 2 }, { isPaid: false })
  assertError(await support.inStore('POST', `/orders/${unpaid.id}/cancel`), 403, 'FORBIDDEN')
  const answers = await Promise.all(
    Array.from({ length: 3 }, () => owner.inStore('POST', `/orders/${unpaid.id}/cancel`)),
  )
  assert.ok(answers.some(({ status }) => status === 200))
  const after = await owner.inStore('POST', `/orders/${unpaid.id}/cancel`)
  assert.deepEqual([after.status, after.json.status], [200, 'cancelled'])
  assert.equal(await stock(), 20)
  const entries = await audit('order.cancelled')
  assert.deepEqual(
    entries.map(({ changes }: { changes: unknown }) => changes),
    [{ status: { before: 'pending', after: 'cancelled' } }],
  )
  const paid = await order()
  assertError(await owner.inStore('POST', `/orders/${paid.id}/cancel`), 409, 'CONFLICT')
})
