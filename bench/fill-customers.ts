import pg from 'pg'

/** The number of customers in the named store, and in each small one. */
export type Crowd = { customers: number; inSmallStores: number }

/**
 * Customers with a session, requests for codes, a failed sign-in, two addresses, a wishlist and a cart of three products each, and with two orders. Filled by
 * statements inside the database, after `fillCatalog` and with the products that it made.
 */
export const fillCustomers = async (connection: pg.ClientConfig, storeId: string, crowd: Crowd) => {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    for (const text of statements) await client.query(text, [storeId, crowd.customers, crowd.inSmallStores])
    await client.query('analyze')
  } finally {
    await client.end()
  }
}

/** The stores with the numbers of their customers. */
const people = `(
  select s.id as store_id, s.default_outlet_id as outlet_id, 'cus_' || s.id || '_' || n as customer_id, n
  from store s cross join lateral generate_series(1,
    case when s.public_id = $1 then $2::integer else $3::integer end) n
  where s.public_id = $1 or s.public_id like 'store_small%') c`

/** Three products for each of them, spread over the first fifty, which every store has. */
const choices = `${people} cross join generate_series(0, 2) k cross join lateral (
  select id as variant_id, product_id, price_minor from variant v where v.store_id = c.store_id
    and v.id = 'var_' || c.store_id || '_' || lpad((1 + (n * 7 + k * 11) % 50)::text, 8, '0')) v`

const statements = [
  `insert into customer (store_id, id, name, has_orders)
  select store_id, customer_id, 'Customer ' || n, true from ${people}`,
  `insert into session (store_id, token_hash, customer_id, created_at, expires_at)
  select store_id, 'hash of ' || customer_id, customer_id, now(), now() + interval '7 days' from ${people}`,
  `insert into one_time_code (store_id, phone, attempts_left, expires_at, requested_at, forget_at)
  select store_id, '+' || customer_id, 3, now(), '{}', now() + interval '1 hour' from ${people}`,
  `insert into otp_request (store_id, phone, token_hash, attempts_left, expires_at, forget_at)
  select store_id, '+' || customer_id, 'hash ' || k, 3, now(), now() + interval '5 minutes'
  from ${people}, generate_series(1, 3) k`,
  `insert into sign_in_failure (store_id, email, failed_at, forget_at)
  select store_id, customer_id || '@example.com', '{}', now() + interval '15 minutes' from ${people}`,
  `insert into address (store_id, customer_id, id, label, name, phone, line1, line2, landmark, city, state, postal_code,
    country, is_default, created_at, updated_at)
  select store_id, customer_id, 'addr_' || k, 'Home', 'Asha', '', '1 Lake Road', '', '', 'Pune', 'MH', '411001', 'IN',
    k = 1, now(), now() from ${people}, generate_series(1, 2) k`,
  `insert into guest (store_id, id, seen_on) select store_id, 'guest of ' || customer_id, current_date from ${people}`,
  `insert into wishlist_item (store_id, id, customer_id, product_id, created_at)
  select store_id, 'wish_' || customer_id || k, customer_id, product_id, now() from ${choices}`,
  `insert into wishlist_item (store_id, id, guest_id, product_id, created_at)
  select store_id, 'wish of guest_' || customer_id || k, 'guest of ' || customer_id, product_id, now() from ${choices}`,
  `insert into cart (store_id, id, customer_id, outlet_id, created_at, updated_at)
  select store_id, 'cart_' || customer_id, customer_id, outlet_id, now(), now() from ${people}`,
  `insert into cart (store_id, id, guest_id, outlet_id, created_at, updated_at, sweep_on)
  select store_id, 'cart of guest_' || customer_id, 'guest of ' || customer_id, outlet_id, now(), now(),
    current_date + 31 from ${people}`,
  `insert into cart_item (store_id, cart_id, variant_id, id, product_id, quantity, price_minor, added_at)
  select store_id, prefix || customer_id, variant_id, 'line_' || k, product_id, 1, price_minor, now()
  from ${choices}, unnest(array['cart_', 'cart of guest_']) prefix`,
  `insert into orders (store_id, id, number, customer_id, outlet_id, cart_id, cart_version, request_hash, status,
    payment_status, payment_method, stock_state, currency, subtotal_minor, discount_minor, shipping_minor, tax_minor,
    total_minor, tax_included, created_at, updated_at)
  select store_id, 'order_' || customer_id || k, 2 * n + k, customer_id, outlet_id, 'cart_' || customer_id, 1, '',
    'paid', 'paid', 'online', 'sold', 'EUR', 1, 0, 0, 0, 1, true, now(), now() from ${people}, generate_series(0, 1) k`,
  `insert into order_line (store_id, order_id, position, id, product_id, variant_id, name, variant, image, sku, quantity,
    unit_minor, line_total_minor, discount_minor, tax_minor, tax_rate)
  select store_id, 'order_' || customer_id || o, k, 'line_' || k, product_id, variant_id, '', '', '', '', 1, 1, 1, 0, 0, 0
  from ${choices}, generate_series(0, 1) o`,
  `insert into order_event (store_id, order_id, at, type, message)
  select store_id, 'order_' || customer_id || o, now(), 'paid', 'It was paid.'
  from ${people}, generate_series(0, 1) o, generate_series(1, 3)`,
  `insert into shipment (store_id, order_id, id, tracking_number, partner, status, tracking_url, items, created_at,
    updated_at)
  select store_id, 'order_' || customer_id || o, 'ship_' || customer_id || o, '', '', 'delivered', '', '[]', now(), now()
  from ${people}, generate_series(0, 1) o`,
]
