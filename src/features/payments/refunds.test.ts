import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestService, type TestService } from '../../../test/harness.ts'
import { mustExist } from '../../core/must-exist.ts'
import type { OnDisconnect } from '../../core/on-disconnect.ts'
import { ctxOfOrder } from './callback.ts'
import { scriptedProvider } from './fixture.ts'
import { openRefundScene } from './refund-fixture.ts'
import { requestRefund, tryRefundNow } from './refunds.ts'

const scripted = scriptedProvider()
const undivided = scriptedProvider('undivided')
let service: TestService
before(async () => {
  undivided.provider.canRefundPart = false
  service = await startTestService({ paymentProviders: [scripted.provider, undivided.provider] })
})
after(() => service.close())

/** The code of the domain error that a promise rejects with. */
const codeOf = async (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: { code?: string }) => error.code ?? String(error),
  )

test('a whole refund returns all of the payment and its units, and a second one is refused', async () => {
  const scene = await openRefundScene(service, { shippingMinor: 4000 })
  const order = await scene.order()
  const { refundId, ...answer } = await order.refund({ reason: 'changed my mind' })
  assert.match(refundId ?? '', /^ref_/)
  assert.deepEqual(answer, { amount: 240, status: 'succeeded', paymentStatus: 'refunded' })
  const { refunds, refundedTotal } = await order.show()
  assert.equal(refundedTotal, 240)
  assert.deepEqual(
    refunds.map(({ createdAt: _, ...refund }: Record<string, unknown>) => refund),
    [{ id: refundId, amount: 240, status: 'succeeded', reason: 'changed my mind', items: [] }],
  )
  assert.deepEqual([...(await order.state()), await scene.stock()], ['refunded', 'refunded', 'released', null, 20])
  assert.equal(await codeOf(order.refund()), 'NOTHING_TO_REFUND')
  assert.deepEqual(await scene.findings(), [])
})

test('an amount restocks nothing, and the rest is refunded and restocked by a whole refund', async () => {
  const scene = await openRefundScene(service)
  const order = await scene.order()
  const first = await order.refund({ amount: 50.5 })
  assert.deepEqual([first.amount, first.paymentStatus], [50.5, 'partially_refunded'])
  assert.deepEqual([...(await order.state()), await scene.stock()], ['paid', 'partially_refunded', 'sold', null, 18])
  assert.equal(await codeOf(order.refund({ amount: 20, restock: true })), 'REFUND_RESTOCK_INVALID')
  assert.equal((await order.refund({ amount: 9.5 })).amount, 9.5)
  const rest = await order.refund()
  assert.deepEqual([rest.amount, rest.paymentStatus, await scene.stock()], [140, 'refunded', 20])
  assert.deepEqual(await scene.findings(), [])
})

test('the last part by amount makes the order refunded, without its units', async () => {
  const scene = await openRefundScene(service)
  const order = await scene.order()
  await order.refund({ amount: 150 })
  await order.refund({ amount: 50 })
  assert.deepEqual([...(await order.state()), await scene.stock()], ['refunded', 'refunded', 'sold', null, 18])
  assert.deepEqual(await scene.findings(), [])
})

