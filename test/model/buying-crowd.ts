import assert from 'node:assert/strict'
import fc from 'fast-check'
import { days, minutes } from '../../src/core/clock.ts'
import { DomainError } from '../../src/core/domain-errors.ts'
import { shipOrder } from '../../src/features/delivery/ship.ts'
import { type RefundRequest, refundOrderById } from '../../src/features/payments/refunds.ts'
import { newRunner } from '../../src/jobs/fixture.ts'
import type { PaymentDouble } from '../doubles/payment-double.ts'
import type { Answer, TestService } from '../harness.ts'
import {
  actAtDouble,
  assertLedger,
  aWeather,
  type DoubleAct,
  doubleActs,
  fairWeather,
  isDoubleAct,
  type Lag,
  setWeather,
  type Weather,
} from './buying-double.ts'
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
  | { kind: 'refunds'; order: number; part: 'all' | 'amount' | 'unit' }
  | { kind: 'stocks'; thing: number; quantity: number }
  | { kind: 'jobs' }
  | DoubleAct

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

const sandboxActs: fc.WeightedArbitrary<BuyingAct>[] = [
  { weight: 6, arbitrary: tells },
  { weight: 2, arbitrary: fc.record({ kind: kind('chooses'), order, choice: fc.constantFrom('success', 'failure') }) },
]

const part = fc.constantFrom('all' as const, 'amount' as const, 'unit' as const)

const sharedActs: fc.WeightedArbitrary<BuyingAct>[] = [
  { weight: 3, arbitrary: fc.record({ kind: kind('fills'), buyer, thing, quantity: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 5, arbitrary: checksOut },
  { weight: 1, arbitrary: fc.record({ kind: kind('drops the cart'), buyer }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('cancels'), order }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('pays again'), order }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('comes back'), order }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('carries'), order, word }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('ships'), order }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('refunds'), order, part }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('stocks'), thing, quantity: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('jobs') }) },
]

/**
 * How many minutes pass before a list of acts, and what then happens at once. A double has a weather, and often a single
 * act, because what goes wrong there does so without a race.
 */
const storyOf = (providerActs: fc.WeightedArbitrary<BuyingAct>[], weather: fc.Arbitrary<Weather>, minLength: number) =>
  fc.array(
    fc.record({
      minutes: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.constantFrom(2, 29, 31, 95)),
      acts: fc.array(fc.oneof(...sharedActs, ...providerActs), { minLength, maxLength: 8, size: 'max' }),
      weather,
    }),
    { minLength: 2, maxLength: 8, size: 'max' },
  )

const sandboxStory = storyOf(sandboxActs, fc.constant(fairWeather), 2)
const doubleStory = storyOf(doubleActs, aWeather, 1)

type Crowd = { world: Shop; counter: Counter; paid: Set<Order>; lag: Lag }

export const compareBuyingCrowds = (service: TestService, effort: Effort, double: PaymentDouble | null = null) =>
  checkProperty(
    fc.asyncProperty(double === null ? sandboxStory : doubleStory, async (batches) => {
      const { world, counter } = await openCounter(service, double)
      const crowd: Crowd = { world, counter, paid: new Set(), lag: { isLost: false, isHeld: false } }
      await turn(crowd, fairWeather)
      // Something to begin with.
      for (const [who] of buyerNames.entries()) {
        await perform(crowd, { kind: 'fills', buyer: who, thing: who, quantity: 2 })
        await perform(crowd, { kind: 'checks out', buyer: who, cod: false, coupon: 'TEN', note: '', twice: false })
      }
      for (const { minutes: span, acts, weather } of batches) {
        service.clock.advance(minutes(span))
        await turn(crowd, weather)
        await Promise.all(acts.map((one) => perform(crowd, one)))
        await assertTruth(crowd)
      }
      await catchUp(crowd)
    }),
    effort,
  )

const turn = async ({ counter: { double }, lag }: Crowd, weather: Weather) => {
  if (double !== null) await setWeather(double, weather, lag)
}

/** Everything is decided and reported, and the jobs find what was lost. */
const catchUp = async (crowd: Crowd) => {
  const { counter, lag } = crowd
  const { service, store, double } = counter
  await turn(crowd, fairWeather)
  for (const _ of [1, 2]) {
    service.clock.advance(days(1.5))
    await double?.settleLater('success', store.publicId)
    await double?.settleRefunds('succeeded', store.publicId)
    await runJobs(counter)
    await assertTruth(crowd)
  }
  lag.isLost = false
  await assertTruth(crowd)
}

const assertTruth = async ({ world, counter, paid, lag }: Crowd) => {
  await assertBooks(world, counter)
  if (counter.double !== null) await assertLedger(counter, counter.double, lag)
  const states = await readStates(counter)
  for (const { id } of paid) {
    const payment = states.get(id)?.payment
    assert.ok(payment !== 'pending' && payment !== 'failed', `order ${id} was paid, and is ${payment}`)
  }
}

const perform = async (crowd: Crowd, act: BuyingAct): Promise<void> => {
  const { world, counter } = crowd
  if (act.kind === 'jobs') return counter.double === null ? runJobs(counter) : runJobsInWeather(counter)
  if (act.kind === 'stocks') {
    const chosen = world.things[act.thing] as Thing
    const more = await stockUp(counter, chosen, act.quantity)
    chosen.units += more
    return
  }
  if ('buyer' in act) return shop(crowd, act)
  const chosen = 'order' in act ? world.orders.at(-1 - (act.order % Math.max(1, world.orders.length))) : undefined
  if (isDoubleAct(act)) return counter.double === null ? undefined : actAtDouble(counter, counter.double, act, chosen)
  if (chosen !== undefined) await happen(crowd, act, chosen)
}

/** A job may fail while the provider does, and is repeated. */
const runJobsInWeather = async ({ service }: Counter) => newRunner(service).runDue()

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
  oneOf(answer, 200, 201, 400, 409, ...providerErrors(counter))
  const isKnown = (id: string) => world.orders.some((one) => one.id === id)
  if (answer.status < 300 && !isKnown(answer.json.order.id)) {
    world.orders.push(readOrder(world, counter, who, '', answer))
  }
  return answer
}

/** The sandbox never fails. */
const providerErrors = ({ double }: Counter) => (double === null ? [] : [502])

type OrderAct = Exclude<Extract<BuyingAct, { order: number }>, DoubleAct>

const happen = async ({ world, counter, paid }: Crowd, act: OrderAct, chosen: Order): Promise<unknown> => {
  const { service, store } = counter
  const { call } = buyerOf(counter, chosen.buyer)
  const last = chosen.payments.at(-1) ?? { id: '', page: '' }
  switch (act.kind) {
    case 'cancels':
      return oneOf(await call('POST', `/v1/customer/orders/${chosen.id}/cancel`), 200, 409, ...providerErrors(counter))
    case 'pays again': {
      const again = await call('POST', '/v1/payment', { body: { orderId: chosen.id } })
      const answer = oneOf(again, 200, 201, 409, ...providerErrors(counter))
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
      return unlessRefused(refundOrderById(service.app.services, chosen.id, partOf(chosen, act.part)))
  }
}

const partOf = ({ total, lineIds }: Order, part: 'all' | 'amount' | 'unit'): RefundRequest => {
  if (part === 'amount') return { amount: Math.max(0.01, Math.round(total * 30) / 100) }
  return part === 'unit' ? { items: lineIds.slice(0, 1).map((id) => ({ id, quantity: 1 })) } : {}
}

/** The order has moved on. */
const unlessRefused = (work: Promise<unknown>) =>
  work.catch((error) => assert.ok(error instanceof DomainError, String(error)))
