import type { Queries, Tx } from '../../db/database.ts'
import { byKey } from '../../db/plan-hints.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import { maxLineQuantity } from '../catalog/catalog.contract.ts'
import type { OutletId, StoreId } from '../context.ts'
import { type CartWithLines, cartColumns, linesOf, shownLines } from './cart.sql.ts'

/** The cart of a guest, by its id or by the guest. */
export type GuestCartName = { cartId: string } | { guestId: string }

const isGuestCart = (which: GuestCartName) => sql`
  updated_at > vitrine_now() - interval '30 days' and customer_id is null
  and ${'cartId' in which ? sql`id = ${which.cartId}` : sql`guest_id = ${which.guestId}`}`

export const lockGuestCart = (tx: Tx, storeId: StoreId, which: GuestCartName) => tx.maybeOne<{ id: string }>`
  select id from cart where store_id = ${storeId} and ${isGuestCart(which)} for update`

/**
 * Makes the cart of a guest the cart of a customer who has none. Nothing if the customer has one, or if there is no such
 * cart of a guest. Violates `cart_of_customer` when another transaction makes the customer's first cart at the same time.
 */
export const giveCart = (tx: Tx, storeId: StoreId, which: GuestCartName, customerId: string) => tx.maybeOne<{
  id: string
}>`
  update cart set customer_id = ${customerId}, guest_id = null, sweep_on = null, version = version + 1,
    updated_at = vitrine_now()
  where store_id = ${storeId} and ${isGuestCart(which)}
    and not exists (select from cart own where own.store_id = ${storeId} and own.customer_id = ${customerId})
  returning id`

/**
 * `giveCart` and its lines in one statement, for a cart without a coupon or a line that must be limited. What this reads may
 * be older than the lock of the cart that it takes, so it needs the cart in the version that it has read.
 */
export const giveCartAtOnce = (
  db: Queries,
  storeId: StoreId,
  { which, customerId, condition }: { which: GuestCartName; customerId: string; condition: Fragment },
) => {
  const lines = linesOf(storeId, sql`k.id`)
  return db.maybeOne<CartWithLines>`
  with seen as materialized (
    select k.id, k.version
    from ${byKey(sql`select * from cart where store_id = ${storeId} and ${isGuestCart(which)}`)} k
    where k.coupon_code is null and ${condition}
      and not exists (select from cart own where own.store_id = ${storeId} and own.customer_id = ${customerId})
      and not exists (
        select from (${lines}) i
        left join ${byKey(sql`
          select stock_tracked from variant where store_id = ${storeId} and id = i.variant_id`)} v on true
        left join ${byKey(sql`
          select on_hand - reserved as available from stock
          where store_id = ${storeId} and variant_id = i.variant_id and outlet_id = k.outlet_id`)} s on true
        where i.quantity > greatest(1, least(${maxLineQuantity}::integer,
          case when v.stock_tracked then coalesce(s.available, 0) end)))
  ),
  c as (
    update cart c set customer_id = ${customerId}, guest_id = null, sweep_on = null, version = c.version + 1,
      updated_at = vitrine_now()
    where c.store_id = ${storeId} and c.id = (select id from seen) and c.version = (select version from seen)
    returning c.*
  )
  select ${cartColumns}, (${shownLines(storeId, sql`c.outlet_id`, linesOf(storeId, sql`c.id`))}) as lines from c`
}

/** Sets the quantities of lines by their variants. */
export const limitLines = (
  tx: Tx,
  storeId: StoreId,
  cartId: string,
  lines: readonly { variantId: string; quantity: number }[],
) => tx.run`
  update cart_item i set quantity = n.quantity
  from unnest(${lines.map((one) => one.variantId)}::text[], ${lines.map((one) => one.quantity)}::integer[])
    as n (variant_id, quantity)
  where i.store_id = ${storeId} and i.cart_id = ${cartId} and i.variant_id = n.variant_id`

/** A line that moves from one cart to another. */
export type MovedLine = {
  id: string
  variant_id: string
  product_id: string
  quantity: number
  price_minor: number
  added_at: string
}

export type TakenCart = {
  id: string
  outletId: OutletId
  couponCode: string | null
  version: number
  createdAt: Date
  lines: MovedLine[]
}

/** Deletes the cart with its lines, and returns both. */
export const takeGuestCart = (tx: Tx, storeId: StoreId, cartId: string) => tx.one<TakenCart>`
  with taken as (
    delete from cart where store_id = ${storeId} and id = ${cartId}
    returning id, outlet_id, coupon_code, version, created_at)
  select taken.id, taken.outlet_id as "outletId", taken.coupon_code as "couponCode", taken.version,
    taken.created_at as "createdAt",
    (select coalesce(json_agg(i), '[]') from cart_item i where i.store_id = ${storeId} and i.cart_id = ${cartId}) as lines
  from taken`

export type OwnCart = { id: string; outletId: OutletId }

export const holdCustomerCart = (tx: Tx, storeId: StoreId, customerId: string, taken: TakenCart) => tx.one<OwnCart>`
  insert into cart as c (store_id, id, customer_id, outlet_id, coupon_code, version, created_at, updated_at)
  values (${storeId}, ${taken.id}, ${customerId}, ${taken.outletId}, ${taken.couponCode}, ${taken.version} + 1,
    ${taken.createdAt}, vitrine_now())
  on conflict (store_id, customer_id) where customer_id is not null do update set version = c.version + 1,
    updated_at = excluded.updated_at, coupon_code = coalesce(c.coupon_code, excluded.coupon_code)
  returning id, outlet_id as "outletId"`

/**
 * Adds quantities up to the available stock. A line without stock keeps one unit, and the cart shows a warning. The
 * line keeps the price that the guest saw last.
 */
export const moveLines = (tx: Tx, storeId: StoreId, cart: OwnCart, lines: readonly MovedLine[]) => tx.run`
  insert into cart_item as i (store_id, cart_id, variant_id, id, product_id, quantity, price_minor, added_at)
  select ${storeId}, ${cart.id}, n.variant_id, n.id, n.product_id,
    greatest(1, least(n.quantity + coalesce(own.quantity, 0),
      case when v.stock_tracked then coalesce(s.on_hand - s.reserved, 0) else ${maxLineQuantity} end, ${maxLineQuantity})),
    n.price_minor, n.added_at
  from jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as n (variant_id text, id text, product_id text,
    quantity integer, price_minor bigint, added_at timestamptz)
  left join ${byKey(sql`
    select quantity from cart_item
    where store_id = ${storeId} and cart_id = ${cart.id} and variant_id = n.variant_id`)} own on true
  left join ${byKey(sql`
    select stock_tracked from variant where store_id = ${storeId} and id = n.variant_id`)} v on true
  left join ${byKey(sql`
    select on_hand, reserved from stock
    where store_id = ${storeId} and variant_id = n.variant_id and outlet_id = ${cart.outletId}`)} s on true
  on conflict (store_id, cart_id, variant_id) do update set quantity = excluded.quantity,
    price_minor = excluded.price_minor`
