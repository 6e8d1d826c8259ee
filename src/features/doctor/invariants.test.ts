import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestService, type TestService } from '../../../test/harness.ts'
import { assertBooks, openCounter, tellDelivery, tellPayment } from '../../../test/model/buying-floor.ts'
import { makeDatabase } from '../../../test/model/database.ts'
import type { Tx } from '../../db/database.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import { address } from '../checkout/fixture.ts'
import { checkInvariants, type InvariantOptions, rules } from './invariants.ts'

let service: TestService
let drop: () => Promise<unknown>
before(async () => {
  const database = await makeDatabase()
  service = await startTestService({ databaseUrl: database.url })
  drop = database.drop
})
after(async () => {
  await service.close()
  await drop()
})

/** A shop with an order in each state: open, paid, cancelled, replaced, delivered. */
const openOrders = async () => {
  const { world, counter } = await openCounter(service)
  const [mug, lamp, book] = world.things.map(({ id }) => id) as [string, string, string]
  const buy = async (buyer: number, things: string[], more: Record<string, unknown> = {}) => {
    const asha = counter.buyers[buyer] as (typeof counter.buyers)[number]
    await asha.call('POST', '/v1/cart', { body: { items: things.map((productId) => ({ productId })) } })
    const headers = { 'idempotency-key': `key-${world.count++}` }
    const { status, json } = await asha.call('POST', '/v1/checkout', {
      ...{ headers, body: { shippingAddress: address, ...more } },
    })
    assert.equal(status, 201, JSON.stringify(json))
    return json.order as { id: string; total: number }
  }
  const pay = async ({ id, total }: { id: string; total: number }) => {
    const body = { eventId: `paid ${id}`, orderId: id, status: 'success', amount: total, currency: 'INR' }
    assert.equal((await tellPayment(counter, body)).status, 200)
  }
  const cancelled = await buy(0, [mug], { couponCode: 'TEN' })
  const ended = await counter.buyers[0]?.call('POST', `/v1/customer/orders/${cancelled.id}/cancel`)
  assert.equal(ended?.status, 200)
  const cash = await buy(1, [lamp], { paymentMethod: 'cod' })
  const event = { eventId: `delivered ${cash.id}`, orderId: cash.id, status: 'delivered' }
  assert.equal((await tellDelivery(counter, event)).status, 200)
  const paid = await buy(1, [book], { couponCode: 'TEN' })
  await pay(paid)
  const replaced = await buy(0, [book])
  const open = await buy(0, [mug], { couponCode: 'TEN' })
  await assertBooks(world, counter)
  const ids = { cancelled: cancelled.id, cash: cash.id, paid: paid.id, replaced: replaced.id, open: open.id }
  const stock = world.things.map(({ variantId, units }) => ({
    ...{ variantId, units, outletId: counter.store.defaultOutlet.id },
  }))
  return { ...ids, store: counter.store, customerId: counter.buyers[0]?.id as string, initialStock: stock }
}

type Orders = Awaited<ReturnType<typeof openOrders>>

/** Subtracted without a time zone: with one it depends on settings of the session, which a cluster refuses in a write. */
const twoDaysEarlier = sql`(updated_at at time zone 'UTC' - interval '2 days') at time zone 'UTC'`

class Undo extends Error {}

/** Makes a change, returns the rules that it breaks, and rolls it back. */
const breaksBy = async (change: (tx: Tx) => Promise<unknown>, options: InvariantOptions = {}) => {
  let broken: string[] = []
  await assert.rejects(
    service.db.tx(async (tx) => {
      await change(tx)
      const findings = await checkInvariants(tx, options)
      for (const { sentence } of findings) assert.match(sentence, /^[A-Z].*\.$/)
      broken = [...new Set(findings.map(({ rule }) => rule))]
      throw new Undo()
    }),
    Undo,
  )
  return broken
}

/** A refund that the order does not know. */
type AddedRefund = { amount: Fragment; status: string; due: Fragment }

