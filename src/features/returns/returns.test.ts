import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newProgram, newStaff } from '../../../test/admin-callers.ts'
import { assertError, newStore, startTestService, type TestService } from '../../../test/harness.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { commandLine } from '../audit/record.ts'
import { deliverOrderBy } from '../delivery/deliver.ts'
import { openRefundScene } from '../payments/refund-fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
})
after(() => service.close())

/** A delivered order of three mugs, its customer and a program of its store. */
const openDelivered = async (on = service) => {
  const scene = await openRefundScene(on, { prices: { Mug: 100 } })
  const order = await scene.order({ mug: 3 })
  await on.db.tx((tx) => deliverOrderBy(tx, { store: scene.store }, commandLine, order.id, on.clock.now()))
  const program = await newProgram(on, scene.shop)
  const [line = ''] = order.lines
  const path = `/v1/customer/orders/${order.id}/returns`
  const ask = (quantity: number, headers: Record<string, string> = {}) =>
    order.call('POST', path, { headers, body: { items: [{ id: line, quantity }], reason: ' Chipped ' } })
  const act = (id: string, what: string, body: object = {}, headers: Record<string, string> = {}) =>
    program.inStore('POST', `/returns/${id}/${what}`, body, headers)
  return { ...scene, order, program, line, ask, act, list: () => order.call('GET', path) }
}

test('a customer asks, the store approves, receives and refunds; stock, money and the timeline follow', async () => {
  const { order, program, ask, act, line, stock, findings, list } = await openDelivered()
  const asked = await ask(2)
  assert.equal(asked.status, 201, asked.text)
  const { id } = asked.json
  assert.deepEqual(
    [asked.json.status, asked.json.items, asked.json.reason, asked.json.orderId],
    ['requested', [{ id: line, quantity: 2 }], 'Chipped', order.id],
  )
  assert.equal(asked.json.byCustomer, undefined, 'the customer sees no fields of the merchant')
  const waiting = (await program.inStore('GET', '/returns?status=requested')).json
  assert.deepEqual([waiting.total, waiting.data[0].id, waiting.data[0].byCustomer], [1, id, true])

  assert.equal((await act(id, 'approve', { answer: 'Send them to our shop.' })).json.status, 'approved')
  assertError(await act(id, 'approve'), 409, 'CONFLICT')
  assert.equal(await stock(), 17)
  const received = await act(id, 'receive')
  assert.deepEqual([received.json.status, received.json.restocked], ['received', true])
  assert.equal(await stock(), 19)
  assertError(await act(id, 'receive'), 409, 'CONFLICT')
  assertError(await act(id, 'reject'), 409, 'CONFLICT')

  const refunded = await act(id, 'refund')
  assert.equal(refunded.status, 200, refunded.text)
  assert.deepEqual(
    [refunded.json.status, refunded.json.refund.amount, refunded.json.refund.status],
    ['refunded', 200, 'succeeded'],
  )
  assertError(await act(id, 'refund'), 409, 'CONFLICT')
  assert.equal(await stock(), 19, 'nothing comes back twice')
  const shown = await order.show()
  assert.deepEqual([shown.status, shown.paymentStatus, shown.refundedTotal], ['delivered', 'partially_refunded', 200])
  assert.deepEqual(
    shown.timeline.map(({ type }: { type: string }) => type).filter((type: string) => type.startsWith('return_')),
    ['return_requested', 'return_approved', 'return_received'],
  )
  const [mine] = (await list()).json.data
  assert.deepEqual(
    [mine.status, mine.answer, mine.refundId],
    ['refunded', 'Send them to our shop.', refunded.json.refund.id],
  )
  const audit = (await program.inStore('GET', `/audit?resource=return&resourceId=${id}`)).json
  assert.deepEqual(
    audit.data.map(({ action }: { action: string }) => action),
    ['return.refunded', 'return.received', 'return.approved'],
  )
  const moves = await program.inStore('GET', `/stock/moves?variantId=${shown.items[0].variantId}&cause=return`)
  assert.deepEqual([moves.json.total, moves.json.data[0].onHandChange], [1, 2])
  assert.deepEqual(await findings(), [])
})

