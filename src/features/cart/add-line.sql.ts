import type { Queries } from '../../db/database.ts'
import { byKey } from '../../db/plan-hints.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import { guestLock, guestWasSeenToday } from '../access/guests.ts'
import { maxLineQuantity } from '../catalog/catalog.contract.ts'
import type { OutletId, Shopper, StoreId } from '../context.ts'
import {
  type CartWithLines,
  cartColumns,
  deleteOn,
  linesOf,
  type RequestedProduct,
  shownLines,
  variantOf,
} from './cart.sql.ts'

/**
 * Additions that are one statement. Each does all of its work or changes nothing and returns no row: when a rule is
 * violated, and when the cart is not as it expects.
 */

/** One product for the shopper's own cart. */
export type LineOfOwnCart = RequestedProduct & {
  storeId: StoreId
  outletId: OutletId
  quantity: number
  newLineId: string
}

/** The only variant of the product if `quantity` of it and the `present` ones are allowed and in stock. */
const variantFor = ({ storeId, ...add }: LineOfOwnCart, outletId: Fragment, present: Fragment) => {
  const isVariant = add.variantId === null ? sql`` : sql`and v.id = ${add.variantId}`
  return sql`
    select v.variant_id, v.unit_minor from (${variantOf(storeId, outletId, sql`${add.productId}`, isVariant)}) v
    left join ${byKey(sql`
      select on_hand - reserved as available from stock
      where store_id = ${storeId} and variant_id = v.variant_id and outlet_id = ${outletId}`)} s on true
    where v.variants = 1 and ${present} + ${add.quantity}::integer
      <= least(${maxLineQuantity}::integer, case when v.stock_tracked then coalesce(s.available, 0) end)`
}

const writeLine = ({ storeId, ...add }: LineOfOwnCart) => sql`
  insert into cart_item as i (store_id, cart_id, variant_id, id, product_id, quantity, price_minor, added_at)
  select ${storeId}, c.id, seen.variant_id, ${add.newLineId}, ${add.productId}, ${add.quantity}, seen.unit_minor,
    vitrine_now()
  from c, seen
  on conflict (store_id, cart_id, variant_id) do update set price_minor = excluded.price_minor,
    quantity = i.quantity + excluded.quantity
  returning id, product_id, variant_id, quantity, price_minor, added_at`

/** Makes the first cart of a guest who is new. */
export const addToNewCart = (db: Queries, add: LineOfOwnCart & { guestId: string; newCartId: string }) => {
  const { storeId, outletId } = add
  return db.maybeOne<CartWithLines>`
  with seen as materialized (${variantFor(add, sql`${outletId}::integer`, sql`0`)}),
  owner as (${guestLock(storeId, add.guestId, sql`from seen`)}),
  c as (
    insert into cart as c (store_id, id, guest_id, outlet_id, created_at, updated_at, sweep_on)
    select ${storeId}, ${add.newCartId}, owner.id, ${outletId}, vitrine_now(), vitrine_now(), ${deleteOn} from owner
    on conflict do nothing
    returning c.*
  ),
  written as (${writeLine(add)})
  select ${cartColumns}, (${shownLines(storeId, sql`c.outlet_id`, sql`select * from written`)}) as lines from c`
}

export type KnownCart = {
  shopper: Shopper
  /** Null: any. */
  onlyOutletId: OutletId | null
  maxLines: number
  condition: Fragment
}

/**
 * Adds to a cart without a coupon. What this reads may be older than the lock of the cart that it takes, so it needs the
 * cart in the version that it has read: whoever changes lines makes a new version. The guest is not locked: a merge
 * removes the cart.
 */
export const addToKnownCart = (db: Queries, add: LineOfOwnCart & KnownCart) => {
  const { storeId, shopper, onlyOutletId, maxLines, condition } = add
  const isOwn =
    shopper.kind === 'guest'
      ? sql`k.guest_id = ${shopper.guestId} and k.updated_at > vitrine_now() - interval '30 days'
          and ${guestWasSeenToday(storeId, shopper.guestId)}`
      : sql`k.customer_id = ${shopper.customerId}`
  return db.maybeOne<CartWithLines>`
  with seen as materialized (
    select k.id, k.version, v.variant_id, v.unit_minor
    from cart k
    cross join lateral (${variantFor(
      add,
      sql`k.outlet_id`,
      sql`coalesce((
        select quantity from cart_item
        where store_id = ${storeId} and cart_id = k.id and variant_id = v.variant_id), 0)`,
    )}) v
    where k.store_id = ${storeId} and ${isOwn} and k.coupon_code is null and ${condition}
      and ${onlyOutletId === null ? sql`true` : sql`k.outlet_id = ${onlyOutletId}`}
      and ${maxLines}::integer > (select count(*) from cart_item where store_id = ${storeId} and cart_id = k.id)
  ),
  c as (
    update cart c set version = c.version + 1, updated_at = vitrine_now(),
      sweep_on = ${shopper.kind === 'guest' ? deleteOn : sql`null`}
    where c.store_id = ${storeId} and c.id = (select id from seen) and c.version = (select version from seen)
    returning c.*
  ),
  written as (${writeLine(add)})
  select ${cartColumns}, (${shownLines(
    storeId,
    sql`c.outlet_id`,
    sql`select * from written union all select * from (${linesOf(storeId, sql`c.id`)}) rest
      where rest.variant_id <> (select variant_id from seen)`,
  )}) as lines from c`
}