test('the shares of a line with discount and tax add up exactly over several refunds', async () => {
  const prices = { Mug: 33.33, Lamp: 99.99 }
  const scene = await openRefundScene(service, { prices, taxRate: 7.125, percentOff: 15, shippingMinor: 1234 })
  const order = await scene.order({ mug: 7, lamp: 3 })
  const [mug = '', lamp = ''] = order.lines
  const amounts: number[] = []
  for (const [id, quantity] of [
    [mug, 1],
    [lamp, 2],
    [mug, 3],
    [mug, 1],
    [lamp, 1],
    [mug, 2],
  ] as const) {
    amounts.push((await order.refund({ items: [{ id, quantity }] })).amount)
  }
  const { items, shipping, total } = await order.show()
  const paid = items.map(
    (line: Record<string, number>) => Number(line.lineTotal) - Number(line.discount) + Number(line.tax),
  )
  const minor = (value: number) => Math.round(value * 100)
  const at = (...indexes: number[]) => minor(indexes.reduce((sum, index) => sum + (amounts[index] ?? 0), 0))
  assert.deepEqual([at(0, 2, 3, 5), at(1, 4)], paid.map(minor))
  assert.deepEqual(await order.state(), ['paid', 'partially_refunded', 'sold', null])
  assert.deepEqual([await scene.stock('mug'), await scene.stock('lamp')], [20, 20])
  assert.deepEqual(await scene.findings(), [])
  const rest = await order.refund()
  assert.deepEqual([minor(rest.amount), rest.paymentStatus], [minor(shipping), 'refunded'])
  assert.equal(minor((await order.show()).refundedTotal), minor(total))
  assert.deepEqual(await order.state(), ['refunded', 'refunded', 'released', null])
  assert.deepEqual(await scene.findings(), [])
})

test('units of a line go back to stock unless they were shipped, and the merchant can decide otherwise', async () => {
  const scene = await openRefundScene(service)
  const order = await scene.order({ mug: 5 })
  const [line = ''] = order.lines
  await order.ship({ line, quantity: 2 })
  const refund = async (quantity: number, restock?: boolean) => {
    await order.refund({ items: [{ id: line, quantity }], ...(restock === undefined ? {} : { restock }) })
    return scene.stock()
  }
  assert.equal(await refund(1), 16)
  assert.equal(await refund(1, false), 16)
  assert.equal(await refund(1, true), 17)
  // Of these two one is still in the shop.
  assert.equal(await refund(2), 18)
  assert.deepEqual((await order.state()).slice(0, 2), ['refunded', 'refunded'])
  assert.deepEqual(await scene.findings(), [])
})

test('a whole refund leaves units alone that an earlier refund did not restock', async () => {
  const scene = await openRefundScene(service)
  const order = await scene.order({ mug: 3 })
  const [id = ''] = order.lines
  await order.refund({ items: [{ id, quantity: 1 }], restock: false })
  await order.refund()
  assert.deepEqual([...(await order.state()), await scene.stock()], ['refunded', 'refunded', 'sold', null, 19])
  const other = await scene.order({ mug: 2 })
  await other.refund({ restock: false })
  assert.deepEqual([...(await other.state()), await scene.stock()], ['refunded', 'refunded', 'sold', null, 17])
  assert.deepEqual(await scene.findings(), [])
})

test('a shipped order keeps its status and its units are not restocked, unless the merchant wants them', async () => {
  const scene = await openRefundScene(service)
  const states = []
  for (const restock of [undefined, true]) {
    const order = await scene.order()
    await order.ship()
    await service.db.run`update orders set status = 'out_for_delivery' where id = ${order.id}`
    await service.db.run`
      insert into order_event (store_id, order_id, type, message, at)
      values (${scene.store.id}, ${order.id}, 'out_for_delivery', '', vitrine_now())`
    await order.refund(restock === undefined ? {} : { restock })
    states.push([...(await order.state()).slice(0, 3), await scene.stock()])
  }
  assert.deepEqual(states, [
    ['out_for_delivery', 'refunded', 'sold', 18],
    ['out_for_delivery', 'refunded', 'released', 18],
  ])
})

for (const [kind, request] of [
  ['whole', () => ({})],
  ['amount', () => ({ amount: 30 })],
  ['line', (id: string) => ({ items: [{ id, quantity: 1 }] })],
] as const) {
  test(`twenty refunds (${kind}) at once never exceed the payment`, async () => {
    scripted.does.refund = 'succeeded'
    const scene = await openRefundScene(service, { provider: 'scripted' })
    const order = await scene.order({ mug: 4 })
    const [id = ''] = order.lines
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => order.refund(request(id))))
    const made = results.filter(({ status }) => status === 'fulfilled').length
    const { refundedTotal, refunds } = await order.show()
    assert.deepEqual([refundedTotal, refunds.length], { whole: [400, 1], amount: [390, 13], line: [400, 4] }[kind])
    assert.ok(kind === 'whole' ? made >= 1 : made === refunds.length, `${made} were answered`)
    assert.equal(await scene.stock(), kind === 'amount' ? 16 : 20)
    assert.deepEqual(await scene.findings(), [])
  })
}

