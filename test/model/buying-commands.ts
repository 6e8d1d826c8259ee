import assert from 'node:assert/strict'
import type fc from 'fast-check'
import { days, minutes } from '../../src/core/clock.ts'
import { DomainError } from '../../src/core/domain-errors.ts'
import { shipOrder } from '../../src/features/delivery/ship.ts'
import { refundOrderById } from '../../src/features/payments/refunds.ts'
import {
  answerSandboxPage,
  assertBooks,
  assertStates,
  buyerNames,
  buyerOf,
  type Counter,
  checkOut,
  fine,
  oneOf,
  readOrder,
  readStates,
  runJobs,
  stockUp,
  tellDelivery,
  tellPayment,
} from './buying-floor.ts'
import {
  type CarrierWord,
  cancelled,
  carried,
  failed,
  freeUnits,
  isCancellable,
  isPaid,
  type Order,
  refunded,
  refundedInPart,
  reservationMinutes,
  type Shop,
  type State,
  settled,
  shipped,
  stateOf,
  type Thing,
  unitsOf,
} from './buying-world.ts'

export type BuyingCommand = fc.AsyncCommand<Shop, Counter>

export const command = (name: string, run: (world: Shop, counter: Counter) => Promise<void>): BuyingCommand => ({
  check: () => true,
  toString: () => `${name}.`,
  run: async (world, counter) => {
    await run(world, counter)
    await assertStates(world, counter)
    await assertBooks(world, counter)
  },
})

/** Does nothing without an order. Ended orders are included, because their rules are easy to get wrong. */
export const withOrder = (
  name: string,
  pick: number,
  run: (world: Shop, counter: Counter, order: Order) => Promise<void>,
) =>
  command(
    `${name} of order ${pick % 4} from the end${pick < 4 ? '' : ' that was cancelled'}`,
    async (world, counter) => {
      const over = world.orders.filter(({ status }) => status === 'cancelled')
      const orders = pick < 4 || over.length === 0 ? world.orders : over
      const order = orders.at(-1 - ((pick % 4) % Math.max(1, orders.length)))
      if (order !== undefined) await run(world, counter, order)
    },
  )

/** Applies the new state of an order to the model, if the model allows it. */
export const adopt = async (counter: Counter, order: Order, ...ends: State[]) => {
  const real = (await readStates(counter)).get(order.id)
  const isAllowed = ends.some((end) => JSON.stringify(end) === JSON.stringify(real))
  assert.ok(isAllowed, `order ${order.id} became ${JSON.stringify(real)}, not ${JSON.stringify(ends)}`)
  Object.assign(order, real)
}

const nowMs = ({ service }: Counter) => service.clock.now()

// Shoppers

export const fill = (buyer: number, thing: number, quantity: number) =>
  command(`${buyerNames[buyer]} puts ${quantity} of thing ${thing} into the cart`, (world, counter) =>
    addToCart(world, counter, buyer, thing, quantity),
  )

const addToCart = async ({ things }: Shop, counter: Counter, buyer: number, thing: number, quantity: number) => {
  const body = { productId: (things[thing] as Thing).id, quantity }
  oneOf(await buyerOf(counter, buyer).call('POST', '/v1/cart', { body }), 200, 201, 409)
}

export const dropCart = (buyer: number) =>
  command(`${buyerNames[buyer]} throws the cart away`, async (_, counter) => {
    const { id } = await readCart(counter, buyer)
    if (id !== '') oneOf(await buyerOf(counter, buyer).call('DELETE', `/v1/cart/${id}`), 200, 204)
  })

const readCart = async (counter: Counter, buyer: number) => {
  const { headers, json } = oneOf(await buyerOf(counter, buyer).call('GET', '/v1/cart'), 200)
  return { id: headers.get('x-cart-id') ?? '', items: json as { variantId: string; quantity: number }[] }
}

type Wish = { cod: boolean; coupon: string | null; note: string }
const tellWish = ({ cod, coupon, note }: Wish) =>
  [cod ? 'with cash' : 'online', coupon === null ? '' : `with ${coupon}`, note].filter(Boolean).join(', ')

