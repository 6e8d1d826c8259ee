import pg from 'pg'
import { deriveSigner } from '../src/core/secrets.ts'
import { makeGuestToken } from '../src/features/access/guest-token.ts'

/** Guests and phones are numbers with a fixed number of digits, so that pgbench can make their names by itself. */
export const guestId = (n: number) => String(n).padStart(26, '0')
export const phone = (n: number) => `+9198${String(n).padStart(8, '0')}`
export const code = '123456'

export const guestToken = (secret: string, storeId: number, n: number) =>
  makeGuestToken(deriveSigner([secret], 'guest'), storeId, guestId(n), Date.now())

/** Guests with a cart of three lines each. */
export const fillCarts = async (
  connection: pg.ClientConfig,
  store: { id: number; outletId: number; products: number },
  { from, to }: { from: number; to: number },
) => {
  const client = new pg.Client(connection)
  await client.connect()
  const guest = `lpad(n::text, 26, '0')`
  const batch = 50_000
  try {
    for (let start = from; start <= to; start += batch) {
      const range = [start, Math.min(start + batch - 1, to)]
      await client.query(
        `insert into guest (store_id, id, seen_on)
         select ${store.id}, ${guest}, current_date from generate_series($1::integer, $2::integer) n`,
        range,
      )
      await client.query(
        `insert into cart (store_id, id, guest_id, outlet_id, created_at, updated_at, sweep_on)
         select ${store.id}, 'cart_' || ${guest}, ${guest}, ${store.outletId}, now(), now(), current_date + 31
         from generate_series($1::integer, $2::integer) n`,
        range,
      )
      await client.query(
        `insert into cart_item (store_id, cart_id, variant_id, id, product_id, quantity, price_minor, added_at)
         select ${store.id}, 'cart_' || ${guest}, v.id, 'line_' || n || '_' || k, v.product_id, 1, v.price_minor, now()
         from generate_series($1::integer, $2::integer) n, generate_series(0, 2) k, lateral (
           select id, product_id, price_minor from variant where store_id = ${store.id}
             and id = 'var_${store.id}_' || lpad((1 + (n * 7 + k * 131) % ${store.products})::text, 8, '0')) v`,
        range,
      )
    }
    await client.query('vacuum analyze guest, cart, cart_item')
  } finally {
    await client.end()
  }
}

export const hashCode = (secret: string, storeId: number, n: number) =>
  deriveSigner([secret], 'otp').sign(`${storeId}.${phone(n)}.${code}`)

/** A valid code for each phone. */
export const fillCodes = async (
  connection: pg.ClientConfig,
  secret: string,
  storeId: number,
  range: [number, number],
) => {
  const numbers = Array.from({ length: range[1] - range[0] + 1 }, (_, i) => range[0] + i)
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query(
      `insert into one_time_code (store_id, phone, code_hash, attempts_left, expires_at, requested_at, forget_at)
       select $1::integer, phone, hash, 3, now() + interval '1 day', array[now()], now() + interval '1 day'
       from unnest($2::text[], $3::text[]) as n (phone, hash)`,
      [storeId, numbers.map(phone), numbers.map((n) => hashCode(secret, storeId, n))],
    )
    await client.query('vacuum analyze one_time_code')
  } finally {
    await client.end()
  }
}