const addRefundOf = (tx: Tx, orderId: string, { amount, status, due }: AddedRefund) => tx.run`
  insert into refund (store_id, id, order_id, payment_id, amount_minor, status, due_at, created_at, updated_at)
  select store_id, 'ref_' || id, order_id, id, ${amount}, ${status}, ${due}, vitrine_now(), vitrine_now()
  from payment where order_id = ${orderId} and status = 'paid'`

/** Read by itself, because the rows of another store may be on another server than those that a change writes. */
const readOpen = (tx: Tx, { open, store }: Orders) => tx.one<{
  variantId: string
  cartId: string
  couponId: string
  paymentId: string
}>`
  select min(l.variant_id) as "variantId", o.cart_id as "cartId", o.coupon_id as "couponId", p.id as "paymentId"
  from orders o
  join order_line l on l.store_id = o.store_id and l.order_id = o.id
  join payment p on p.store_id = o.store_id and p.order_id = o.id
  where o.store_id = ${store.id} and o.id = ${open}
  group by o.cart_id, o.coupon_id, p.id`

/** Changes that break each rule. */
const violations = (mine: Orders, other: Orders): Record<keyof typeof rules, ((tx: Tx) => Promise<unknown>)[]> => {
  const { id: store } = mine.store
  return {
    'reserved units belong to open orders': [
      (tx) => tx.run`update stock set reserved = reserved + 1 where store_id = ${store} and on_hand > reserved`,
      (tx) => tx.run`update stock set reserved = 0 where store_id = ${store}`,
      (tx) => tx.run`update order_line set quantity = 2 where store_id = ${store} and order_id = ${mine.open}`,
    ],
    'stock is never negative': [
      async (tx) => {
        // For a distributed database; another takes any setting with a dot.
        await tx.run`set local citus.multi_shard_modify_mode = 'sequential'`
        await tx.run`alter table stock drop constraint stock_on_hand_check, drop constraint stock_check`
        await tx.run`update stock set on_hand = -1 where store_id = ${store}`
      },
    ],
    'stock states match the order status': [
      (tx) => tx.run`update orders set stock_state = 'released' where id = ${mine.paid}`,
      (tx) => tx.run`update orders set stock_state = 'reserved' where id = ${mine.paid}`,
      (tx) => tx.run`update orders set stock_state = 'sold' where id = ${mine.open}`,
      (tx) => tx.run`update orders set stock_state = 'sold' where id = ${mine.cancelled}`,
      (tx) => tx.run`update orders set stock_state = 'released' where id = ${mine.open}`,
    ],
    'only orders with reserved units expire': [
      (tx) => tx.run`update orders set expires_at = null where id = ${mine.open}`,
      (tx) => tx.run`update orders set expires_at = vitrine_now() where id = ${mine.paid}`,
    ],
    'statuses follow from the timeline': [
      (tx) => tx.run`delete from order_event where order_id = ${mine.open}`,
      (tx) => tx.run`update orders set status = 'pending' where id = ${mine.paid}`,
      (tx) => tx.run`update orders set payment_status = 'failed' where id = ${mine.open}`,
      (tx) => tx.run`update orders set status = 'out_for_delivery' where id = ${mine.cash}`,
      ...['placed', 'paid', 'cancelled', 'payment_failed'].map(
        (type) => (tx: Tx) =>
          tx.run`
          insert into order_event (store_id, order_id, at, type, message)
          values (${store}, ${mine.paid}, vitrine_now(), ${type}, '')`,
      ),
    ],
    'coupon uses match the orders': [
      (tx) => tx.run`update coupon set used = used + 1 where store_id = ${store} and code = 'TEN'`,
      (tx) => tx.run`update orders set coupon_id = null where id = ${mine.paid}`,
    ],
    'coupon uses of customers match their orders': [
      (tx) => tx.run`update coupon_use set uses = uses + 1 where store_id = ${store}`,
      (tx) => tx.run`delete from coupon_use where store_id = ${store}`,
    ],
    'customers with orders are listed as such': [
      (tx) => tx.run`update customer set has_orders = not has_orders where store_id = ${store}`,
      (tx) => tx.run`insert into customer (store_id, id, has_orders) values (${store}, 'cus_new', true)`,
    ],
    'orders with something left to ship are listed as such': [
      (tx) => tx.run`update orders set to_ship = true where id = ${mine.open}`,
      (tx) => tx.run`update orders set to_ship = true where id = ${mine.cash}`,
      (tx) => tx.run`update orders set to_ship = true where id = ${mine.paid}`,
      (tx) => tx.run`update order_line set digital = null where store_id = ${store} and order_id = ${mine.paid}`,
    ],
    'only paid files can be downloaded': [
      (tx) => tx.run`update order_line set digital = null where order_id = ${mine.paid}`,
      (tx) => tx.run`update orders set payment_status = 'pending' where id = ${mine.paid}`,
      (tx) => tx.run`update download set customer_id = ${mine.customerId} where order_id = ${mine.paid}`,
      (tx) => tx.run`update download set used = most_uses + 1 where order_id = ${mine.paid}`,
    ],
    'paid files can be downloaded': [(tx) => tx.run`delete from download where order_id = ${mine.paid}`],
    'order totals add up': [
      (tx) => tx.run`update orders set total_minor = total_minor + 1 where id = ${mine.paid}`,
      (tx) => tx.run`update orders set tax_included = true where id = ${mine.open}`,
    ],
    'order lines add up': [
      (tx) => tx.run`update order_line set quantity = quantity + 1 where order_id = ${mine.paid}`,
      (tx) => tx.run`update order_line set tax_minor = tax_minor + 1 where order_id = ${mine.paid}`,
      (tx) => tx.run`delete from order_line where order_id = ${mine.open}`,
    ],
    'payments have the amount of their order': [
      (tx) => tx.run`update payment set amount_minor = amount_minor - 1 where order_id = ${mine.paid}`,
      (tx) => tx.run`update payment set currency = 'USD' where order_id = ${mine.paid}`,
    ],
    'exactly the paid orders have a settled payment': [
      (tx) => tx.run`update payment set status = 'closed' where order_id = ${mine.paid}`,
      (tx) => tx.run`update payment set status = 'paid' where order_id = ${mine.open}`,
      (tx) => tx.run`update payment set status = 'refunded' where order_id = ${mine.open}`,
      (tx) => tx.run`update orders set payment_status = 'refunded' where id = ${mine.paid}`,
      (tx) => tx.run`delete from payment where order_id = ${mine.open}`,
      (tx) => tx.run`update payment set order_id = ${mine.paid}, status = 'paid' where order_id = ${mine.cancelled}`,
    ],
    'ended orders have no open payment': [
      (tx) => tx.run`update payment set status = 'open' where order_id = ${mine.cash}`,
      async (tx) => {
        await tx.run`update orders set updated_at = ${twoDaysEarlier} where id = ${mine.cancelled}`
        await tx.run`
          update payment set status = 'open', updated_at = ${twoDaysEarlier} where order_id = ${mine.cancelled}`
      },
    ],
    'an order and its replacement are not both paid': [
      (tx) => tx.run`update orders set replaced_by = ${mine.cash} where id = ${mine.paid}`,
    ],
    'refunds never exceed their payment': [
      (tx) => addRefundOf(tx, mine.paid, { amount: sql`amount_minor + 1`, status: 'pending', due: sql`vitrine_now()` }),
      (tx) => addRefundOf(tx, mine.paid, { amount: sql`1`, status: 'pending', due: sql`null` }),
      (tx) => addRefundOf(tx, mine.paid, { amount: sql`1`, status: 'succeeded', due: sql`vitrine_now()` }),
      (tx) => addRefundOf(tx, mine.paid, { amount: sql`1`, status: 'succeeded', due: sql`null` }),
      (tx) => addRefundOf(tx, mine.paid, { amount: sql`amount_minor`, status: 'succeeded', due: sql`null` }),
    ],
    'refunded units belong to refunds': [
      (tx) => tx.run`update order_line set refunded = 1 where order_id = ${mine.paid}`,
    ],
    'sales in reports match the orders': [
      (tx) => tx.run`delete from sale_entry where order_id = ${mine.paid}`,
      (tx) => tx.run`update sale_entry set refunds_minor = 1 where order_id = ${mine.cash}`,
      (tx) => tx.run`
        insert into sale_entry (store_id, order_id, orders, at) values (${store}, ${mine.open}, 1, vitrine_now())`,
      (tx) => tx.run`
        insert into sales_quarter_hour values (${store}, '2026-01-01T00:00:00Z', 0, 0, 0, 1, 0, 0, 0)`,
    ],
    'sales of products, outlets, coupons and taxes match the orders': [
      (tx) => tx.run`delete from sale_entry where order_id = ${mine.paid}`,
      (tx) => tx.run`
        update sale_entry set refunded_units = (
          select jsonb_build_array(jsonb_build_object('id', id, 'refunded', 1)) from order_line
          where store_id = ${store} and order_id = ${mine.paid} limit 1)
        where store_id = ${store} and order_id = ${mine.paid}`,
      (tx) => tx.run`
        insert into sales_part values (${store}, 'tax', 'day', '2026-01-01', '5.000', 0, 0, 0, 0, 0, 1, 0, 0, 0)`,
    ],
    'refunded tax in reports matches the refunds': [
      async (tx) => {
        await addRefundOf(tx, mine.paid, { amount: sql`1`, status: 'pending', due: sql`vitrine_now()` })
        await tx.run`
          update refund set taxes = '[{"rate": 5, "baseMinor": 1, "taxMinor": 0}]' where order_id = ${mine.paid}`
      },
      (tx) => tx.run`
        insert into sales_part values (${store}, 'tax_refund', 'day', '2026-01-01', '5.000', 0, 0, 0, 0, 0, 1, 0, 1, 0)`,
      (tx) => tx.run`
        update sale_entry set refunded_taxes = '[{"at": "2026-01-01T00:00:00Z", "sign": 1, "taxes": [
          {"rate": 18, "baseMinor": 0, "taxMinor": 1}]}]' where order_id = ${mine.paid}`,
    ],
    'refunds return the tax of their order': [
      (tx) => addRefundOf(tx, mine.cash, { amount: sql`amount_minor`, status: 'succeeded', due: sql`null` }),
      async (tx) => {
        await addRefundOf(tx, mine.paid, { amount: sql`1`, status: 'pending', due: sql`vitrine_now()` })
        await tx.run`
          update refund set taxes = '[{"rate": 99, "baseMinor": 0, "taxMinor": 1}]' where order_id = ${mine.paid}`
      },
    ],
    'the numbers of invoices have no gap': [
      (tx) => tx.run`
        insert into invoice_series (store_id, kind, series, last_number) values (${mine.store.id}, 'invoice', '26-27', 1)`,
    ],
    'order lines have variants of their store': [
      async (tx) => {
        const { variantId } = await readOpen(tx, other)
        await tx.run`update order_line set variant_id = ${variantId} where order_id = ${mine.open}`
      },
    ],
    'orders refer to rows of their store': [
      async (tx) => {
        const { cartId } = await readOpen(tx, other)
        await tx.run`update orders set cart_id = ${cartId} where id = ${mine.open}`
      },
      async (tx) => {
        const { couponId } = await readOpen(tx, other)
        await tx.run`update orders set coupon_id = ${couponId} where id = ${mine.open}`
      },
      (tx) => tx.run`update orders set replaced_by = ${other.open} where id = ${mine.open}`,
    ],
    'order numbers are unique': [(tx) => tx.run`update orders set number = number + 1000000 where id = ${mine.open}`],
    'payment events refer to orders of their store': [
      (tx) => tx.run`update payment_event set order_id = ${other.paid} where store_id = ${store}`,
    ],
    'delivery events refer to orders of their store': [
      (tx) => tx.run`update delivery_event set order_id = ${other.cash} where store_id = ${store}`,
      (tx) => tx.run`update delivery_event set shipment_id = 'ship_none' where store_id = ${store}`,
    ],
    'sandbox payments belong to their store': [
      async (tx) => {
        const [{ paymentId }, { paymentId: otherId }] = [await readOpen(tx, mine), await readOpen(tx, other)]
        await tx.run`
          update sandbox_payment set payment_id = ${otherId} where store_id = ${store} and payment_id = ${paymentId}`
      },
    ],
    'stored answers belong to customers of their store': [
      (tx) => tx.run`
        update kept_answer set shopper = ${other.customerId} where store_id = ${store} and shopper = ${mine.customerId}`,
    ],
    'every acknowledged order exists': [
      (tx) => tx.run`
        update kept_answer set answer = '{"body": {"order": {"id": "ord_none"}}}'
        where store_id = ${store} and route = 'checkOut'`,
      (tx) => tx.run`
        update kept_answer set answer = '{"orderId": "ord_none"}' where store_id = ${store} and route = 'checkOut'`,
    ],
    'cart items have the product of their variant': [
      (tx) => tx.run`
        update cart_item i set product_id = (
          select p.id from product p where p.store_id = ${store} and p.id <> i.product_id limit 1)
        where i.store_id = ${store}`,
    ],
    'stock has the product of its variant': [
      (tx) => tx.run`
        update stock s set product_id = (
          select p.id from product p where p.store_id = ${store} and p.id <> s.product_id limit 1)
        where s.store_id = ${store}`,
    ],
    'the ledger adds up to the stock': [
      (tx) => tx.run`update stock set on_hand = on_hand + 1 where store_id = ${store}`,
      (tx) => tx.run`delete from stock_move where store_id = ${store} and order_id = ${mine.open}`,
      (tx) => tx.run`delete from stock_move where store_id = ${store}`,
      (tx) => tx.run`update stock_move set reserved = 0 where store_id = ${store} and order_id = ${mine.open}`,
      (tx) => tx.run`update stock_move set on_hand_after = on_hand_after + 1 where store_id = ${store}`,
      (tx) => tx.run`update stock_move set variant_id = 'var_none' where store_id = ${store}`,
    ],
    'stock has the threshold of its variant or store': [
      (tx) => tx.run`update stock set low_at = 77 where store_id = ${store}`,
      (tx) => tx.run`update variant set low_stock_threshold = 77 where store_id = ${store}`,
    ],
  }
}