test('items are returned once, however many requests come at the same time', async () => {
  const { ask, act, program, line, order, findings } = await openDelivered()
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask(1)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 201, 409, 409, 409, 409, 409])
  const ids = answers.filter(({ status }) => status === 201).map(({ json }) => json.id)
  const refunds = await Promise.all([...ids, ...ids].map((id) => act(id, 'receive').then(() => act(id, 'refund'))))
  assert.equal(refunds.filter(({ status }) => status === 200).length, 3)
  assert.equal((await order.show()).refundedTotal, 300)
  assertError(await ask(1), 409, 'CONFLICT')
  const late = await program.inStore('POST', '/returns', { orderId: order.id, items: [{ id: line, quantity: 1 }] })
  assertError(late, 409, 'CONFLICT')
  assert.deepEqual(await findings(), [])
})

test('units of a rejected return can be asked for again, those of a refund cannot', async () => {
  const { ask, act, order, line } = await openDelivered()
  const { id } = (await ask(3)).json
  assertError(await ask(1), 409, 'CONFLICT')
  assert.equal((await act(id, 'reject', { answer: 'Used.' })).json.answer, 'Used.')
  await order.refund({ items: [{ id: line, quantity: 1 }] })
  assertError(await ask(3), 409, 'CONFLICT')
  assert.equal((await ask(2)).status, 201)
})

test('goods that cannot be sold again stay away from stock, and an amount replaces their price', async () => {
  const { ask, act, stock, findings } = await openDelivered()
  const { id } = (await ask(1)).json
  assert.equal((await act(id, 'receive', { restock: false })).json.restocked, false)
  assert.equal((await act(id, 'refund', { amount: 60 })).json.refund.amount, 60)
  assert.equal(await stock(), 17)
  assert.deepEqual(await findings(), [])
})

test('a return needs a delivery, and must not be late, unless the store adds it', async (t) => {
  const own = await startTestService({ passwords: cheapPasswords })
  t.after(() => own.close())
  const scene = await openRefundScene(own, { prices: { Mug: 100 } })
  const order = await scene.order({ mug: 1 })
  const [id = ''] = order.lines
  const path = `/v1/customer/orders/${order.id}/returns`
  const ask = () => order.call('POST', path, { body: { items: [{ id, quantity: 1 }] } })
  assertError(await ask(), 409, 'CONFLICT')
  const program = await newProgram(own, scene.shop)
  const add = () =>
    program.inStore('POST', '/returns', { orderId: order.id, items: [{ id, quantity: 1 }], reason: 'Called' })
  assertError(await add(), 409, 'CONFLICT')
  await own.db.tx((tx) => deliverOrderBy(tx, { store: scene.store }, commandLine, order.id, own.clock.now()))
  await own.db
    .run`update orders set delivered_at = (delivered_at at time zone 'UTC' - interval '31 days') at time zone 'UTC' where id = ${order.id}`
  assertError(await ask(), 409, 'CONFLICT')
  assert.equal((await program.inStore('PATCH', '/settings', { returnDays: 60 })).json.returnDays, 60)
  const added = await add()
  assert.deepEqual([added.status, added.json.status, added.json.byCustomer], [201, 'approved', false])
  await act(program, added.json.id, 'reject')
  assert.equal((await ask()).status, 201, 'the longer time counts at once')
})

const act = async (program: Awaited<ReturnType<typeof newProgram>>, id: string, what: string) =>
  assert.equal((await program.inStore('POST', `/returns/${id}/${what}`)).status, 200)

