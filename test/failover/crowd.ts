import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { DomainError } from '../../src/core/domain-errors.ts'
import { Failure } from '../../src/core/errors.ts'
import { newId } from '../../src/core/ids.ts'
import { openShop } from '../../src/features/checkout/fixture.ts'
import { examineInvariants } from '../../src/features/doctor/doctor.ts'
import { basic } from '../../src/features/payments/fixture.ts'
import { refundOrderById } from '../../src/features/payments/refunds.ts'
import { type Answer, newStore, type TestService } from '../harness.ts'
import { putOnHand } from '../put-on-hand.ts'

/** What the service has said to have done. */
type Acknowledged = { orders: Set<string>; payments: Set<string>; refunds: Set<string> }

/** Numbers between 0 and 1 that a seed repeats. */
export const randomFrom = (seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Customers who order, pay and take back without a pause, and repeat what was refused with 503. */
export const openCrowd = async (service: TestService, { buyers, seed }: { buyers: number; seed: number }) => {
  const random = randomFrom(seed)
  const scene = await openShop(service)
  const { shop, mug } = scene
  const { id: storeId } = await shop.load()
  await putOnHand(service.db, storeId, 1_000_000, { productId: mug })
  const customers: Awaited<ReturnType<typeof scene.newBuyer>>[] = []
  for (let i = 0; i < buyers; i++) customers.push(await scene.newBuyer())
  const done: Acknowledged = { orders: new Set(), payments: new Set(), refunds: new Set() }
  const figures = { calls: 0, refused: 0, slowestMs: 0 }
  let isOpen = false
  let lastDoneAt = 0
  const failures: unknown[] = []

  /** Repeats a call until it is not refused. Null: refused, and the crowd goes home. */
  const insist = async <Result>(call: () => Promise<Result | 'refused'>): Promise<Result | null> => {
    for (;;) {
      const startedAt = performance.now()
      const result = await call()
      const tookMs = performance.now() - startedAt
      figures.calls++
      figures.slowestMs = Math.max(figures.slowestMs, tookMs)
      if (result !== 'refused') {
        lastDoneAt = performance.now()
        return result
      }
      figures.refused++
      if (!isOpen) return null
      await sleep(100)
    }
  }
  const insistOn = (call: () => Promise<Answer>) =>
    insist(async () => {
      const answer = await call()
      if (answer.status !== 503) return answer
      assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
      return 'refused'
    })

  const buy = async (customer: (typeof customers)[number]) => {
    const filled = await insistOn(() =>
      customer.call('POST', '/v1/cart', { body: { items: [{ productId: mug, quantity: 1 }] } }),
    )
    if (filled === null) return
    assert.ok(filled.status < 300, filled.text)
    const once = { 'idempotency-key': newId('key') }
    const placed = await insistOn(() => customer.checkOut({}, once))
    if (placed === null) return
    assert.equal(placed.status, 201, placed.text)
    const { order, payment } = placed.json
    done.orders.add(order.id)
    const event = {
      ...{ eventId: newId('key'), orderId: order.id, transactionId: payment.id, status: 'success' },
      ...{ amount: order.total, currency: order.currency },
    }
    const paid = await insistOn(() => reportPayment(event))
    if (paid === null) return
    assert.equal(paid.status, 200, paid.text)
    done.payments.add(order.id)
    if (random() < 1 / 3) await refund(order.id)
  }
  const reportPayment = (event: object) =>
    service.call('/webhook/payment', {
      method: 'POST',
      headers: {
        'x-store-id': shop.storeId,
        authorization: basic(shop.paymentWebhook.username, shop.paymentWebhook.password),
        'content-type': 'application/json',
      },
      body: JSON.stringify(event),
    })
  const refund = async (orderId: string) => {
    const refunded = await insist(async () => {
      try {
        return await refundOrderById(service.app.services, orderId)
      } catch (error) {
        // Done by an attempt whose answer was lost.
        if (error instanceof DomainError && error.code === 'NOTHING_TO_REFUND') return null
        if (error instanceof Failure && error.code === 'SERVICE_UNAVAILABLE') return 'refused'
        throw error
      }
    })
    if (refunded?.refundId) done.refunds.add(refunded.refundId)
  }

  let shopping: Promise<unknown> = Promise.resolve()
  return {
    done,
    figures,
    failures,
    /** When a call has last succeeded (`performance.now()`). */
    lastDoneAt: () => lastDoneAt,
    start: () => {
      isOpen = true
      const shopAround = async (customer: (typeof customers)[number]) => {
        while (isOpen) await buy(customer)
      }
      shopping = Promise.all(customers.map((customer) => shopAround(customer).catch((error) => failures.push(error))))
    },
    /** Ends the crowd of a test that has failed. */
    leave: async () => {
      isOpen = false
      await shopping
    },
    stop: async () => {
      isOpen = false
      await shopping
      assert.deepEqual(failures, [])
    },
    /** Everything acknowledged is there, and the data agree with each other. */
    check: async () => {
      const { db } = service
      const ids = async (rows: Promise<{ id: string }[]>) => new Set((await rows).map(({ id }) => id))
      const orders = await ids(db.many`select id from orders where store_id = ${storeId}`)
      const paid = await ids(
        db.many`select id from orders where store_id = ${storeId} and payment_status in ('paid', 'refunded')`,
      )
      const refunds = await ids(db.many`select id from refund where store_id = ${storeId}`)
      const missing = {
        orders: [...done.orders.difference(orders)],
        payments: [...done.payments.difference(paid)],
        refunds: [...done.refunds.difference(refunds)],
      }
      assert.deepEqual(missing, { orders: [], payments: [], refunds: [] })
      const { findings } = await examineInvariants(db)
      assert.deepEqual(findings, [])
    },
    /** A change that is announced to all instances. */
    change: async () => {
      const other = await newStore(service)
      await other.add({ name: 'Jug', price: 1 })
    },
  }
}
