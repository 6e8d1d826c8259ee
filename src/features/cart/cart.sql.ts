import type { Queries, Tx } from '../../db/database.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import { guestLock } from '../access/guests.ts'
import { maxLineQuantity } from '../catalog/catalog.contract.ts'
import type { DigitalFile } from '../catalog/whole-product.sql.ts'
import type { Customer, Guest, OutletId, Shopper, StoreId } from '../context.ts'
import { type Coupon, couponAsJson } from '../pricing/coupons.ts'

export type CartRow = {
  id: string
  guestId: string | null
  customerId: string | null
  outletId: OutletId
  couponCode: string | null
  version: number
  createdAt: Date
  updatedAt: Date
}

export type LineRow = {
  id: string
  productId: string
  variantId: string
  quantity: number
  /** The price when the line was last written, and the current price. */
  seenMinor: number
  unitMinor: number
  isAvailable: boolean
  stock: number
  name: string
  slug: string
  image: string
  description: string
  variant: string
  categoryId: string | null
  taxRate: number
  digital: boolean
}

type Owner = Pick<Guest, 'kind' | 'guestId'> | Pick<Customer, 'kind' | 'customerId'>

/** The shopper's own cart, or a cart by id. The id alone gives access only to guest carts. */
export type CartName = { of: Owner } | { id: string; seenBy: Shopper }

/** A guest's cart expires thirty days after its last write. It is deleted later, so every statement checks. */
const unexpired = sql`(c.customer_id is not null or c.updated_at > vitrine_now() - interval '30 days')`
export const deleteOn = sql`(vitrine_now() + interval '31 days')::date`

export const cartColumns = sql`c.id, c.guest_id as "guestId", c.customer_id as "customerId", c.outlet_id as "outletId",
  c.coupon_code as "couponCode", c.version, c.created_at as "createdAt", c.updated_at as "updatedAt"`

const isNamed = (name: CartName): Fragment => {
  if ('of' in name)
    return name.of.kind === 'guest' ? sql`c.guest_id = ${name.of.guestId}` : sql`c.customer_id = ${name.of.customerId}`
  if (name.seenBy.kind === 'guest') return sql`c.id = ${name.id} and c.customer_id is null`
  return sql`c.id = ${name.id} and (c.customer_id is null or c.customer_id = ${name.seenBy.customerId})`
}

/** Lines with their product data at the outlet of the cart. `source` has the columns of cart_item. */
export const shownLines = (storeId: StoreId, outletId: Fragment, source: Fragment, more: Fragment = sql``) => sql`
  select coalesce(json_agg(json_build_object(
    'id', i.id, 'productId', i.product_id, 'variantId', i.variant_id, 'quantity', i.quantity,
    'seenMinor', i.price_minor, 'unitMinor', coalesce(o.price_minor, v.price_minor),
    'isAvailable', v.active and p.status = 'ACTIVE',
    'stock', case when v.stock_tracked then coalesce(s.on_hand - s.reserved, 0) else ${maxLineQuantity} end,
    'name', p.name, 'slug', p.slug, 'image', coalesce(nullif(v.image, ''), p.images[1], ''),
    'description', p.description,
    'variant', v.title, 'categoryId', p.category_id, 'taxRate', p.tax_rate, 'digital', p.digital is not null${more}
    ) order by i.added_at, i.id), '[]')
  from (${source}) i
  join variant v on v.store_id = ${storeId} and v.id = i.variant_id
  join product p on p.store_id = ${storeId} and p.id = i.product_id
  left join price_override o on o.store_id = ${storeId} and o.variant_id = i.variant_id and o.outlet_id = ${outletId}
  left join stock s on s.store_id = ${storeId} and s.variant_id = i.variant_id and s.outlet_id = ${outletId}`

export const linesOf = (storeId: StoreId, cartId: Fragment) => sql`
  select id, product_id, variant_id, quantity, price_minor, added_at from cart_item
  where store_id = ${storeId} and cart_id = ${cartId}`

export type CartWithLines = CartRow & { lines: LineRow[] }

export type ReadCart = CartWithLines & { coupon: Coupon | null }

export const readCart = (db: Queries, storeId: StoreId, name: CartName) => db.maybeOne<ReadCart>`
  select ${cartColumns}, ${couponAsJson(storeId, sql`c.coupon_code`)} as coupon,
    (${shownLines(storeId, sql`c.outlet_id`, linesOf(storeId, sql`c.id`))}) as lines
  from cart c
  where c.store_id = ${storeId} and ${isNamed(name)} and ${unexpired}`

