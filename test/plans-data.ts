/** Most codes of a store are for single customers, and not listed. */
export const addCoupons = `
  insert into coupon (store_id, id, code, kind, value, listed)
  select s.id, 'cpn_' || s.id || '_' || n, 'CODE' || n, 'percent', 10000, n % 100 = 0
  from store s, generate_series(1, 100) n`

/** Every order is paid; one of a hundred is expired, waits for its provider or has a refund due. */
export const addPayments = `
  insert into payment (store_id, id, order_id, provider, status, amount_minor, currency, created_at, updated_at)
  select store_id, 'pay_' || id, id, 'sandbox', case number % 100 when 1 then 'open' else 'paid' end, 1, 'EUR',
    now() - interval '1 day', now() from orders;
  update payment set refund_due_at = now() - interval '1 hour'
  from orders o where (o.store_id, o.id) = (payment.store_id, payment.order_id) and o.number % 100 = 2;
  update orders set expires_at = now() - interval '1 hour' where number % 100 = 3`

// `before` may have failed at any point, and only its error should be reported.