/** A buyer with an empty cart adds something first, so that stories are about orders. */
export const checkOutOf = (buyer: number, wish: Wish, thing: number, quantity: number) =>
  command(
    `${buyerNames[buyer]} checks out (${quantity} of thing ${thing}) ${tellWish(wish)}`,
    async (world, counter) => {
      const found = await readCart(counter, buyer)
      if (found.items.length === 0) await addToCart(world, counter, buyer, thing, quantity)
      const cart = await readCart(counter, buyer)
      const open = world.orders.findLast(
        ({ cartId, status, method }) => cartId === cart.id && status === 'pending' && method === 'online',
      )
      const key = `checkout-${world.count++}`
      const answer = oneOf(await checkOut(counter, buyer, wish, key), 200, 201, 400, 409)
      const again = await checkOut(counter, buyer, wish, key)
      if (answer.status === 400) {
        const isAboutCoupon = wish.coupon !== null && answer.json.code === 'COUPON_INVALID'
        const isAboutDoor = wish.cod && cart.items.every(({ variantId }) => variantId === world.things[2]?.variantId)
        assert.ok(cart.items.length === 0 || isAboutDoor || isAboutCoupon, answer.text)
      }
      if (answer.status === 200) {
        assert.equal(answer.json.order.id, open?.id, 'the order that was open')
        if (open !== undefined) startAgain(open, answer.json.payment)
      }
      if (answer.status === 201) {
        assert.deepEqual(again.json, answer.json, 'the same call has the same answer')
        const order = readOrder(world, counter, buyer, cart.id, answer)
        if (open !== undefined) {
          if (isCancellable(open)) Object.assign(open, cancelled(open))
          open.replacedBy = order
        }
        for (const { thing, quantity } of order.lines)
          assert.ok(freeUnits(world, thing) >= quantity, 'there were enough')
        world.orders.push(order)
      } else if (answer.json.code === 'INSUFFICIENT_STOCK') {
        // The units of the open order would have been released first.
        const isMissing = cart.items.some(({ variantId, quantity }) => {
          const thing = world.things.find((one) => one.variantId === variantId) as Thing
          const own = open !== undefined && isCancellable(open) ? unitsOf(open, thing) : 0
          return freeUnits(world, thing) + own < quantity
        })
        assert.ok(isMissing, `there was enough of everything: ${answer.text}`)
      }
    },
  )

export const cancel = (pick: number) =>
  withOrder('the customer wants the end', pick, async (_, counter, order) => {
    const path = `/v1/customer/orders/${order.id}/cancel`
    const answer = oneOf(await buyerOf(counter, order.buyer).call('POST', path), 200, 409)
    const isOver = isCancellable(order) || order.status === 'cancelled'
    assert.equal(answer.status, isOver ? 200 : 409, answer.text)
    if (isCancellable(order)) Object.assign(order, cancelled(order))
  })

export const retry = (pick: number) =>
  withOrder('the customer asks for the payment', pick, async (_, counter, order) => {
    const answer = fine(
      await buyerOf(counter, order.buyer).call('POST', '/v1/payment', { body: { orderId: order.id } }),
    )
    const isPayable = order.method === 'online' && order.status === 'pending' && !isPaid(order)
    if (!isPayable) oneOf(answer, 409)
    if (answer.status >= 300) return
    startAgain(order, answer.json)
  })

const startAgain = (order: Order, payment: { id: string; redirectUrl: string | null }) => {
  if (!order.payments.some(({ id }) => id === payment.id)) {
    order.payments.push({ id: payment.id, page: payment.redirectUrl ?? '' })
  }
  if (order.payment === 'failed') order.payment = 'pending'
}

export const comeBack = (pick: number) =>
  withOrder('the customer comes back from the payment', pick, async (_, { service }, order) => {
    oneOf(await service.call(`/payment/callback?orderId=${order.id}`), 302, 303)
  })

// Providers

export type Told = 'success' | 'failed' | 'pending' | 'refunded'

const endsOf = (world: Shop, order: Order, told: Told): State[] => {
  if (told === 'success') return [settled(world, order)]
  if (told === 'failed') return [stateOf(order), failed(order)]
  // Another payment of the same order may have been meant.
  if (told === 'refunded') return [refunded(world, order), ...(isPaid(order) ? [stateOf(order)] : [])]
  return [stateOf(order)]
}

/** Named as the sandbox names them, by a name of the provider's own, or not at all. */
export type Named = 'first' | 'last' | 'elsewhere' | 'nothing'

const nameOf = ({ payments, id }: Order, named: Named) => {
  if (named === 'nothing') return null
  if (named === 'elsewhere') return `txn of ${id}`
  return (named === 'first' ? payments[0] : payments.at(-1))?.id ?? null
}

export const tell = (pick: number, told: Told, named: Named, times: number) =>
  withOrder(`the provider tells ${times} times of ${told} (${named})`, pick, async (world, counter, order) => {
    const body = {
      ...{ eventId: `event ${world.count++}`, orderId: order.id, transactionId: nameOf(order, named), status: told },
      ...{ amount: order.total, currency: 'INR', method: 'upi' },
    }
    const ends = endsOf(world, order, told)
    const answers = await Promise.all(Array.from({ length: times }, () => tellPayment(counter, body)))
    for (const answer of answers) oneOf(answer, 200)
    assert.equal(answers.filter(({ json }) => !json.duplicate).length, 1, 'it is heard once')
    world.events.push({ order, body })
    await adopt(counter, order, ...ends)
  })

export const tellAgain = (pick: number) =>
  command(`the provider sends event ${pick} from the end again`, async ({ events }, counter) => {
    const event = events.at(-1 - (pick % Math.max(1, events.length)))
    if (event !== undefined) assert.equal(oneOf(await tellPayment(counter, event.body), 200).json.duplicate, true)
  })

export const tellWrong = (pick: number) =>
  withOrder('the provider tells of success with another amount', pick, async (world, counter, order) => {
    const body = { eventId: `event ${world.count++}`, orderId: order.id, status: 'success', currency: 'INR' }
    oneOf(await tellPayment(counter, { ...body, amount: order.total + 1 }), 409)
  })

