import assert from 'node:assert/strict'
import { callUrl, newStore, type TestService } from '../../../test/harness.ts'
import { putOnHand } from '../../../test/put-on-hand.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { minutes } from '../../core/clock.ts'
import { newId } from '../../core/ids.ts'
import { mustExist } from '../../core/must-exist.ts'
import type { Queries } from '../../db/database.ts'
import { noNames, type PaymentProvider, usualSession } from '../../providers/payment/provider.ts'
import { removeOrderedFromCart } from '../cart/remove-ordered.ts'
import { readBuyer, readGoods } from '../orders/fixture.ts'
import { holdOrder } from '../orders/lock-order.ts'
import { nextOrderNumber } from '../orders/numbers.ts'
import { readOrder } from '../orders/orders.sql.ts'
import { cancelOrder, placeOrder } from '../orders/settle.ts'
import { takeStock } from '../orders/stock.ts'
import { insertPayment } from './payments.sql.ts'
import { startPayment } from './sessions.ts'

export type SceneOptions = { currency?: string; price?: number; stock?: number; provider?: string; origins?: string[] }

/** A shop that sells mugs, a customer, and shortcuts to order, report payments and inspect the results. */
export const openScene = async (service: TestService, options: SceneOptions = {}) => {
  const { currency = 'INR', price = 100, stock = 10, provider = 'sandbox', origins = [] } = options
  const shop = await newStore(service, { currency, origins })
  await shop.add({ name: 'Mug', price, stock })
  const { db } = service
  const { id: storeId } = await shop.load()
  if (provider !== 'sandbox') await db.run`update store set payment_provider = ${provider} where id = ${storeId}`
  const store = await shop.load()
  const asha = await newCustomer(service, shop)
  const ctx = { ...service.app.services, store }
  const { variantId, productId, unitMinor } = await db.one<{ variantId: string; productId: string; unitMinor: number }>`
    select id as "variantId", product_id as "productId", price_minor as "unitMinor" from variant
    where store_id = ${store.id}`

  /** Puts mugs into the customer's cart and writes an order of them as a checkout does. */
  const order = async (wanted: { quantity?: number; method?: 'online' | 'cod'; storefrontUrl?: string } = {}) => {
    const { quantity = 2, method = 'online', storefrontUrl = null } = wanted
    const cart = (await asha.call('POST', '/v1/cart', { body: { productId, quantity } })).json
    const id = newId('ord')
    const payment = newId('pay')
    const isCash = method === 'cod'
    const totalMinor = unitMinor * quantity
    const number = await nextOrderNumber(db, store.id)
    await db.tx(async (tx) => {
      const goods = { orderId: id, outletId: store.defaultOutlet.id, lines: [{ variantId, quantity, name: 'Mug' }] }
      await takeStock(tx, store.id, goods, isCash ? 'sell' : 'reserve')
      await placeOrder(
        tx,
        { store },
        {
          ...{
            id,
            number,
            customerId: asha.id,
            outletId: store.defaultOutlet.id,
            cartId: cart.id,
            cartVersion: cart.version,
          },
          ...{ requestHash: '', status: 'pending', paymentStatus: 'pending', paymentMethod: method, currency },
          ...{
            stockState: isCash ? 'sold' : 'reserved',
            subtotalMinor: totalMinor,
            discountMinor: 0,
            shippingMinor: 0,
          },
          ...{ taxMinor: 0, totalMinor, taxIncluded: true, couponId: null, couponCode: null, storefrontUrl, note: '' },
          ...{ shippingAddress: null, billingAddress: null, expiresInMs: isCash ? null : minutes(30), language: null },
        },
        [
          {
            ...mustExist((await readGoods(tx, store.id, [variantId]))[0], 'the mug'),
            ...{ id: newId('item'), position: 0, quantity, unitMinor, lineTotalMinor: totalMinor },
            ...{ discountMinor: 0, taxMinor: 0, taxRate: 0 },
          },
        ],
        await readBuyer(tx, store.id, asha.id),
        'Order placed.',
      )
      await insertPayment(tx, store.id, {
        ...{ id: payment, orderId: id, provider: isCash ? 'cod' : provider, status: isCash ? 'open' : 'starting' },
        ...{ amountMinor: totalMinor, currency, reference: null, expiresAt: null },
      })
      if (isCash) await removeOrderedFromCart(tx, store.id, cart.id, goods.lines)
    })
    return { id, payment, total: price * quantity }
  }

  type Ordered = Awaited<ReturnType<typeof order>>

  /** An order with an open payment session. */
  const openOrder = async (wanted?: Parameters<typeof order>[0]) => {
    const ordered = await order(wanted)
    const view = await startPayment(ctx, ordered.id)
    return { ...ordered, redirectUrl: view.redirectUrl ?? '' }
  }

  const event = ({ id, payment, total }: Ordered, more: Record<string, unknown> = {}) => ({
    eventId: newId('key'),
    orderId: id,
    transactionId: payment,
    status: 'success',
    amount: total,
    currency,
    method: 'upi',
    last4: '',
    upiId: 'asha@bank',
    reference: 'utr-1',
    occurredAt: new Date().toISOString(),
    ...more,
  })

  const headers = {
    'x-store-id': shop.storeId,
    authorization: basic(shop.paymentWebhook.username, shop.paymentWebhook.password),
    'content-type': 'application/json',
  }

  /** Calls the payment webhook, by default of this service. */
  const send = (body: unknown, more: Record<string, string> = {}, url = service.url) =>
    callUrl(`${url}/webhook/payment`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    })

  const report = async (ordered: Ordered, more: Record<string, unknown> = {}) => {
    const answer = await send(event(ordered, more))
    assert.equal(answer.status, 200, answer.text)
    return answer.json as { received: boolean; duplicate: boolean }
  }

  const look = async (orderId: string) => {
    const found = await readOrder(db, store.id, orderId)
    assert.ok(found)
    return found
  }

  /** Status, payment status, stock state and attention code of an order. */
  const stateOf = async (orderId: string) => {
    const found = await look(orderId)
    return [found.status, found.paymentStatus, found.stockState, found.needsAttention]
  }

  const stockNow = async () => {
    const { onHand, reserved } = await db.one<{ onHand: number; reserved: number }>`
      select on_hand as "onHand", reserved from stock where store_id = ${store.id} and variant_id = ${variantId}`
    return [onHand, reserved]
  }

  const paymentsOf = async (orderId: string) =>
    (
      await db.many<{ status: string }>`
      select status from payment where store_id = ${store.id} and order_id = ${orderId} order by created_at, id`
    ).map(({ status }) => status)

  const inbox = () => db.many<{ eventId: string; source: string; outcome: string; body: { status: string } }>`
    select event_id as "eventId", provider as source, outcome, body from payment_event
    where store_id = ${store.id} order by id`

  return {
    ...{ service, shop, store, asha, ctx, order, openOrder, event, headers, send, report },
    ...{ look, stateOf, stockNow, paymentsOf, inbox },
    cartNow: async () =>
      (await asha.call('GET', '/v1/cart')).json.map(({ quantity }: { quantity: number }) => quantity),
    addToCart: (quantity: number) => asha.call('POST', '/v1/cart', { body: { productId, quantity } }),
    setStock: (onHand: number) => putOnHand(db, store.id, onHand, { variantId }),
    cancel: (orderId: string) =>
      db.tx(async (tx) => {
        const held = await holdOrder(tx, ctx, orderId)
        assert.ok(held)
        await cancelOrder(tx, ctx, held, 'Cancelled by the customer.')
      }),
    timelineOf: async (orderId: string) => (await look(orderId)).timeline.map(({ type }) => type),
    callback: (orderId: string, more = '') => service.call(`/payment/callback?orderId=${orderId}${more}`),
  }
}

