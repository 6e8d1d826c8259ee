/** Most codes of a store are for single customers, and not listed. */
export const addCoupons = `
  insert into coupon (store_id, id, code, kind, value, listed)
  select s.id, 'cpn_' || s.id || '_' || n, 'CODE' || n, 'percent', 10000, n % 100 = 0
  from store s, generate_series(1, 100) n`

/** Every order is paid and sent; one of a hundred is expired, flagged, waits for its provider, has a refund due or
 * is tracked. */
export const addPayments = `
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
  update orders set needs_attention = 'DISPUTE' where number % 100 = 5;
  update orders set expires_at = now() - interval '1 hour' where number % 100 = 3;
  insert into shipment (store_id, order_id, id, tracking_number, partner, status, carrier, track_due_at, created_at, updated_at)
  select store_id, id, 'ship_' || id, 'T' || number, 'Bluebird', 'booked', 'shiprocket',
    case number % 100 when 4 then now() - interval '1 hour' end, now(), now() from orders`

// `before` may have failed at any point, and only its error should be reported.

export const flaggedOrders = { status: null, isFlagged: true, limit: 20 }
