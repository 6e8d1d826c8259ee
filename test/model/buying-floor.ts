import assert from 'node:assert/strict'
import { commandLine } from '../../src/features/audit/record.ts'
import { adjustStock } from '../../src/features/catalog/adjust-stock.ts'
import { address } from '../../src/features/checkout/fixture.ts'
import type { Store } from '../../src/features/context.ts'
import { checkInvariants } from '../../src/features/doctor/invariants.ts'
import { basic } from '../../src/features/payments/fixture.ts'
import { couponDefaults, createCoupon } from '../../src/features/pricing/manage-coupons.ts'
import { newRunner } from '../../src/jobs/fixture.ts'
import type { PaymentDouble } from '../doubles/payment-double.ts'
import { useDouble } from '../doubles/use-double.ts'
import { type Answer, newStore, type TestService, type TestStore } from '../harness.ts'
import { assertOrdersInLedger } from '../ledger.ts'
import { newCustomer } from '../shoppers.ts'
import { type Order, type Shop, type State, soldUnits, type Thing } from './buying-world.ts'

/** The real service: a store with few units and many buyers. Without a double its provider is the sandbox. */
export type Counter = {
  service: TestService
  shop: TestStore
  store: Store
  buyers: Buyer[]
  double: PaymentDouble | null
}
type Buyer = Awaited<ReturnType<typeof newCustomer>>

export const buyerNames = ['Asha', 'Bina'] as const
const goods = [
  { name: 'mug', price: 100, stock: 12, taxRate: 18 },
  { name: 'lamp', price: 250.5, stock: 4, taxRate: 5 },
  { name: 'book', price: 50, stock: 8, digital: { file: 'book.txt' } },
]
/** One runs out, and one leaves nothing to pay. */
export const couponCodes = ['TEN', 'ALL'] as const

export const openCounter = async (
  service: TestService,
  double: PaymentDouble | null = null,
): Promise<{ world: Shop; counter: Counter }> => {
  const shop = await newStore(service)
  await service.db.run`
    update store set cash_on_delivery = true, cod_max_open_orders = null, tax_included = false, shipping_flat_minor = 4000,
      shipping_free_above_minor = 20000
    where public_id = ${shop.storeId}`
  if (double !== null) await useDouble(service, shop, double)
  await shop.add(...goods)
  const store = await shop.load()
  const limits = { customerLimit: 2 }
  await service.db.tx(async (tx) => {
    await createCoupon(tx, store, {
      ...couponDefaults,
      ...limits,
      code: 'TEN',
      kind: 'percent',
      value: 10,
      usageLimit: 3,
    })
    await createCoupon(tx, store, { ...couponDefaults, ...limits, code: 'ALL', kind: 'percent', value: 100 })
  })
  const things: Thing[] = []
  for (const { name, stock } of goods) {
    const { json } = await shop.get(`/v1/products/${name}`)
    things.push({ name, id: json.id, variantId: json.variants[0].id, units: stock })
  }
  const buyers = await Promise.all(buyerNames.map((name) => newCustomer(service, shop, { name })))
  return { world: { things, orders: [], events: [], count: 0 }, counter: { service, shop, store, buyers, double } }
}

// What people, providers and carriers do

/** No answer is a server error. */
export const fine = (answer: Answer) => {
  assert.ok(answer.status < 500, `${answer.status}: ${answer.text}`)
  return answer
}

/** The answer, which must be one of these. */
export const oneOf = (answer: Answer, ...statuses: number[]) => {
  assert.ok(statuses.includes(answer.status), `${answer.status} instead of ${statuses.join(' or ')}: ${answer.text}`)
  return answer
}

export const buyerOf = ({ buyers }: Counter, buyer: number) => buyers[buyer] as Buyer

export type CheckoutWish = { cod: boolean; coupon: string | null; note: string }

export const checkOut = (counter: Counter, buyer: number, { cod, coupon, note }: CheckoutWish, key?: string) =>
  buyerOf(counter, buyer).call('POST', '/v1/checkout', {
    body: {
      ...{ shippingAddress: address, note, paymentMethod: cod ? 'cod' : 'online' },
      ...(coupon === null ? {} : { couponCode: coupon }),
    },
    headers: key === undefined ? {} : { 'idempotency-key': key },
  })