export type Scene = Awaited<ReturnType<typeof openScene>>

export const basic = (username: string, password: string) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

/** A provider whose results a test sets, and which records the calls it gets. */
export const scriptedProvider = (name = 'scripted') => {
  const calls: string[] = []
  const does = {
    start: 'open' as 'open' | 'down',
    status: 'open' as 'open' | 'pending' | 'success' | 'failed' | 'refunded' | 'down',
    close: 'closed' as 'closed' | 'paid' | 'in_progress' | 'down',
    refund: 'succeeded' as 'succeeded' | 'pending' | 'failed' | 'down',
  }
  /** Runs while a session is being started, or money is refunded. */
  const meanwhile = { start: async (_paymentId: string) => {}, refund: async () => {} }
  const play = <Action extends keyof typeof does>(action: Action) => {
    calls.push(action)
    const result = does[action]
    if (result === 'down') throw new Error('the provider is down')
    return result as Exclude<(typeof does)[Action], 'down'>
  }
  const provider: PaymentProvider = {
    name,
    credentials: [],
    isForTesting: false,
    ...usualSession,
    takesCustomer: false,
    canRefundPart: true,
    refuseAmount: () => null,
    referenceOf: () => null,
    refundReferenceOf: () => null,
    start: async (_account, { paymentId, expiresAt }) => {
      play('start')
      await meanwhile.start(paymentId)
      return { reference: null, redirectUrl: `https://pay.example/${paymentId}`, expiresAt }
    },
    status: async (_account, { amountMinor, currency }) => ({
      status: play('status'),
      amount: amountMinor / 100,
      currency,
      transaction: null,
      instrument: { method: 'card', last4: '1111', upiId: '', reference: 'asked' },
    }),
    close: async () => play('close'),
    refund: async () => {
      await meanwhile.refund()
      return { status: play('refund'), reference: null, detail: '' }
    },
    check: async () => 'The script has no credentials.',
    webhook: null,
    readReturn: () => noNames,
  }
  return { provider, does, calls, meanwhile }
}

