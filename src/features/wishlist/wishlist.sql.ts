import type { Queries, Tx } from '../../db/database.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { OutletRef } from '../catalog/catalog.sql.ts'
import type { StoreId } from '../context.ts'

/** Exactly one of the two is set. Each has its own index. */
export type Owner = { guestId: string; customerId: null } | { guestId: null; customerId: string }

const ownedBy = ({ guestId, customerId }: Owner): Fragment =>
  guestId === null ? sql`w.customer_id = ${customerId}` : sql`w.guest_id = ${guestId}`

export type WishlistItemRow = {
  id: string
  productId: string
  createdAt: Date
  name: string
  description: string
  image: string
  priceMinor: number
  inStock: boolean
}

/** Only products on sale have a listing, so the join hides the others. */
const wishlistItems = ({ storeId, outletId }: OutletRef, owner: Owner) => sql`
  select w.id, w.product_id as "productId", w.created_at as "createdAt", p.name, p.description,
    coalesce(p.images[1], '') as image, l.price_minor as "priceMinor", l.in_stock as "inStock"
  from wishlist_item w
  join listing l on l.store_id = w.store_id and l.outlet_id = ${outletId} and l.product_id = w.product_id
  join product p on p.store_id = w.store_id and p.id = w.product_id
  where w.store_id = ${storeId} and ${ownedBy(owner)}`

export const listWishlistItems = (db: Queries, outlet: OutletRef, owner: Owner) => db.many<WishlistItemRow>`
  ${wishlistItems(outlet, owner)} order by w.created_at desc, w.id desc`

export type GuestWishlistItemRow = { isMerged: boolean } & (WishlistItemRow | { id: null })

/** Also returns whether the guest was merged: an empty list is one row with `id` null. */
export const listGuestWishlistItems = (
  db: Queries,
  outlet: OutletRef,
  guestId: string,
) => db.many<GuestWishlistItemRow>`
  select g.merged_at is not null as "isMerged", w.*
  from (select) as one_row
  left join guest g on g.store_id = ${outlet.storeId} and g.id = ${guestId}
  left join lateral (${wishlistItems(outlet, { guestId, customerId: null })}) w on true
  order by w."createdAt" desc, w.id desc`

export type NewWishlistItem = { id: string; productId: string; maxWishlistItems: number }

/**
 * Adds an entry if the product is on sale, not in the list yet, and the list is not full. The caller has locked the
 * owner.
 */
export const insertWishlistItem = (
  tx: Tx,
  { storeId, outletId }: OutletRef,
  owner: Owner,
  item: NewWishlistItem,
) => tx.one<{
  isOnSale: boolean
  isThere: boolean
  isAdded: boolean
}>`
  with offered as (
    select l.product_id from listing l
    where l.store_id = ${storeId} and l.outlet_id = ${outletId} and l.product_id = ${item.productId}),
  held as materialized (
    select count(*) as entries, coalesce(bool_or(w.product_id = ${item.productId}), false) as "isThere"
    from wishlist_item w where w.store_id = ${storeId} and ${ownedBy(owner)}),
  added as (
    insert into wishlist_item (store_id, id, guest_id, customer_id, product_id, created_at)
    select ${storeId}::integer, ${item.id}, ${owner.guestId}, ${owner.customerId}, offered.product_id, vitrine_now()
    from offered, held where not held."isThere" and held.entries < ${item.maxWishlistItems}
    returning id)
  select exists (select from offered) as "isOnSale", held."isThere", exists (select from added) as "isAdded"
  from held`

export const deleteWishlistItem = (tx: Tx, storeId: StoreId, owner: Owner, entryOrProductId: string) => tx.run`
  delete from wishlist_item w
  where w.store_id = ${storeId} and ${ownedBy(owner)}
    and (w.id = ${entryOrProductId} or w.product_id = ${entryOrProductId})`

export const keepOlderDates = (tx: Tx, storeId: StoreId, guestId: string, customerId: string) => tx.run`
  update wishlist_item w set created_at = theirs.created_at
  from wishlist_item theirs
  where w.store_id = ${storeId} and w.customer_id = ${customerId}
    and theirs.store_id = ${storeId} and theirs.guest_id = ${guestId} and theirs.product_id = w.product_id
    and theirs.created_at < w.created_at`

/** Moves the newest entries of the guest that the customer does not have yet, up to the limit of the list. */
export const moveWishlistItems = (
  tx: Tx,
  storeId: StoreId,
  guestId: string,
  customerId: string,
  maxWishlistItems: number,
) => tx.run`
  update wishlist_item w set guest_id = null, customer_id = ${customerId}
  where w.store_id = ${storeId} and w.guest_id = ${guestId} and w.id in (
    select theirs.id from wishlist_item theirs
    where theirs.store_id = ${storeId} and theirs.guest_id = ${guestId} and not exists (
      select from wishlist_item mine
      where mine.store_id = ${storeId} and mine.customer_id = ${customerId} and mine.product_id = theirs.product_id)
    order by theirs.created_at desc, theirs.id desc
    limit greatest(0, ${maxWishlistItems} - (
      select count(*) from wishlist_item w where w.store_id = ${storeId} and w.customer_id = ${customerId})))`

export const deleteGuestWishlistItems = (tx: Tx, storeId: StoreId, guestId: string) => tx.run`
  delete from wishlist_item w where w.store_id = ${storeId} and w.guest_id = ${guestId}`