/** A new order, as the model keeps it. */
export const readOrder = (world: Shop, counter: Counter, buyer: number, cartId: string, { json }: Answer): Order => ({
  ...{ id: json.order.id, buyer, cartId, method: json.order.paymentMethod, total: json.order.total },
  status: json.order.status,
  payment: json.order.paymentStatus,
  units: json.order.paymentStatus === 'paid' || json.order.paymentMethod === 'cod' ? 'sold' : 'reserved',
  lines: json.order.items.map(({ variantId, quantity }: { variantId: string; quantity: number }) => ({
    thing: world.things.find((thing) => thing.variantId === variantId) as Thing,
    quantity,
  })),
  lineIds: json.order.items.map(({ id }: { id: string }) => id),
  placedMs: counter.service.clock.now(),
  parcels: [],
  replacedBy: null,
  payments: [{ id: json.payment.id, page: json.payment.redirectUrl ?? '' }],
})

export const tellPayment = ({ service, shop }: Counter, body: Record<string, unknown>) =>
  service.call('/webhook/payment', {
    method: 'POST',
    headers: {
      'x-store-id': shop.storeId,
      authorization: basic(shop.paymentWebhook.username, shop.paymentWebhook.password),
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  })

export const tellDelivery = ({ service, shop }: Counter, body: Record<string, unknown>) =>
  service.call('/webhook/logistics/carrier', {
    method: 'POST',
    headers: { 'x-api-key': shop.logisticsKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

export const answerSandboxPage = ({ service }: Counter, page: string, choice: string) =>
  service.call(new URL(page).pathname, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `choice=${choice}`,
  })

/** How many units this added: an operator sets the number that can be sold, not the difference. */
export const stockUp = ({ service, store }: Counter, { id, variantId }: Thing, quantity: number): Promise<number> =>
  service.db.tx(async (tx) => {
    // In the common lock order, so that nothing is sold between the two statements.
    await tx.run`select from product where store_id = ${store.id} and id = ${id} for update`
    const count = () => tx.one<{ onHand: number }>`
      select on_hand as "onHand" from stock where store_id = ${store.id} and variant_id = ${variantId} for update`
    const before = await count()
    await adjustStock(tx, store, commandLine, { product: id, variantId: null, outletId: null, quantity })
    return (await count()).onHand - before.onHand
  })

export const runJobs = async ({ service }: Counter) => {
  const runner = newRunner(service)
  await runner.runDue()
  assert.deepEqual(runner.failures, [])
}

// What must hold

export const assertBooks = async ({ things, orders }: Shop, { service, store }: Counter) => {
  const outletId = store.defaultOutlet.id
  const findings = await checkInvariants(service.db, {
    storeId: store.id,
    initialStock: things.map(({ variantId, units }) => ({ variantId, outletId, units })),
    acknowledged: orders.map(({ id }) => id),
  })
  assert.deepEqual(
    findings.map(({ sentence }) => sentence),
    [],
  )
  await assertOrdersInLedger(service.db, store.id)
}

export const readStates = async ({ service, store }: Counter) =>
  new Map(
    (
      await service.db.many<State & { id: string }>`
      select id, status, payment_status as payment, stock_state as units from orders where store_id = ${store.id}`
    ).map(({ id, ...state }) => [id, state]),
  )

/** Every order, touched or not, has the state of the model, and there is no other order. */
export const assertStates = async ({ orders }: Shop, counter: Counter) =>
  assert.deepEqual(
    Object.fromEntries(await readStates(counter)),
    Object.fromEntries(orders.map(({ id, status, payment, units }) => [id, { status, payment, units }])),
  )

/** After all due jobs: nothing is reserved, and the sold units are those of the model. */
export const assertEnd = async (world: Shop, counter: Counter) => {
  const { service, store } = counter
  await assertBooks(world, counter)
  const { reserved } = await service.db.one<{ reserved: number }>`
    select sum(reserved) as reserved from stock where store_id = ${store.id}`
  assert.equal(reserved, 0, 'units that are still held')
  for (const thing of world.things) {
    const { left } = await service.db.one<{ left: number }>`
      select on_hand as left from stock where store_id = ${store.id} and variant_id = ${thing.variantId}`
    assert.equal(thing.units - left, soldUnits(world, thing), `${thing.name} that were sold`)
  }
}