test('a repeated call with the same key changes nothing more', async () => {
  const { ask, act, order } = await openDelivered()
  const key = { 'idempotency-key': 'one' }
  const [first, again] = [await ask(1, key), await ask(1, key)]
  assert.deepEqual([again.status, again.json], [201, first.json])
  assertError(await ask(2, key), 409, 'CONFLICT')
  const { id } = first.json
  await act(id, 'receive')
  const [refund, repeated] = [await act(id, 'refund', {}, key), await act(id, 'refund', {}, key)]
  assert.deepEqual([repeated.status, repeated.json], [200, refund.json])
  assert.equal((await order.show()).refundedTotal, 100)
})

test('nobody else sees or changes a return', async () => {
  const { ask, order, line, shop } = await openDelivered()
  const { id } = (await ask(1)).json
  const stranger = await newCustomer(service, shop)
  const path = `/v1/customer/orders/${order.id}/returns`
  assertError(await stranger.call('GET', path), 404, 'NOT_FOUND')
  assertError(await stranger.call('POST', path, { body: { items: [{ id: line, quantity: 1 }] } }), 404, 'NOT_FOUND')
  const elsewhere = await newProgram(service, await newStore(service))
  for (const what of ['approve', 'reject', 'receive', 'refund']) {
    assertError(await elsewhere.inStore('POST', `/returns/${id}/${what}`), 404, 'NOT_FOUND')
  }
  const support = await newStaff(service, shop, 'support')
  assert.equal((await support.inStore('POST', `/returns/${id}/approve`)).status, 200)
  assertError(await support.inStore('POST', `/returns/${id}/refund`), 403, 'FORBIDDEN')
  const viewer = await newStaff(service, shop, 'viewer')
  assertError(await viewer.inStore('POST', `/returns/${id}/receive`), 403, 'FORBIDDEN')
  const csv = await viewer.inStore('GET', '/returns?format=csv')
  assert.match(csv.text, new RegExp(`^id,orderId.*\\r\\n${id},`))
})

test('units whose return was refunded by an amount cannot be returned again', async () => {
  const { ask, act, stock, findings } = await openDelivered()
  const { id } = (await ask(2)).json
  await act(id, 'receive')
  assert.equal((await act(id, 'refund', { amount: 30 })).json.refund.amount, 30)
  assertError(await ask(2), 409, 'CONFLICT')
  assert.equal((await ask(1)).status, 201)
  assert.equal(await stock(), 19)
  assert.deepEqual(await findings(), [])
})

test('a refund may come before the items, which then go back to stock once', async () => {
  const { ask, act, stock, findings, program } = await openDelivered()
  const { id } = (await ask(2)).json
  await act(id, 'approve')
  assert.equal((await act(id, 'refund')).json.status, 'refunded')
  assert.equal(await stock(), 17)
  const answers = await Promise.all([1, 2, 3, 4].map(() => act(id, 'receive')))
  const received = answers.filter(({ status }) => status === 200)
  assert.equal(received.length, 1)
  assert.deepEqual([received[0]?.json.status, received[0]?.json.restocked], ['refunded', true])
  for (const answer of answers.filter(({ status }) => status !== 200)) assertError(answer, 409, 'CONFLICT')
  assert.equal(await stock(), 19)
  assert.deepEqual(await findings(), [])
  const { data } = (await program.inStore('GET', `/audit?resourceId=${id}`)).json
  assert.deepEqual(data[0].changes, { restocked: { before: null, after: true } })
})

test('received items of a refunded return are not received again, and those of a rejected one never', async () => {
  const { ask, act, stock } = await openDelivered()
  const { id } = (await ask(1)).json
  await act(id, 'receive', { restock: false })
  await act(id, 'refund')
  assertError(await act(id, 'receive'), 409, 'CONFLICT')
  const other = (await ask(1)).json
  await act(other.id, 'reject')
  assertError(await act(other.id, 'receive'), 409, 'CONFLICT')
  assert.equal(await stock(), 17)
})
