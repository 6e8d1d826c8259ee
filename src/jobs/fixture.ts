import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { makeBeside, runSql } from '../../test/databases.ts'
import { databaseUrl, newStore, type ServiceOptions, startTestService, type TestService } from '../../test/harness.ts'
import { listJobKinds } from '../job-kinds.ts'
import type { JobKind } from './job-kind.ts'
import { createJobRunner } from './runner.ts'

/** A service with its own database, because jobs work on all stores, including those of other tests. */
export const serviceAlone = async (t: TestContext, options: ServiceOptions = {}) => {
  const { url, drop } = await makeBeside(databaseUrl)
  const service = await startTestService({ ...options, databaseUrl: url })
  t.after(async () => {
    await service.close()
    await drop()
  })
  return { service, url }
}

/** A runner for all jobs of a service, as a new instance would have it. */
export const newRunner = ({ app, db, config }: TestService, change: Partial<JobKind<unknown>> = {}) => {
  assert.ok(config.databaseUrl, 'jobs work on all stores, including those of other tests: see serviceAlone')
  const failures: string[] = []
  const runner = createJobRunner({
    kinds: listJobKinds(app.services, db).map((kind) => ({ ...kind, ...change })),
    onFailure: (name, error) => failures.push(`${name}: ${error instanceof Error ? error.message : error}`),
  })
  return { ...runner, failures }
}

/** Fills each table that has a cleanup job with new rows. Every guest has a cart and a wishlist item. */
export const fill = async (service: TestService, rows: number) => {
  const shop = await newStore(service)
  await shop.add({ name: 'Mug', price: 1 })
  const store = await shop.load()
  const { db } = service
  const [{ productId, variantId } = { productId: '', variantId: '' }] = await db.many<Record<string, string>>`
    select v.product_id as "productId", v.id as "variantId" from variant v where v.store_id = ${store.id}`
  await db.run`insert into customer (store_id, id) values (${store.id}, 'cus_1')`
  await db.run`
    insert into session (store_id, token_hash, customer_id, created_at, expires_at)
    select ${store.id}, 's' || n, 'cus_1', vitrine_now(), vitrine_now() + interval '7 days'
    from generate_series(1, ${rows}) n`
  await db.run`
    insert into one_time_code (store_id, phone, attempts_left, expires_at, requested_at, forget_at)
    select ${store.id}, '+' || n, 3, vitrine_now(), '{}', vitrine_now() + interval '1 hour'
    from generate_series(1, ${rows}) n`
  await db.run`
    insert into otp_request (store_id, phone, token_hash, attempts_left, expires_at, forget_at)
    select ${store.id}, '+' || n, 'hash', 3, vitrine_now(), vitrine_now() + interval '5 minutes'
    from generate_series(1, ${rows}) n`
  await db.run`
    insert into sign_in_failure (store_id, email, failed_at, forget_at)
    select ${store.id}, n || '@example.com', '{}', vitrine_now() + interval '15 minutes'
    from generate_series(1, ${rows}) n`
  await db.run`
    insert into mail_token (store_id, token_hash, purpose, customer_id, email, expires_at)
    select ${store.id}, 't' || n, 'password.reset', 'cus_1', 'a@example.com', vitrine_now() + interval '30 minutes'
    from generate_series(1, ${rows}) n`
  await db.run`
    insert into otp_hour (store_id, hour, sent)
    select ${store.id}, vitrine_now() + n * interval '1 microsecond', 1 from generate_series(1, ${rows}) n`
  await db.run`
    insert into kept_answer (store_id, shopper, route, key, body_hash, created_at)
    select ${store.id}, 'cus_1', 'POST /', n::text, '', vitrine_now() from generate_series(1, ${rows}) n`
  await db.run`
    insert into guest (store_id, id, seen_on) select ${store.id}, 'g' || n, vitrine_now()::date
    from generate_series(1, ${rows}) n`
  await db.run`
    insert into cart (store_id, id, guest_id, outlet_id, created_at, updated_at, sweep_on)
    select ${store.id}, 'c' || n, 'g' || n, ${store.defaultOutlet.id}, vitrine_now(), vitrine_now(),
      vitrine_now()::date + 30
    from generate_series(1, ${rows}) n`
  await db.run`
    insert into cart_item (store_id, cart_id, variant_id, id, product_id, quantity, price_minor, added_at)
    select ${store.id}, 'c' || n, ${variantId}, 'l' || n, ${productId}, 1, 100, vitrine_now()
    from generate_series(1, ${rows}) n`
  await db.run`
    insert into wishlist_item (store_id, id, guest_id, product_id, created_at)
    select ${store.id}, 'w' || n, 'g' || n, ${productId}, vitrine_now() from generate_series(1, ${rows}) n`
  await db.run`
    insert into payment_event (store_id, provider, event_id, body, received_at, outcome)
    select ${store.id}, 'payment', n::text, '{}', vitrine_now(), 'applied' from generate_series(1, ${rows}) n`
  await db.run`
    insert into delivery_event (store_id, event_id, body, received_at, outcome)
    select ${store.id}, n::text, '{}', vitrine_now(), 'applied' from generate_series(1, ${rows}) n`
  await db.run`
    insert into mail (store_id, id, message, recipient, state, next_at, created_at, finished_at)
    select ${store.id}, 'm' || n, 'otp.code', 'a@b.example', 'sent', vitrine_now(), vitrine_now(), vitrine_now()
    from generate_series(1, ${rows}) n`
  // That of the new product.
  await db.run`delete from event where store_id = ${store.id}`
  await db.run`
    insert into event (store_id, id, type, subject, sequence, data, created_at)
    select ${store.id}, 'evt_' || n, 'order.paid', 'ord_1', n, '{}', vitrine_now() from generate_series(1, ${rows}) n`
  await db.run`
    insert into webhook_endpoint (store_id, id, url, types, secret, created_at, updated_at)
    values (${store.id}, 'whk_' || ${store.id}::integer, 'http://127.0.0.1:1/', '{}', '', vitrine_now(), vitrine_now())`
  await db.run`
    insert into webhook_delivery (store_id, id, endpoint_id, event_id, state, next_at, created_at, finished_at)
    select ${store.id}, 'dlv_' || n, 'whk_' || ${store.id}::integer, '', 'failed', vitrine_now(), vitrine_now(),
      vitrine_now()
    from generate_series(1, ${rows}) n`
  await db.run`
    insert into webhook_attempt (store_id, delivery_id, at, duration_ms, error, answer)
    select ${store.id}, 'dlv_' || n, vitrine_now(), 1, '', '' from generate_series(1, ${rows}) n`
  return { storeId: store.id, productId, outletId: store.defaultOutlet.id }
}

