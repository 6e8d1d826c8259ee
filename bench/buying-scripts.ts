import { findSession } from '../src/features/access/access.sql.ts'
import { readCartToOrder } from '../src/features/cart/cart.sql.ts'
import { lockCustomerCart } from '../src/features/cart/for-checkout.sql.ts'
import { takeFromCart } from '../src/features/cart/remove-ordered.sql.ts'
import type { MoveNote } from '../src/features/catalog/stock-ledger.sql.ts'
import { moveStock } from '../src/features/catalog/stock-moves.sql.ts'
import { readCheckoutData } from '../src/features/checkout/checkout.sql.ts'
import { insertEvents } from '../src/features/events/events.sql.ts'
import { insertOrder } from '../src/features/orders/new-order.sql.ts'
import { takeOrderNumber } from '../src/features/orders/numbers.sql.ts'
import {
  lockCartOf,
  lockOrderRow,
  orderSnapshot,
  readLockedOrder,
  writeOrder,
} from '../src/features/orders/orders.sql.ts'
import { claimPaymentEvent, finishEvent } from '../src/features/payments/inbox.sql.ts'
import { insertPayment, lockPayments, openPayment, writePayment } from '../src/features/payments/payments.sql.ts'
import { openSandboxPayment } from '../src/features/payments/sandbox.sql.ts'
import { findWebhookStore } from '../src/features/stores/webhook-credentials.sql.ts'
import { named } from './fill-buyers.ts'
import { connections } from './load.ts'
import { recordStatement, varying } from './pgbench.ts'

/** The store, with the number of its products and of buyers per run. */
export type Shop = {
  store: { id: number; publicId: string; outletId: number; products: number }
  webhookUser: string
  buyersOfRun: number
}

export const address = {
  ...{ name: 'Buyer', phone: '+919876543210', line1: '1 Bench Road', line2: '', landmark: '' },
  ...{ city: 'Pune', state: '', postalCode: '411001', country: 'IN' },
}

export const eventOf = (order: { id: string; payment: string; minor: number }) => ({
  ...{ eventId: `evt-${order.id}`, orderId: order.id, transactionId: order.payment, status: 'success' },
  ...{ amount: order.minor / 100, currency: 'INR', method: 'card', last4: '4242', upiId: '', reference: '' },
  occurredAt: new Date().toISOString(),
})

/** One buyer after another: each client of pgbench has a part of them to itself. */
const nextBuyer = ({ buyersOfRun }: Shop, from: number) => [
  '\\set turn :turn + 1',
  `\\set buyer ${from} + :client_id * ${Math.floor(buyersOfRun / connections)} + :turn - 1`,
]

/** SQL for `hashSecret`. */
const hashOf = (text: string) => `rtrim(translate(encode(sha256(${text}::bytea), 'base64'), '+/', '-_'), '=')`

/** Everything that the service sends for one checkout, statement by statement and commit by commit. */
export const checkoutScript = (shop: Shop, from: number) => {
  const { store } = shop
  const [customerId, cartId, orderId, paymentId] = ['cus', 'cart', 'ord', 'pay'].map((prefix) => varying(named(prefix)))
  /** A product and its only variant have the same number. */
  const idsOf = (prefix: string) =>
    [0, 1].map((k) =>
      varying(`('${prefix}_${store.id}_' || lpad((1 + (:buyer * 7 + ${k} * 131) % ${store.products})::text, 8, '0'))`),
    )
  const [products, variants] = [idsOf('prod'), idsOf('var')]
  const customer = { kind: 'customer', customerId: customerId as string, sessionHash: null } as const
  const amounts = { subtotalMinor: 20_000, discountMinor: 0, shippingMinor: 0, taxMinor: 0, totalMinor: 20_000 }
  const orderLines = variants.map((variantId, position) => ({
    ...{ id: varying(`('item_' || :buyer::text || '_${position}')`), position, variantId, quantity: 1 },
    ...{
      productId: products[position] ?? '',
      name: 'Product',
      variant: '',
      image: '',
      sku: `SKU-${position}`,
      digital: null,
    },
    ...{ unitMinor: 10_000, lineTotalMinor: 10_000, discountMinor: 0, taxMinor: 0, taxRate: 0 },
  }))
  const record = recordStatement
  const place = [
    record((tx) => lockCustomerCart(tx, store.id, customerId as string)),
    record((tx) => readCartToOrder(tx, store.id, customer)),
    record((tx) =>
      readCheckoutData(tx, store.id, {
        ...{ customerId: customerId as string, addressId: null, couponCode: undefined },
      }),
    ),
    record((tx) =>
      moveStock(
        tx,
        store.id,
        store.outletId,
        orderLines,
        { onHand: 0, reserved: 1, mustBeFree: true },
        noteOf(orderId as string),
      ),
    ),
    record((tx) =>
      insertOrder(
        tx,
        store.id,
        {
          ...{ id: orderId as string, number: varying(':order_number') as never },
          ...{ customerId: customerId as string, outletId: store.outletId },
          ...{ cartId: cartId as string, cartVersion: 1, requestHash: '', status: 'pending', paymentStatus: 'pending' },
          ...{ paymentMethod: 'online', stockState: 'reserved', currency: 'INR', taxIncluded: true, ...amounts },
          ...{ couponId: null, couponCode: null, storefrontUrl: null, note: '' },
          ...{ shippingAddress: address, billingAddress: null, expiresInMs: 1_800_000, language: null },
        },
        orderLines,
        { id: customerId as string, name: 'Buyer', email: '', phone: '+919876543210' },
        [{ type: 'placed', message: 'Order placed.' }],
      ),
    ),
    record((tx) =>
      insertPayment(tx, store.id, {
        ...{ id: paymentId as string, orderId: orderId as string, provider: 'sandbox', status: 'starting' },
        ...{ amountMinor: 20_000, currency: 'INR', reference: null, expiresAt: null },
      }),
    ),
    recordEvent(shop, orderId as string, 'order.placed', 1),
  ]
  const session = {
    reference: null,
    redirectUrl: 'http://localhost/sandbox',
    expiresAt: varying("now() + interval '25 minutes'") as never,
  }
  const after = [
    record((tx) => openSandboxPayment(tx, store.id, paymentId as string)),
    record((tx) => openPayment(tx, store.id, paymentId as string, session)),
  ]
  const signedIn = record((tx) => findSession(tx, store.id, varying(hashOf(named('ses')))))
  const numbered = `${record((db) => takeOrderNumber(db, store.id, null))} \\gset order_`
  const statements = ['begin', ...place, 'commit', ...after].map((statement) => `${statement};`)
  return [...nextBuyer(shop, from), `${signedIn};`, numbered, ...statements].join('\n')
}