/** The same without its coupon: even if there is none, PostgreSQL spends as much on preparing to read it as on all else. */
export const readCartLines = (db: Queries, storeId: StoreId, name: CartName) => db.maybeOne<CartWithLines>`
  select ${cartColumns}, (${shownLines(storeId, sql`c.outlet_id`, linesOf(storeId, sql`c.id`))}) as lines
  from cart c
  where c.store_id = ${storeId} and ${isNamed(name)} and ${unexpired}`

/** What an order keeps of a line, besides what the cart shows. */
export type LineToOrder = LineRow & { sku: string; file: DigitalFile | null }

/** The cart of a customer without its coupon, with all that an order of it keeps. */
export const readCartToOrder = (db: Queries, storeId: StoreId, { customerId }: Customer) => db.maybeOne<
  CartRow & { lines: LineToOrder[] }
>`
  select ${cartColumns}, (${shownLines(
    storeId,
    sql`c.outlet_id`,
    linesOf(storeId, sql`c.id`),
    sql`, 'sku', v.sku, 'file', p.digital`,
  )}) as lines
  from cart c
  where c.store_id = ${storeId} and c.customer_id = ${customerId}`

/** Null if the store has no such coupon any more. */
export const readCoupon = async (db: Queries, storeId: StoreId, code: string) =>
  (
    await db.maybeOne<{ coupon: Coupon | null }>`
    select ${couponAsJson(storeId, sql`named.code`)} as coupon from coupon named
    where named.store_id = ${storeId} and named.code = ${code}`
  )?.coupon ?? null

/** A product in a request. The variant may be omitted if the product has only one. */
export type RequestedProduct = { productId: string; variantId: string | null }

/** `variants` is the number of matching variants. `variantId` is null unless there is exactly one. */
export type FoundVariant = { variants: number; variantId: string | null; unitMinor: number }

/** A `FoundVariant` for each requested product, in the same order; null for a product that is not for sale. */
const findRequested = (storeId: StoreId, outletId: Fragment, products: readonly RequestedProduct[]) => {
  const [only, ...others] = products
  if (only === undefined) return sql`select '[]'::json`
  if (others.length === 0) {
    const isVariant = only.variantId === null ? sql`` : sql`and v.id = ${only.variantId}`
    return sql`select json_build_array((${findVariant(storeId, outletId, sql`${only.productId}`, isVariant)}))`
  }
  const isVariant = sql`and (w.variant_id is null or v.id = w.variant_id)`
  return sql`
  select coalesce(json_agg(found.variant order by w.n), '[]')
  from unnest(${products.map((one) => one.productId)}::text[], ${products.map((one) => one.variantId)}::text[])
    with ordinality as w (product_id, variant_id, n)
  left join lateral (${findVariant(storeId, outletId, sql`w.product_id`, isVariant)}) found on true`
}

const findVariant = (storeId: StoreId, outletId: Fragment, productId: Fragment, isVariant: Fragment) => sql`
    select json_build_object('variants', f.variants, 'variantId', f.variant_id, 'unitMinor', f.unit_minor) as variant
    from (${variantOf(storeId, outletId, productId, isVariant)}) f`

/** A row if the product is for sale, with its variant if it has only one. */
export const variantOf = (storeId: StoreId, outletId: Fragment, productId: Fragment, isVariant: Fragment) => sql`
    select count(*) as variants, case when count(*) = 1 then min(v.id) end as variant_id,
      min(coalesce(o.price_minor, v.price_minor)) as unit_minor, bool_or(v.stock_tracked) as stock_tracked
    from product p
    join variant v on v.store_id = p.store_id and v.product_id = p.id and v.active ${isVariant}
    left join price_override o on o.store_id = v.store_id and o.variant_id = v.id and o.outlet_id = ${outletId}
    where p.store_id = ${storeId} and p.id = ${productId} and p.status = 'ACTIVE'
    having count(*) > 0`

/** The new coupon code of the cart. Null removes it, undefined keeps it. */
export type CouponChange = string | null | undefined

export type HeldCart = CartRow & { isNew: boolean; found: (FoundVariant | null)[] }

type Hold = { storeId: StoreId; couponChange: CouponChange; products: readonly RequestedProduct[] }

/** An unknown code becomes null. */
const couponAfter = (storeId: StoreId, change: CouponChange, current: Fragment) => {
  if (change === undefined) return current
  return change === null ? sql`null` : sql`(select code from coupon where store_id = ${storeId} and code = ${change})`
}