/** Cleanup jobs and the tables they delete from. */
export const cleanupTables = {
  'otp-code-cleanup': 'one_time_code',
  'otp-request-cleanup': 'otp_request',
  'sign-in-failure-cleanup': 'sign_in_failure',
  'mail-token-cleanup': 'mail_token',
  'otp-count-cleanup': 'otp_hour',
  'session-cleanup': 'session',
  'idempotency-key-cleanup': 'kept_answer',
  'guest-cart-cleanup': 'cart',
  'guest-wishlist-cleanup': 'wishlist_item',
  'guest-cleanup': 'guest',
  'payment-event-cleanup': 'payment_event',
  'delivery-event-cleanup': 'delivery_event',
  'mail-cleanup': 'mail',
  'webhook-attempt-cleanup': 'webhook_attempt',
  'webhook-delivery-cleanup': 'webhook_delivery',
  'event-cleanup': 'event',
} as const

export const tables = [
  'one_time_code',
  'otp_request',
  'sign_in_failure',
  'mail_token',
  'otp_hour',
  'session',
  'kept_answer',
  'cart',
  'cart_item',
  'wishlist_item',
  'guest',
  'payment_event',
  'delivery_event',
  'mail',
  'webhook_attempt',
  'webhook_delivery',
  'event',
] as const

/** Rows in each of these tables. */
export const countAll = async (url: string): Promise<Record<string, number>> => {
  const counts = tables.map((table) => `(select count(*)::integer from ${table}) as ${table}`)
  return (await runSql(url, `select ${counts.join(', ')}`))[0]
}
