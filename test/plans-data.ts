import { runSql } from './databases.ts'
import { balanceLedgers } from './put-on-hand.ts'

/** Most codes of a store are for single customers, and not listed. */
const addCoupons = `
  insert into coupon (store_id, id, code, kind, value, listed)
  select s.id, 'cpn_' || s.id || '_' || n, 'CODE' || n, 'percent', 10000, n % 100 = 0
  from store s, generate_series(1, 100) n`

/** The words of few stores are yet to be counted. */
const addCounts = `
  insert into search_count (store_id, due_at, products)
  select s.id, case s.id % 50 when 1 then now() - interval '1 minute' end, 50 from store s on conflict do nothing;
  insert into search_common (store_id, word, products, named)
  select s.id, 'w' || n || '*', 2000, 200 from store s, generate_series(1, 100) n on conflict do nothing`

/** Every order is paid and sent; one of a hundred is to ship, expired, flagged, waits for its provider, has a refund due, has a
 * mail to send, a return to answer or is tracked. */
const addPayments = `
  insert into payment (store_id, id, order_id, transaction_ref, provider, status, amount_minor, currency, created_at, updated_at)
  select store_id, 'pay_' || id, id, 'pi_' || id, 'sandbox', case number % 100 when 1 then 'open' else 'paid' end, 1, 'EUR',
    now() - interval '1 day', now() from orders;
  insert into refund (store_id, id, order_id, payment_id, amount_minor, status, due_at, created_at, updated_at)
  select store_id, 'ref_' || id, id, 'pay_' || id, 1, case number % 100 when 2 then 'pending' else 'succeeded' end,
    case number % 100 when 2 then now() - interval '1 hour' end, now(), now() from orders where number % 10 = 2;
  insert into payment_event (store_id, provider, event_id, order_id, transaction_ref, body, received_at, outcome)
  select store_id, 'stripe', 'evt_' || id, case number % 100 when 6 then null else id end,
    case number % 100 when 6 then 'pi_' || id end, '{}', now() - interval '1 hour',
    case number % 100 when 6 then 'unknown_order' when 7 then 'mismatch' else 'applied' end from orders;
  insert into delivery_event (store_id, event_id, order_id, body, received_at, outcome)
  select store_id, 'evt_' || id, case number % 100 when 6 then null else id end, '{}', now() - interval '1 hour',
    case number % 100 when 6 then 'unmatched' else 'applied' end from orders;
  insert into erasure (store_id, customer_id, due_at, requested_at)
  select store_id, id, now() - interval '1 minute', now() from customer;
  insert into sale_entry (store_id, order_id, orders, at) select store_id, id, 1, now() from orders;
  update orders set to_ship = true where number % 100 = 0;
  update orders set needs_attention = 'DISPUTE' where number % 100 = 5;
  update orders set expires_at = now() - interval '1 hour' where number % 100 = 3;
  insert into shipment (store_id, order_id, id, tracking_number, partner, status, carrier, track_due_at, created_at, updated_at)
  select store_id, id, 'ship_' || id, 'T' || number, 'Bluebird', 'booked', 'shiprocket',
    case number % 100 when 4 then now() - interval '1 hour' end, now(), now() from orders;
  insert into order_return (store_id, id, order_id, status, items, by_customer, created_at, updated_at)
  select store_id, 'ret_' || id, id, case number % 100 when 9 then 'requested' else 'refunded' end, '[]', true, now(), now()
  from orders where number % 10 = 9;
  insert into mail (store_id, id, message, state, next_at, created_at, finished_at)
  select store_id, 'mail_' || id, 'order.paid', case number % 100 when 8 then 'waiting' else 'sent' end,
    now() - interval '1 hour', now(), case number % 100 when 8 then null else now() end from orders`

const addJobs = `
  insert into merchant_job (store_id, id, type, status, total, author, input, finished_at)
  select id, 'job_' || n, 'products.bulk', case when n % 100 = 0 then 'queued' else 'done' end, 1, '{}', '{}',
    case when n % 100 = 0 then null else now() end
  from (select id from store order by id limit 20) s, generate_series(1, 500) n`

