import assert from 'node:assert/strict'
import fc from 'fast-check'
import { days, minutes } from '../../src/core/clock.ts'
import { DomainError } from '../../src/core/domain-errors.ts'
import { shipOrder } from '../../src/features/delivery/ship.ts'
import { refundOrderById } from '../../src/features/payments/refunds.ts'
import type { Answer, TestService } from '../harness.ts'
import {
  answerSandboxPage,
  assertBooks,
  buyerNames,
  buyerOf,
  type Counter,
  checkOut,
  couponCodes,
  oneOf,
  openCounter,
  readOrder,
  readStates,
  runJobs,
  stockUp,
  tellDelivery,
  tellPayment,
} from './buying-floor.ts'
import type { Order, Shop, Thing } from './buying-world.ts'
import { checkProperty, type Effort } from './run.ts'

/**
 * All actors at the same time. Their order is unknown, so orders are not compared with a model: the invariants must hold
 * once all requests are answered, and every answer must be true.
 */
export type BuyingAct =
  | { kind: 'fills'; buyer: number; thing: number; quantity: number }
  | { kind: 'checks out'; buyer: number; cod: boolean; coupon: string | null; note: string; twice: boolean }
  | { kind: 'drops the cart'; buyer: number }
  | { kind: 'cancels'; order: number }
  | { kind: 'pays again'; order: number }
  | { kind: 'comes back'; order: number }
  | { kind: 'tells'; order: number; status: 'success' | 'failed' | 'refunded'; name: string | null; event: number }
  | { kind: 'chooses'; order: number; choice: 'success' | 'failure' }
  | { kind: 'carries'; order: number; word: string }
  | { kind: 'ships'; order: number }
  | { kind: 'refunds'; order: number }
  | { kind: 'stocks'; thing: number; quantity: number }
  | { kind: 'jobs' }

const buyer = fc.nat(buyerNames.length - 1)
const thing = fc.nat(2)
const order = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(3))
const kind = <Kind extends BuyingAct['kind']>(name: Kind) => fc.constant(name)
const coupon = fc.option(fc.constantFrom(...couponCodes))
const checksOut = fc.record({
  ...{ kind: kind('checks out'), buyer, coupon, twice: fc.boolean(), note: fc.constantFrom('', 'ring twice') },
  cod: fc.nat(3).map((n) => n === 0),
})
const tells = fc.record({
  ...{ kind: kind('tells'), order, event: fc.nat(5), name: fc.constantFrom(null, 'txn-1', 'txn-2', 'the last') },
  status: fc.constantFrom('success' as const, 'success' as const, 'failed' as const, 'refunded' as const),
})
const word = fc.constantFrom('in_transit', 'delivered', 'picked up')

const act: fc.Arbitrary<BuyingAct> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: kind('fills'), buyer, thing, quantity: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 5, arbitrary: checksOut },
  { weight: 1, arbitrary: fc.record({ kind: kind('drops the cart'), buyer }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('cancels'), order }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('pays again'), order }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('comes back'), order }) },
  { weight: 6, arbitrary: tells },
  { weight: 2, arbitrary: fc.record({ kind: kind('chooses'), order, choice: fc.constantFrom('success', 'failure') }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('carries'), order, word }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('ships'), order }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('refunds'), order }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('stocks'), thing, quantity: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('jobs') }) },
)

/** How many minutes pass before a list of acts, and what then happens at once. */
const batch = fc.record({
  minutes: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.constantFrom(2, 29, 31, 95)),
  acts: fc.array(act, { minLength: 2, maxLength: 8, size: 'max' }),
})
const story = fc.array(batch, { minLength: 2, maxLength: 8, size: 'max' })

type Crowd = { world: Shop; counter: Counter; paid: Set<Order> }

export const compareBuyingCrowds = (service: TestService, effort: Effort) =>
  checkProperty(
    fc.asyncProperty(story, async (batches) => {
      const { world, counter } = await openCounter(service)
      const crowd = { world, counter, paid: new Set<Order>() }
      // Something to begin with.
      for (const [who] of buyerNames.entries()) {
        await perform(crowd, { kind: 'fills', buyer: who, thing: who, quantity: 2 })
        await perform(crowd, { kind: 'checks out', buyer: who, cod: false, coupon: 'TEN', note: '', twice: false })
      }
      for (const { minutes: span, acts } of batches) {
        service.clock.advance(minutes(span))
        await Promise.all(acts.map((one) => perform(crowd, one)))
        await assertTruth(crowd)
      }
      for (const _ of [1, 2]) {
        service.clock.advance(days(1.5))
        await runJobs(counter)
        await assertTruth(crowd)
      }
    }),
    effort,
  )