test('every rule finds its violations, in its own store only, and none in valid data', async () => {
  const [mine, other] = [await openOrders(), await openOrders()]
  assert.deepEqual(await checkInvariants(service.db), [])
  const known = violations(mine, other)
  assert.deepEqual(Object.keys(known), Object.keys(rules), 'each rule has its violations')
  for (const [rule, changes] of Object.entries(known)) {
    for (const [i, change] of changes.entries()) {
      const broken = await breaksBy(change, { storeId: mine.store.id })
      assert.ok(broken.includes(rule), `violation ${i} of "${rule}" is not found, but ${JSON.stringify(broken)}`)
      if (i === 0) assert.deepEqual(await breaksBy(change, { storeId: other.store.id }), [], `a violation of "${rule}"`)
    }
  }
})

test('lost units and lost acknowledged orders are found', async () => {
  const { store, initialStock, paid, open } = await openOrders()
  const lost = 'no unit is lost'
  const unbalanced = 'the ledger adds up to the stock'
  const less = (tx: Tx) => tx.run`update stock set on_hand = on_hand - 1 where store_id = ${store.id}`
  assert.deepEqual(await breaksBy(less, { initialStock }), [unbalanced, lost])
  assert.deepEqual(await breaksBy(async () => {}, { initialStock: [{ ...initialStock[0], units: 1_000 } as never] }), [
    lost,
  ])
  assert.deepEqual(await checkInvariants(service.db, { initialStock, acknowledged: [paid, open] }), [])
  const [finding, ...more] = await checkInvariants(service.db, { acknowledged: [paid, 'ord_none'] })
  assert.deepEqual(more, [])
  assert.equal(finding?.sentence, 'Order ord_none was acknowledged, but does not exist.')
})

test('at most twenty violations of a rule are reported', async () => {
  const { store, open } = await openOrders()
  await assert.rejects(
    service.db.tx(async (tx) => {
      await tx.run`
        insert into sandbox_payment (store_id, payment_id, state, updated_at)
        select ${store.id}, ${open} || n, 'open', vitrine_now() from generate_series(1, 50) n`
      assert.equal((await checkInvariants(tx)).length, 20)
      throw new Undo()
    }),
    Undo,
  )
})