export const choose = (pick: number, choice: 'success' | 'failure' | 'later') =>
  withOrder(`the buyer chooses ${choice} on the sandbox page`, pick, async (world, counter, order) => {
    const { id, page } = order.payments.at(-1) ?? { id: '', page: '' }
    if (page === '') return
    const { service, store } = counter
    const { isOpen } = await service.db.one<{ isOpen: boolean }>`
      select p.status = 'open' and p.expires_at > vitrine_now() and s.state in ('open', 'later') as "isOpen"
      from payment p join sandbox_payment s on s.store_id = p.store_id and s.payment_id = p.id
      where p.store_id = ${store.id} and p.id = ${id}`
    const told = { success: 'success', failure: 'failed', later: 'pending' } as const
    const ends = isOpen ? endsOf(world, order, told[choice]) : [stateOf(order)]
    oneOf(await answerSandboxPage(counter, page, choice), 303)
    await adopt(counter, order, ...ends)
  })

// Carriers, operators, time

export const carry = (pick: number, word: CarrierWord, isStale: boolean) =>
  withOrder(`${isStale ? 'old' : 'fresh'} news, ${word},`, pick, async (world, counter, order) => {
    const atMs = nowMs(counter) - (isStale ? days(30) : 0)
    const end = carried(world, order, word, atMs)
    const body = { eventId: `news ${world.count++}`, orderId: order.id, status: word }
    const news = { ...body, occurredAt: new Date(atMs).toISOString() }
    assert.equal(oneOf(await tellDelivery(counter, news), 200).json.duplicate, false)
    assert.equal(oneOf(await tellDelivery(counter, news), 200).json.duplicate, true)
    await adopt(counter, order, end)
  })

export const ship = (pick: number) =>
  withOrder('the store ships a parcel', pick, async (world, { service, store }, order) => {
    const parcel = { trackingNumber: `T${world.count++}`, partner: 'Bluebird', trackingUrl: '', items: [] }
    const sending = service.db.tx((tx) => shipOrder(tx, { store }, order.id, { ...parcel, estimatedDelivery: null }))
    if (order.status === 'cancelled' || order.status === 'refunded') await assert.rejects(sending, DomainError)
    else {
      await sending
      Object.assign(order, shipped(world, order))
    }
  })

export const giveBack = (pick: number) =>
  withOrder('the store gives the money back', pick, async (world, { service }, order) => {
    const giving = refundOrderById(service.app.services, order.id)
    if (isPaid(order)) {
      await giving
      Object.assign(order, refunded(world, order))
    } else await assert.rejects(giving, DomainError)
  })

/** Nothing goes back to stock with an amount. Refused if less is left. */
export const giveBackPart = (pick: number, share: number) =>
  withOrder(`the store gives ${share * 100} % back`, pick, async (world, counter, order) => {
    const amount = Math.round(order.total * share * 100) / 100
    const giving = refundOrderById(counter.service.app.services, order.id, { amount })
    if (!isPaid(order) || order.total === 0) await assert.rejects(giving, DomainError)
    else if (await isRefused(giving)) await adopt(counter, order, stateOf(order))
    else await adopt(counter, order, ...refundedInPart(world, order))
  })

const isRefused = (giving: Promise<unknown>): Promise<boolean> =>
  giving.then(
    () => false,
    (error) => {
      assert.ok(error instanceof DomainError, String(error))
      return true
    },
  )

export const stock = (thing: number, quantity: number) =>
  command(`there are ${quantity} of thing ${thing} to sell`, async ({ things }, counter) => {
    const chosen = things[thing] as Thing
    chosen.units += await stockUp(counter, chosen, quantity)
  })

export const pass = (span: number, areJobsRun: boolean) =>
  command(`${span} minutes pass${areJobsRun ? ' and jobs run' : ''}`, async (world, counter) => {
    counter.service.clock.advance(minutes(span))
    if (areJobsRun) await runDueJobs(world, counter)
  })

/** Runs the jobs: they release units of orders that were not paid in time, and refund duplicate payments. */
export const runDueJobs = async (world: Shop, counter: Counter) => {
  const { service, store } = counter
  const due = await service.db.many<{ orderId: string }>`
    select order_id as "orderId" from refund where store_id = ${store.id} and due_at <= vitrine_now()`
  const mayBeRefunded = new Set(due.map(({ orderId }) => orderId))
  const latest = nowMs(counter) - minutes(reservationMinutes)
  const before = world.orders.map((order) => ({ order, refund: refunded(world, order) }))
  await runJobs(counter)
  // A provider that has just been asked is left alone for a minute.
  counter.service.clock.advance(minutes(2))
  await runJobs(counter)
  for (const { order, refund } of before) {
    const canExpire = isCancellable(order) && order.method === 'online'
    // Each provider has a hold of its own, and a new payment may extend it.
    if (canExpire && order.placedMs <= latest && counter.double === null) Object.assign(order, cancelled(order))
    else if (canExpire) await adopt(counter, order, stateOf(order), cancelled(order))
    else if (mayBeRefunded.has(order.id)) await adopt(counter, order, stateOf(order), refund)
  }
}