test('twenty refunds of all kinds at once never exceed the payment', async () => {
  const scene = await openRefundScene(service)
  const order = await scene.order({ mug: 4 })
  const [id = ''] = order.lines
  const requests = [{ amount: 70 }, { items: [{ id, quantity: 1 }] }, { amount: 35 }, {}]
  await Promise.allSettled(Array.from({ length: 20 }, (_, i) => order.refund(requests[i % requests.length])))
  const { refundedTotal, paymentStatus } = await order.show()
  assert.deepEqual([refundedTotal, paymentStatus], [400, 'refunded'])
  assert.deepEqual(await scene.findings(), [])
})

test('a refund of cash is noted at once, and the money is returned by hand', async () => {
  const scene = await openRefundScene(service)
  const order = await scene.order({ mug: 2 }, { method: 'cod' })
  assert.equal((await order.show()).paymentStatus, 'paid')
  const part = await order.refund({ amount: 40 })
  assert.deepEqual([part.status, part.paymentStatus], ['succeeded', 'partially_refunded'])
  const rest = await order.refund()
  assert.deepEqual([rest.amount, rest.status, rest.paymentStatus], [160, 'succeeded', 'refunded'])
  assert.deepEqual(await scene.findings(), [])
})

test('an order with a total of 0 is refunded without a refund row', async () => {
  const scene = await openRefundScene(service, { percentOff: 100 })
  const order = await scene.order()
  assert.deepEqual(await order.state(), ['paid', 'paid', 'sold', null])
  const [id = ''] = order.lines
  assert.equal(await codeOf(order.refund({ amount: 1 })), 'NOTHING_TO_REFUND')
  assert.equal(await codeOf(order.refund({ items: [{ id, quantity: 1 }] })), 'NOTHING_TO_REFUND')
  assert.deepEqual(await order.refund(), {
    ...{ refundId: null, amount: 0, status: 'succeeded', paymentStatus: 'refunded' },
  })
  assert.deepEqual([...(await order.state()), await scene.stock()], ['refunded', 'refunded', 'released', null, 20])
  assert.deepEqual(await scene.findings(), [])
})

test('a provider without partial refunds refunds all or nothing', async () => {
  const scene = await openRefundScene(service, { provider: 'undivided' })
  const order = await scene.order()
  const [id = ''] = order.lines
  assert.equal(await codeOf(order.refund({ amount: 50 })), 'REFUND_ONLY_WHOLE')
  assert.equal(await codeOf(order.refund({ items: [{ id, quantity: 1 }] })), 'REFUND_ONLY_WHOLE')
  assert.equal((await order.refund({ items: [{ id, quantity: 2 }] })).paymentStatus, 'refunded')
  assert.deepEqual(await scene.findings(), [])
})

test('amounts are exact in currencies without decimals and with three', async () => {
  const yen = await openRefundScene(service, { currency: 'JPY', prices: { Mug: 333 } })
  const inYen = await yen.order({ mug: 3 })
  assert.equal(await codeOf(inYen.refund({ amount: 0.5 })), 'REFUND_AMOUNT_INVALID')
  assert.equal((await inYen.refund({ amount: 1 })).amount, 1)
  assert.equal((await inYen.refund()).amount, 998)
  const dinar = await openRefundScene(service, { currency: 'KWD', prices: { Mug: 1.115 } })
  const inDinar = await dinar.order({ mug: 3 })
  assert.equal(await codeOf(inDinar.refund({ amount: 0.0005 })), 'REFUND_AMOUNT_INVALID')
  assert.equal((await inDinar.refund({ amount: 0.005 })).amount, 0.005)
  assert.equal((await inDinar.refund()).amount, 3.34)
  for (const scene of [yen, dinar]) assert.deepEqual(await scene.findings(), [])
})