export const permutations = <Item>(items: readonly Item[]): Item[][] =>
  items.length <= 1
    ? [[...items]]
    : items.flatMap((item, i) => permutations(items.toSpliced(i, 1)).map((rest) => [item, ...rest]))

/** URLs that a parser and a browser may resolve to different origins. */
export const hostileUrls = [
  '',
  ' ',
  'null',
  'undefined',
  '*',
  'https://',
  'https:///',
  '//',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/payment',
  'shop.example',
  'evil.example',
  'http://shop.example',
  'https://shop.example/',
  'https://shop.example//evil.example',
  'https://shop.example/..',
  'https://shop.example/path',
  'https://shop.example?next=https://evil.example',
  'https://shop.example?',
  'https://shop.example#',
  'https://shop.example#@evil.example',
  'https://shop.example:443',
  'https://shop.example:8443',
  'https://shop.example:',
  'https://shop.example.',
  'https://SHOP.example',
  'HTTPS://shop.example',
  'https:shop.example',
  'https:/shop.example',
  'https:\\\\shop.example',
  'https://shop.example\\@evil.example',
  'https://shop.example@evil.example',
  'https://shop.example:pw@evil.example',
  'https://user@shop.example',
  'https://user:pw@shop.example',
  'https://@shop.example',
  'https://shop.example.evil.example',
  'https://evil.example/shop.example',
  'https://evil.example?https://shop.example',
  'https://evil.example#https://shop.example',
  'https://evilshop.example',
  'https://shop-example.evil.example',
  'https://sub.shop.example',
  'https://sh%6fp.example',
  'https://shop%2eexample',
  'https://shop.example%00.evil.example',
  'https://shop.example%2f@evil.example',
  'https://shop.example%0d%0aLocation: https://evil.example',
  'https://shop.example\r\nLocation: https://evil.example',
  'https://shop.example\n',
  'https://shop.example\t.evil.example',
  ' https://shop.example',
  'https://shop.example ',
  'https://shop。example',
  'https://ѕhop.example',
  'https://xn--shop-example.evil.example',
  'https://ⓢhop.example',
  'https://shop.example\u0000',
  'https://shop.example\u202e',
  'https://127.0.0.1',
  'https://2130706433',
  'https://[::1]',
  'http://localhost',
  'http://localhost:5173/',
  'http://localhost:05173',
  'http://localhost:51730',
  'javascript:alert(1)',
  'javascript://shop.example/%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'file:///etc/passwd',
  'ftp://shop.example',
  'wss://shop.example',
  'blob:https://shop.example/1',
  'https://shop.example,https://evil.example',
  '__proto__',
  'constructor',
]

/** Whole refunds of all paid payments, due now. */
export const queueRefunds = (db: Queries) => db.run`
  insert into refund (store_id, id, order_id, payment_id, amount_minor, status, due_at, created_at, updated_at)
  select store_id, 'ref' || substr(id, 4), order_id, id, amount_minor, 'pending', vitrine_now(), vitrine_now(), vitrine_now()
  from payment where status = 'paid'
  on conflict do nothing`
