import type { Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { maxLineQuantity } from '../catalog/catalog.contract.ts'
import type { OutletId, StoreId } from '../context.ts'

export const lockGuestCart = (tx: Tx, storeId: StoreId, which: { cartId: string } | { guestId: string }) =>
  tx.maybeOne<{ id: string }>`
  select id from cart
  where store_id = ${storeId} and updated_at > vitrine_now() - interval '30 days' and customer_id is null
    and ${'cartId' in which ? sql`id = ${which.cartId}` : sql`guest_id = ${which.guestId}`}
  for update`

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
  left join cart_item own on own.store_id = ${storeId} and own.cart_id = ${cart.id} and own.variant_id = n.variant_id
  left join variant v on v.store_id = ${storeId} and v.id = n.variant_id
  left join stock s on s.store_id = ${storeId} and s.variant_id = n.variant_id and s.outlet_id = ${cart.outletId}
  on conflict (store_id, cart_id, variant_id) do update set quantity = excluded.quantity,
    price_minor = excluded.price_minor`
