import pg from 'pg'
import { hashSecret } from '../src/core/secrets.ts'

/** Buyers are numbers with a fixed number of digits, so that pgbench can make their names by itself. */
const digits = 8
export const named = (prefix: string) => `('${prefix}_' || lpad(:buyer::text, ${digits}, '0'))`
export const buyerId = (prefix: string, n: number) => `${prefix}_${String(n).padStart(digits, '0')}`
export const sessionOf = (n: number) => buyerId('ses', n)

type Store = { id: number; outletId: number; products: number }

const withClient = async (connection: pg.ClientConfig, work: (client: pg.Client) => Promise<unknown>) => {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

const batch = 20_000

/** Customers who are signed in, each with a cart of two lines; or of one product, for a sale of that one. */
export const fillBuyers = (
  connection: pg.ClientConfig,
  store: Store,
  { from, to, product }: { from: number; to: number; product?: number },
) =>
  withClient(connection, async (client) => {
    const id = (prefix: string) => `'${prefix}_' || lpad(n::text, ${digits}, '0')`
    for (let start = from; start <= to; start += batch) {
      const end = Math.min(start + batch - 1, to)
      const numbers = Array.from({ length: end - start + 1 }, (_, i) => start + i)
      await client.query(
        `insert into customer (store_id, id, name) select ${store.id}, ${id('cus')}, 'Buyer'
         from generate_series($1::integer, $2::integer) n`,
        [start, end],
      )
      await client.query(
        `insert into session (store_id, token_hash, customer_id, created_at, expires_at)
         select ${store.id}, hash, ${id('cus')}, now(), now() + interval '7 days'
         from unnest($1::integer[], $2::text[]) as s (n, hash)`,
        [numbers, numbers.map((n) => hashSecret(sessionOf(n)))],
      )
      await client.query(
        `insert into cart (store_id, id, customer_id, outlet_id, created_at, updated_at)
         select ${store.id}, ${id('cart')}, ${id('cus')}, ${store.outletId}, now(), now()
         from generate_series($1::integer, $2::integer) n`,
        [start, end],
      )
      const place = product === undefined ? `1 + (n * 7 + k * 131) % ${store.products}` : String(product)
      await client.query(
        `insert into cart_item (store_id, cart_id, variant_id, id, product_id, quantity, price_minor, added_at)
         select ${store.id}, ${id('cart')}, v.id, 'line_' || n || '_' || k, v.product_id, 1,
           coalesce(o.price_minor, v.price_minor), now()
         from generate_series($1::integer, $2::integer) n cross join generate_series(0, ${product === undefined ? 1 : 0}) k
         join variant v on v.store_id = ${store.id}
           and v.id = 'var_${store.id}_' || lpad((${place})::text, 8, '0')
         left join price_override o on o.store_id = v.store_id and o.variant_id = v.id and o.outlet_id = ${store.outletId}`,
        [start, end],
      )
    }
    await client.query('vacuum analyze customer, session, cart, cart_item')
  })

/** Past orders of two lines, numbered from `after` on and spread over the buyers from `from` to `to`. */
export const fillOrders = (
  connection: pg.ClientConfig,
  store: Store,
  { from, to, orders, after = 0 }: { from: number; to: number; orders: number; after?: number },
) =>
  withClient(connection, async (client) => {
    const step = 100_000
    for (let start = after + 1; start <= after + orders; start += step) {
      const range = [start, Math.min(start + step - 1, after + orders)]
      for (const text of pastOrders(store, from, to - from + 1)) await client.query(text, range)
    }
    await client.query('vacuum analyze orders, order_line, order_event, payment')
  })

/** Bought, paid and delivered, with every row that the invariants need. */
const pastOrders = (store: Store, from: number, people: number) => {
  const numbers = 'generate_series($1::integer, $2::integer) n'
  return [
    `insert into order_counter as c (store_id, last_number) values (${store.id}, 1000 + $2::integer - $1::integer + 1)
     on conflict (store_id) do update set last_number = c.last_number + $2::integer - $1::integer + 1`,
    `insert into orders (store_id, id, number, customer_id, outlet_id, cart_id, cart_version, request_hash, status,
       payment_status, payment_method, stock_state, currency, subtotal_minor, discount_minor, shipping_minor,
       tax_minor, total_minor, tax_included, created_at, updated_at)
     select ${store.id}, 'ord_past_' || n, c.last_number - $2::integer + n,
       'cus_' || lpad((${from} + n % ${people})::text, ${digits}, '0'), ${store.outletId}, 'cart_past', 1, '',
       'delivered', 'paid', 'online', 'sold', 'INR', 20000, 0, 0, 0, 20000, true, now(), now()
     from order_counter c, ${numbers} where c.store_id = ${store.id}`,
    `update customer set has_orders = true where store_id = ${store.id} and not has_orders and id in (
       select 'cus_' || lpad((${from} + n % ${people})::text, ${digits}, '0') from ${numbers})`,
    `insert into order_line (store_id, order_id, position, id, product_id, variant_id, name, variant, image, sku,
       quantity, unit_minor, line_total_minor, discount_minor, tax_minor, tax_rate)
     select ${store.id}, 'ord_past_' || n, k, 'item_' || n || '_' || k, 'prod_${store.id}_00000001',
       'var_${store.id}_00000001', 'Something', '', '', '', 1, 10000, 10000, 0, 0, 0
     from ${numbers}, generate_series(0, 1) k`,
    `insert into order_event (store_id, order_id, at, type, message)
     select ${store.id}, 'ord_past_' || n, now(), type, 'It was ' || type || '.'
     from ${numbers}, unnest(array['placed', 'paid', 'delivered']) with ordinality as e (type, place)
     order by n, place`,
    `insert into payment (store_id, id, order_id, provider, status, amount_minor, currency, created_at, updated_at)
     select ${store.id}, 'pay_past_' || n, 'ord_past_' || n, 'sandbox', 'paid', 20000, 'INR', now(), now()
     from ${numbers}`,
  ]
}