/** The event of an order, as the service writes it before the commit. */
const noteOf = (orderId: string): MoveNote => ({ cause: 'order', orderId, reason: null, actor: null })

const recordEvent = ({ store }: Shop, orderId: string, type: 'order.placed' | 'order.paid', sequence: number) => {
  const id = varying(`('evt_' || :buyer::text || '_${sequence}')`)
  const events = [{ id, type, subject: orderId, sequence }]
  return recordStatement((tx) => insertEvents(tx, store.id, events, orderSnapshot(store.id, orderId)))
}

/** The same for one settlement. */
export const settlementScript = (shop: Shop, from: number) => {
  const { store } = shop
  const [orderId, cartId, paymentId] = ['ord', 'cart', 'pay'].map((prefix) => varying(named(prefix)))
  const bought = [0, 1].map((k) => ({
    variantId: varying(
      `('var_${store.id}_' || lpad((1 + (:buyer * 7 + ${k} * 131) % ${store.products})::text, 8, '0'))`,
    ),
    quantity: 1,
  }))
  const about = { id: orderId as string, payment: paymentId as string, minor: 20_000 }
  const body = eventOf(about)
  const event = { source: 'payment', eventId: varying(named('evt')), orderId: orderId as string, body }
  const paid = {
    ...{ id: orderId, status: 'paid', paymentStatus: 'paid', stockState: 'sold', needsAttention: null },
    ...{ payment: { method: 'card', last4: '4242', upiId: '', reference: '' }, deliveryStatus: null },
    ...{ deliveryPartner: null, estimatedDelivery: null, deliveredAt: null, trackingUrl: null, expiresAt: null },
  }
  const record = recordStatement
  const admitted = record((tx) => findWebhookStore(tx, store.publicId, shop.webhookUser))
  const claimed = `${record((tx) => claimPaymentEvent(tx, store.id, { ...event, transaction: null }))} \\gset event_`
  const statements = [
    record((tx) => lockCartOf(tx, store.id, orderId as string)),
    record((tx) => lockOrderRow(tx, store.id, orderId as string)),
    record((tx) => readLockedOrder(tx, store.id, orderId as string)),
    record((tx) => lockPayments(tx, store.id, orderId as string)),
    record((tx) => writePayment(tx, store.id, paymentId as string, { status: 'paid' })),
    record((tx) =>
      moveStock(
        tx,
        store.id,
        store.outletId,
        bought,
        { onHand: -1, reserved: -1, mustBeFree: false },
        noteOf(orderId as string),
      ),
    ),
    record((tx) => takeFromCart(tx, store.id, cartId as string, bought)),
    record((tx) => writeOrder(tx, store.id, paid as never, [{ type: 'paid', message: 'Paid by card.' }], 1, 1)),
    recordEvent(shop, orderId as string, 'order.paid', 2),
    record((tx) => finishEvent(tx, store.id, varying(':event_id') as never, 'applied', 'The order is paid.')),
    'commit',
  ]
  const lines = [`${admitted};`, 'begin;', claimed, ...statements.map((statement) => `${statement};`)]
  return [...nextBuyer(shop, from), ...lines].join('\n')
}