test('a wrong amount, line or quantity and an unpaid order are refused, and nothing changes', async () => {
  const scene = await openRefundScene(service, { prices: { Mug: 100, Lamp: 50 } })
  const order = await scene.order({ mug: 2 })
  const other = await scene.order({ lamp: 1 })
  const [id = ''] = order.lines
  const [foreign = ''] = other.lines
  for (const [request, code] of [
    [{ amount: 200.01 }, 'REFUND_TOO_LARGE'],
    [{ amount: 0 }, 'REFUND_AMOUNT_INVALID'],
    [{ amount: -5 }, 'REFUND_AMOUNT_INVALID'],
    [{ amount: Number.NaN }, 'REFUND_AMOUNT_INVALID'],
    [{ amount: Number.POSITIVE_INFINITY }, 'REFUND_AMOUNT_INVALID'],
    [{ amount: 1.001 }, 'REFUND_AMOUNT_INVALID'],
    [{ items: [] }, 'REFUND_AMOUNT_INVALID'],
    [{ items: [{ id: foreign, quantity: 1 }] }, 'LINE_NOT_FOUND'],
    [{ items: [{ id, quantity: 3 }] }, 'REFUND_QUANTITY_INVALID'],
    [{ items: [{ id, quantity: 0 }] }, 'REFUND_QUANTITY_INVALID'],
    [{ items: [{ id, quantity: -1 }] }, 'REFUND_QUANTITY_INVALID'],
    [{ items: [{ id, quantity: 1.5 }] }, 'REFUND_QUANTITY_INVALID'],
    [
      {
        items: [
          { id, quantity: 1 },
          { id, quantity: 2 },
        ],
      },
      'REFUND_QUANTITY_INVALID',
    ],
  ] as const) {
    assert.equal(await codeOf(order.refund(request)), code, JSON.stringify(request))
  }
  const unpaid = await scene.order({ mug: 1 }, { isPaid: false })
  assert.equal(await codeOf(unpaid.refund()), 'NOTHING_TO_REFUND')
  assert.equal(await codeOf(unpaid.refund({ amount: 1 })), 'NOTHING_TO_REFUND')
  assert.deepEqual((await order.show()).refunds, [])
  await order.refund({ amount: 150 })
  // A share of 100 is more than the 50 that are left.
  assert.equal(await codeOf(order.refund({ items: [{ id, quantity: 1 }] })), 'REFUND_TOO_LARGE')
  assert.deepEqual(await scene.findings(), [])
})

test('a refund that was made is stored, although its caller is gone and the store is busy', async (t) => {
  const scene = await openRefundScene(service, { provider: 'scripted' })
  const order = await scene.order()
  const { services } = service.app
  const ctx = mustExist(await ctxOfOrder(services, order.id), 'the order')
  const refund = mustExist(await ctx.db.tx((tx) => requestRefund(tx, ctx, order.id, {}, {})), 'the refund')
  let isGone = false
  const onDisconnect: OnDisconnect = (leave) => {
    if (isGone) process.nextTick(leave)
    return () => {}
  }
  const held = Promise.withResolvers<void>()
  const busy: Promise<void>[] = []
  scripted.meanwhile.refund = async () => {
    isGone = true
    // More than the store may hold.
    for (let i = 0; i < 20; i++) busy.push(ctx.db.forStore(ctx.store.id).tx(() => held.promise))
    setTimeout(held.resolve, 100)
  }
  t.after(() => {
    scripted.meanwhile.refund = async () => {}
  })
  const caller = { ...ctx, db: services.db.forStore(ctx.store.id, onDisconnect) }
  assert.equal(await tryRefundNow(caller, refund), 'succeeded')
  await Promise.all(busy)
  assert.deepEqual((await order.state()).slice(0, 2), ['refunded', 'refunded'])
  assert.deepEqual(await scene.findings(), [])
})