const assertTruth = async ({ world, counter, paid }: Crowd) => {
  await assertBooks(world, counter)
  const states = await readStates(counter)
  for (const { id } of paid) {
    const payment = states.get(id)?.payment
    assert.ok(payment === 'paid' || payment === 'refunded', `order ${id} was paid, and is ${payment}`)
  }
}

const perform = async (crowd: Crowd, act: BuyingAct): Promise<void> => {
  const { world, counter } = crowd
  if (act.kind === 'jobs') return runJobs(counter)
  if (act.kind === 'stocks') {
    const chosen = world.things[act.thing] as Thing
    const more = await stockUp(counter, chosen, act.quantity)
    chosen.units += more
    return
  }
  if ('buyer' in act) return shop(crowd, act)
  const chosen = world.orders.at(-1 - (act.order % Math.max(1, world.orders.length)))
  if (chosen !== undefined) await happen(crowd, act, chosen)
}

const shop = async ({ world, counter }: Crowd, act: Extract<BuyingAct, { buyer: number }>) => {
  const { call } = buyerOf(counter, act.buyer)
  if (act.kind === 'fills') {
    const body = { productId: (world.things[act.thing] as Thing).id, quantity: act.quantity }
    oneOf(await call('POST', '/v1/cart', { body }), 200, 201, 409)
  } else if (act.kind === 'drops the cart') {
    const id = (await call('GET', '/v1/cart')).headers.get('x-cart-id')
    if (id !== null) oneOf(await call('DELETE', `/v1/cart/${id}`), 200, 204, 404)
  } else {
    const key = `checkout-${world.count++}`
    const go = async () => note(world, counter, act.buyer, await checkOut(counter, act.buyer, act, key))
    const answers = await Promise.all(act.twice ? [go(), go()] : [go()])
    const made = answers.filter(({ status }) => status < 300).map(({ json }) => json.order.id)
    assert.ok(new Set(made).size <= 1, 'one key makes one order')
  }
}

const note = (world: Shop, counter: Counter, who: number, answer: Answer) => {
  oneOf(answer, 200, 201, 400, 409)
  const isKnown = (id: string) => world.orders.some((one) => one.id === id)
  if (answer.status < 300 && !isKnown(answer.json.order.id)) {
    world.orders.push(readOrder(world, counter, who, '', answer))
  }
  return answer
}

type OrderAct = Extract<BuyingAct, { order: number }>

const happen = async ({ world, counter, paid }: Crowd, act: OrderAct, chosen: Order): Promise<unknown> => {
  const { service, store } = counter
  const { call } = buyerOf(counter, chosen.buyer)
  const last = chosen.payments.at(-1) ?? { id: '', page: '' }
  switch (act.kind) {
    case 'cancels':
      return oneOf(await call('POST', `/v1/customer/orders/${chosen.id}/cancel`), 200, 409)
    case 'pays again': {
      const answer = oneOf(await call('POST', '/v1/payment', { body: { orderId: chosen.id } }), 200, 201, 409)
      if (answer.status < 300) chosen.payments.push({ id: answer.json.id, page: answer.json.redirectUrl ?? '' })
      return
    }
    case 'comes back':
      return oneOf(await service.call(`/payment/callback?orderId=${chosen.id}`), 302, 303)
    case 'tells': {
      const named = act.name === 'the last' ? last.id : act.name === null ? null : `${act.name} of ${chosen.id}`
      const eventId = `${act.status} ${act.event} of ${chosen.id}`
      const body = { eventId, orderId: chosen.id, transactionId: named, status: act.status }
      oneOf(await tellPayment(counter, { ...body, amount: chosen.total, currency: 'INR' }), 200)
      if (act.status !== 'failed') paid.add(chosen)
      return
    }
    case 'chooses':
      return last.page === '' ? undefined : oneOf(await answerSandboxPage(counter, last.page, act.choice), 303)
    case 'carries':
      return oneOf(
        await tellDelivery(counter, { eventId: `news-${world.count++}`, orderId: chosen.id, status: act.word }),
        200,
      )
    case 'ships': {
      const parcel = { trackingNumber: `T${world.count++}`, partner: 'Bluebird', trackingUrl: '', items: [] }
      const request = { ...parcel, estimatedDelivery: null }
      return unlessRefused(service.db.tx((tx) => shipOrder(tx, { store }, chosen.id, request)))
    }
    case 'refunds':
      return unlessRefused(refundOrderById(service.app.services, chosen.id))
  }
}

/** The order has moved on. */
const unlessRefused = (work: Promise<unknown>) =>
  work.catch((error) => assert.ok(error instanceof DomainError, String(error)))