const heldColumns = ({ storeId, products }: Hold) => sql`${cartColumns},
  (${findRequested(storeId, sql`c.outlet_id`, products)}) as found`

/**
 * Creates or locks the shopper's cart, and looks up the requested products. No row: the guest was merged or the cart has
 * expired. Lines are read later: if this statement waits for the lock, its snapshot is older than the lines.
 */
export const holdOwnCart = (
  tx: Tx,
  hold: Hold & { shopper: Shopper; newCartId: string; outletId: OutletId },
): Promise<HeldCart | undefined> => {
  const { storeId, shopper, couponChange } = hold
  const isGuest = shopper.kind === 'guest'
  const owner = isGuest ? sql`guest_id` : sql`customer_id`
  const guest = isGuest ? guestLock(storeId, shopper.guestId) : sql`select ${shopper.customerId}::text as id`
  return tx.maybeOne<HeldCart>`
  with owner as (${guest}),
  c as (
    insert into cart as c (store_id, id, ${owner}, outlet_id, coupon_code, created_at, updated_at, sweep_on)
    select ${storeId}, ${hold.newCartId}, owner.id, ${hold.outletId},
      ${couponAfter(storeId, couponChange, sql`null`)}, vitrine_now(), vitrine_now(),
      ${isGuest ? deleteOn : sql`null`}
    from owner
    on conflict (store_id, ${owner}) where ${owner} is not null do update set version = c.version + 1,
      updated_at = excluded.updated_at, sweep_on = excluded.sweep_on,
      coupon_code = ${couponChange === undefined ? sql`c.coupon_code` : sql`excluded.coupon_code`}
    where ${isGuest ? sql`excluded.updated_at - c.updated_at < interval '30 days'` : sql`true`}
    returning c.*
  )
  select ${heldColumns(hold)}, c.id = ${hold.newCartId} as "isNew" from c`
}

/** Locks a cart by its id. No row: the cart does not exist, or the shopper may not change it. */
export const holdCart = (tx: Tx, cartId: string, hold: Hold & { shopper: Shopper }) => {
  const { storeId, shopper, couponChange } = hold
  return tx.maybeOne<HeldCart>`
  with c as (
    update cart c set version = c.version + 1, updated_at = vitrine_now(),
      sweep_on = case when c.sweep_on is not null then (select ${deleteOn}) end,
      coupon_code = ${couponAfter(storeId, couponChange, sql`c.coupon_code`)}
    where c.store_id = ${storeId} and ${isNamed({ id: cartId, seenBy: shopper })} and ${unexpired}
    returning c.*
  )
  select ${heldColumns(hold)}, false as "isNew" from c`
}

export const hasLines = async (tx: Tx, storeId: StoreId, cartId: string) =>
  (
    await tx.one<{ some: boolean }>`
    select exists (select from cart_item where store_id = ${storeId} and cart_id = ${cartId}) as some`
  ).some

/** Moves an empty cart to another outlet. */
export const moveCart = (
  tx: Tx,
  storeId: StoreId,
  cartId: string,
  outletId: OutletId,
  products: readonly RequestedProduct[],
) => tx.one<{ found: (FoundVariant | null)[] }>`
  with c as (
    update cart set outlet_id = ${outletId} where store_id = ${storeId} and id = ${cartId} returning outlet_id)
  select (${findRequested(storeId, sql`c.outlet_id`, products)}) as found from c`

/** A line to write, identified by its variant. */
export type VariantChange = {
  newId: string
  variantId: string
  productId: string
  quantity: number
  unitMinor: number
}
/** Sets the quantity of a line by its id. 0 removes the line. */
export type LineChange = { id: string; quantity: number }
/** Removes lines by product: of all variants unless one is given. */
export type Removal = RequestedProduct

export type Changes = {
  /** Add to existing quantities instead of setting them. */
  adds: boolean
  variants: readonly VariantChange[]
  lines: readonly LineChange[]
  removals: readonly Removal[]
}

export type WrittenCart = {
  lines: LineRow[]
  /** Ids of the written and removed lines. */
  touched: string[]
}

/**
 * Applies all changes to the lines of a locked cart and returns the resulting lines. The caller checks the resulting
 * quantities, and rolls back when they are not allowed.
 */
