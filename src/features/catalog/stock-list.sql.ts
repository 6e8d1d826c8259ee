import type { Db, Queries } from '../../db/database.ts'
import { byKey, notByIndex, storeNotByIndex } from '../../db/plan-hints.ts'
import { allOf, type Fragment, sql } from '../../db/sql.ts'
import type { Actor, OutletId, StoreId } from '../context.ts'
import type { MoveCause } from './stock-ledger.sql.ts'

export type StockRow = {
  variantId: string
  productId: string
  outletId: string
  /** The internal id, for the position in the list. */
  outlet: OutletId
  sku: string
  name: string
  variant: string
  tracked: boolean
  onHand: number
  reserved: number
  available: number
  lowStockThreshold: number
  low: boolean
}

export type StockFilter = {
  outletId: OutletId | null
  variantId: string | null
  sku: string | null
  productId: string | null
  /** Words of the name or SKU, as a query of the index of listings, and the text as a whole, which may be a SKU. */
  words: { query: string; outletId: OutletId; text: string } | null
  stock: 'out' | 'low' | null
}

export type StockPosition = { variantId: string; outletId: OutletId }

/** Parts that are not asked for are left out, so that each combination has a plan of its own. */
const matching = (storeId: StoreId, filter: StockFilter, row: { variant: Fragment; outlet: Fragment }): Fragment[] => {
  const { outletId, variantId, sku, productId, words } = filter
  const conditions = [sql`v.active and p.status <> 'ARCHIVED'`]
  if (variantId !== null) conditions.push(sql`${row.variant} = ${variantId}`)
  if (outletId !== null) conditions.push(sql`${row.outlet} = ${outletId}`)
  if (productId !== null) conditions.push(sql`v.product_id = ${productId}`)
  if (sku !== null) conditions.push(sql`v.sku = ${sku} and v.sku <> ''`)
  if (words !== null) {
    const withSku = sql`select k.id from variant k where k.store_id = ${storeId} and k.sku = ${words.text} and k.sku <> ''`
    const named = sql`
      select k.id from listing l join variant k on k.store_id = ${storeId} and k.product_id = l.product_id
      where ${notByIndex(sql`l.outlet_id = ${words.outletId}`)} and ${storeNotByIndex(sql`l.store_id`, storeId)}
        and l.words @@ ${words.query}::tsquery`
    conditions.push(sql`${row.variant} in (${words.query === '' ? withSku : sql`${named} union ${withSku}`})`)
  }
  return conditions
}

/** From the index of rows that are low. An outlet where a variant was never counted has none. */
const lowRows = (storeId: StoreId, filter: StockFilter): Fragment => {
  const row = { variant: sql`s.variant_id`, outlet: sql`s.outlet_id` }
  const conditions = [sql`s.store_id = ${storeId} and s.is_low and v.stock_tracked`, ...matching(storeId, filter, row)]
  if (filter.stock === 'out') conditions.push(sql`s.on_hand = s.reserved`)
  const variant = sql`select * from variant where store_id = ${storeId} and id = s.variant_id`
  const product = sql`select id, name, status from product where store_id = ${storeId} and id = s.product_id`
  const outlet = sql`select id, public_id from outlet where store_id = ${storeId} and id = s.outlet_id`
  // By key, so that the rows stay in the order of the index, and a page reads few of them. A SKU is found first.
  const joined =
    filter.sku === null && filter.words === null
      ? sql`cross join ${byKey(variant)} v cross join ${byKey(product)} p cross join ${byKey(outlet)} o`
      : sql`join variant v on v.store_id = s.store_id and v.id = s.variant_id
        join product p on p.store_id = s.store_id and p.id = s.product_id
        join outlet o on o.store_id = s.store_id and o.id = s.outlet_id`
  if (filter.productId !== null) conditions.push(sql`s.product_id = ${filter.productId}`)
  return sql`from stock s ${joined} where ${allOf(conditions)}`
}

/** All variants at all outlets, also where they were never counted. By key, so that a page reads few rows. */
const allRows = (storeId: StoreId, filter: StockFilter, more: Fragment): Fragment => {
  const product = sql`select id, name, status from product where store_id = ${storeId} and id = v.product_id`
  const conditions = matching(storeId, filter, { variant: sql`v.id`, outlet: sql`o.id` })
  return sql`
  from variant v
  cross join ${byKey(product)} p
  join outlet o on o.store_id = v.store_id ${more}
  where v.store_id = ${storeId} and ${allOf(conditions)}`
}

const columns = sql`v.id as "variantId", v.product_id as "productId", o.public_id as "outletId", o.id as outlet, v.sku,
  p.name, v.title as variant, v.stock_tracked as tracked`