/** Most links are never used. */
const addMailTokens = `
  insert into mail_token (store_id, token_hash, purpose, customer_id, email, expires_at)
  select store_id, 'hash_' || id || '-' || n, case n when 1 then 'password.reset' else 'email.verify' end, id, 'a@example.com',
    now() + interval '1 hour'
  from customer, generate_series(1, 2) n`

/**
 * Every order has twenty events with a delivery each. One of five deliveries waits, half of them for a later attempt. A
 * store has three endpoints, and those of one store are off.
 */
const addWebhooks = `
  insert into webhook_endpoint (store_id, id, url, types, secret, disabled_at, disabled_reason, created_at, updated_at)
  select id, 'whk_' || id || '_' || n, 'http://127.0.0.1:1/', '{order.*}', '', case id when 3 then now() end,
    case id when 3 then 'gone' end, now(), now() from store, generate_series(0, 2) n;
  insert into event (store_id, id, type, subject, sequence, data, created_at)
  select store_id, 'evt_' || id || '-' || n, 'order.paid', id, n, '{}', now() - interval '1 day'
  from orders, generate_series(1, 20) n;
  insert into webhook_delivery (store_id, id, endpoint_id, event_id, state, next_at, created_at, finished_at)
  select store_id, 'dlv_' || id || '-' || n || '_' || store_id, 'whk_' || store_id || '_' || n % 3, 'evt_' || id || '-' || n,
    case n % 5 when 1 then 'waiting' when 2 then 'failed' else 'delivered' end,
    now() + case when n % 2 = 1 then -1 else 1 end * interval '1 hour', now(), case n % 5 when 1 then null else now() end
  from orders, generate_series(1, 20) n;
  insert into webhook_attempt (store_id, delivery_id, at, status, duration_ms, error, answer)
  select store_id, id, now(), 200, 5, '', 'ok' from webhook_delivery`

/** Two more names, so that the first store has more orders of customers than a search reads from its index. */
const addSearchTerms = `
  insert into order_search (store_id, number, term)
  select o.store_id, o.number, t.term from orders o join customer c on c.store_id = o.store_id and c.id = o.customer_id
  cross join lateral order_search_terms(null, c.name, c.id || '@example.com', '', '{}') t (term);
  insert into order_search (store_id, number, term)
  select store_id, number, 'customer' || n from orders, generate_series(1, 3) n where store_id = (select min(id) from store)`

/** Customers who have not ordered. */
const addVisitors = `
  insert into customer (store_id, id, name) select s.id, 'cus_visitor_' || s.id || '_' || n, 'Visitor ' || n
  from store s, generate_series(1, 5) n`

/** Pictures in all stores. A few are to be looked at by the job. */
const addPictures = `
  insert into media (store_id, id, hash, path, state, name, width, height, animated, bytes, created_at, updated_at, check_at)
  select s.id, 'med_' || n, md5(s.id || ' ' || n), '/media/' || s.public_id || '/' || md5(s.id || ' ' || n) || '-9x9.png',
    'ready', n || '.png', 9, 9, false, 100, now(), now(), case when n % 100 = 0 then now() + interval '1 day' end
  from store s cross join generate_series(1, 150) n`

/** Adds rows to each table whose statements are tested: without rows the planner would use no index. */
export const fillTables = async (url: string) => {
  const added = [
    addCounts,
    addCoupons,
    addPayments,
    addMailTokens,
    addWebhooks,
    addSearchTerms,
    addJobs,
    addPictures,
    addVisitors,
    balanceLedgers,
  ]
  for (const text of added) await runSql(url, text)
  await runSql(url, 'analyze')
  // The numbers of the inserted orders are in use.
  await runSql(
    url,
    `insert into order_counter (store_id, last_number) select id, 1000000 from store
    on conflict (store_id) do update set last_number = excluded.last_number`,
  )
}