export const writeLines = (tx: Tx, storeId: StoreId, cart: Pick<CartRow, 'id' | 'outletId'>, changes: Changes) => {
  const { adds, variants, lines, removals } = changes
  const [only, ...others] = variants
  if (only !== undefined && others.length + lines.length + removals.length === 0) {
    return writeLine(tx, storeId, cart, only, adds)
  }
  const outletId = sql`${cart.outletId}::integer`
  return tx.one<WrittenCart>`
  with written as (
    insert into cart_item as i (store_id, cart_id, variant_id, id, product_id, quantity, price_minor, added_at)
    select ${storeId}, ${cart.id}, n.variant_id, n.id, n.product_id, n.quantity, n.unit_minor,
      vitrine_now() + n.position * interval '1 microsecond'
    from unnest(${variants.map((one) => one.variantId)}::text[], ${variants.map((one) => one.newId)}::text[],
      ${variants.map((one) => one.productId)}::text[], ${variants.map((one) => one.quantity)}::integer[],
      ${variants.map((one) => one.unitMinor)}::bigint[]) with ordinality
      as n (variant_id, id, product_id, quantity, unit_minor, position)
    on conflict (store_id, cart_id, variant_id) do update set price_minor = excluded.price_minor,
      quantity = case when ${adds} then i.quantity else 0 end + excluded.quantity
    returning id, product_id, variant_id, quantity, price_minor, added_at
  ),
  changed as (
    update cart_item i set quantity = n.quantity, price_minor = coalesce(o.price_minor, v.price_minor)
    from unnest(${lines.map((one) => one.id)}::text[], ${lines.map((one) => one.quantity)}::integer[]) as n (id, quantity)
    cross join variant v
    left join price_override o on o.store_id = v.store_id and o.variant_id = v.id and o.outlet_id = ${outletId}
    where i.store_id = ${storeId} and i.cart_id = ${cart.id} and i.id = n.id and n.quantity > 0
      and v.store_id = i.store_id and v.id = i.variant_id
    returning i.id, i.product_id, i.variant_id, i.quantity, i.price_minor, i.added_at
  ),
  removed as (
    delete from cart_item i
    where i.store_id = ${storeId} and i.cart_id = ${cart.id}
      and (i.id = any(${lines.filter((one) => one.quantity === 0).map((one) => one.id)}::text[])
        or exists (
          select from unnest(${removals.map((one) => one.productId)}::text[],
            ${removals.map((one) => one.variantId)}::text[]) as r (product_id, variant_id)
          where r.product_id = i.product_id and (r.variant_id is null or r.variant_id = i.variant_id)))
    returning i.id
  ),
  touched as (select id from written union all select id from changed union all select id from removed)
  select array(select id from touched) as touched, (${shownLines(
    storeId,
    outletId,
    sql`select * from written union all select * from changed union all
      select * from (${linesOf(storeId, sql`${cart.id}`)}) rest where rest.id not in (select id from touched)`,
  )}) as lines`
}

/** `writeLines` for one variant, which most changes name. The empty parts of the other statement take most of its time. */
const writeLine = (
  tx: Tx,
  storeId: StoreId,
  cart: Pick<CartRow, 'id' | 'outletId'>,
  { variantId, newId, productId, quantity, unitMinor }: VariantChange,
  adds: boolean,
) => tx.one<WrittenCart>`
  with written as (
    insert into cart_item as i (store_id, cart_id, variant_id, id, product_id, quantity, price_minor, added_at)
    values (${storeId}, ${cart.id}, ${variantId}, ${newId}, ${productId}, ${quantity}, ${unitMinor}, vitrine_now())
    on conflict (store_id, cart_id, variant_id) do update set price_minor = excluded.price_minor,
      quantity = ${adds ? sql`i.quantity + excluded.quantity` : sql`excluded.quantity`}
    returning id, product_id, variant_id, quantity, price_minor, added_at
  )
  select array(select id from written) as touched, (${shownLines(
    storeId,
    sql`${cart.outletId}::integer`,
    sql`select * from written union all ${linesOf(storeId, sql`${cart.id}`)} and variant_id <> ${variantId}`,
  )}) as lines`

export const deleteCart = (db: Queries, storeId: StoreId, customerId: string, cartId: string) => db.run`
  delete from cart where store_id = ${storeId} and id = ${cartId} and customer_id = ${customerId}`

/** Deletes an expired cart that the cleanup job has not deleted yet, so that the guest can get a new one. */
export const deleteExpiredCart = (tx: Tx, storeId: StoreId, guestId: string) => tx.run`
  delete from cart c where c.store_id = ${storeId} and c.guest_id = ${guestId} and not ${unexpired}`