const lowColumns = sql`${columns}, s.on_hand as "onHand", s.reserved, s.on_hand - s.reserved as available,
  s.low_at as "lowStockThreshold", true as low`

const allColumns = sql`${columns}, coalesce(s.on_hand, 0) as "onHand", coalesce(s.reserved, 0) as reserved,
  coalesce(s.on_hand - s.reserved, 0) as available,
  coalesce(s.low_at, v.low_stock_threshold, t.low_stock_threshold) as "lowStockThreshold",
  v.stock_tracked and coalesce(s.is_low, false) as low`

/** Whether few or many rows match words is in the values, so each query is planned for its own. */
const planned = (db: Db, { words }: StockFilter): Pick<Queries, 'many' | 'one'> => (words === null ? db : db.fresh)

/** By variant and outlet. */
export const listStock = (
  db: Db,
  storeId: StoreId,
  filter: StockFilter,
  { after, limit }: { after: StockPosition | null; limit: number },
): Promise<StockRow[]> => {
  const queries = planned(db, filter)
  if (filter.stock !== null) {
    const start =
      after === null ? sql`` : sql`and (s.variant_id, s.outlet_id) > (${after.variantId}, ${after.outletId})`
    return queries.many<StockRow>`
  select ${lowColumns} ${lowRows(storeId, filter)} ${start}
  order by s.variant_id, s.outlet_id limit ${limit}`
  }
  // The first condition lets the index find the start.
  const start =
    after === null
      ? sql``
      : sql`and v.id >= ${after.variantId} and (v.id > ${after.variantId} or o.id > ${after.outletId})`
  const units = sql`
    select on_hand, reserved, low_at, is_low from stock
    where store_id = ${storeId} and variant_id = v.id and outlet_id = o.id`
  const more = sql`join store t on t.id = v.store_id left join ${byKey(units)} s on true`
  return queries.many<StockRow>`
  select ${allColumns} ${allRows(storeId, filter, more)} ${start}
  order by v.id, o.id limit ${limit}`
}

export const countStock = async (db: Db, storeId: StoreId, filter: StockFilter, limit: number) => {
  const rows = filter.stock === null ? allRows(storeId, filter, sql``) : lowRows(storeId, filter)
  const { found } = await planned(db, filter).one<{ found: number }>`
  select count(*) as found from (select ${rows} limit ${limit}) found`
  return found
}

export type MoveRow = {
  id: number
  at: Date
  variantId: string
  outletId: string
  cause: MoveCause
  /** What the move adds. */
  onHandChange: number
  reservedChange: number
  /** What there is after it. */
  onHand: number
  reserved: number
  orderId: string | null
  reason: string | null
  actorKind: Actor['kind'] | null
  actorId: string | null
  actorName: string | null
}

export type MoveFilter = {
  variantId: string
  outletId: OutletId | null
  cause: MoveCause | null
  from: Date | null
  to: Date | null
}

const movesOf = (storeId: StoreId, { variantId, outletId, cause, from, to }: MoveFilter): Fragment => sql`
  from stock_move m join outlet o on o.store_id = m.store_id and o.id = m.outlet_id
  where m.store_id = ${storeId} and m.variant_id = ${variantId}
    ${outletId === null ? sql`` : sql`and m.outlet_id = ${outletId}`}
    ${cause === null ? sql`` : sql`and m.cause = ${cause}`}
    ${from === null ? sql`` : sql`and m.at >= ${from}`}
    ${to === null ? sql`` : sql`and m.at < ${to}`}`

/** The ledger of a variant, newest first. */
export const listMoves = (
  db: Queries,
  storeId: StoreId,
  filter: MoveFilter,
  { before, limit }: { before: number | null; limit: number },
) => db.many<MoveRow>`
  select m.seq as id, m.at, m.variant_id as "variantId", o.public_id as "outletId", m.cause, m.on_hand as "onHandChange",
    m.reserved as "reservedChange", m.on_hand_after as "onHand", m.reserved_after as reserved, m.order_id as "orderId",
    m.reason, m.actor_kind as "actorKind", m.actor_id as "actorId", m.actor_name as "actorName"
  ${movesOf(storeId, filter)} ${before === null ? sql`` : sql`and m.seq < ${before}`}
  order by m.seq desc limit ${limit}`

export const countMoves = async (db: Queries, storeId: StoreId, filter: MoveFilter, limit: number) =>
  (
    await db.one<{ found: number }>`
    select count(*) as found from (select ${movesOf(storeId, filter)} limit ${limit}) found`
  ).found
