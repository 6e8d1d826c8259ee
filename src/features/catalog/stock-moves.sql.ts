import type { Tx } from '../../db/database.ts'
import { byKey } from '../../db/plan-hints.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { OutletId, StoreId } from '../context.ts'
import { countStockEvent, type StockTurn, stockEventType } from './stock-events.sql.ts'
import { type MoveNote, noteMoves } from './stock-ledger.sql.ts'

export type StockLine = { variantId: string; quantity: number }

/** The effect of a move per unit, and whether the unit must be available before. */
export type StockMove = { onHand: -1 | 0 | 1; reserved: -1 | 0 | 1; mustBeFree: boolean }

/**
 * `availabilityChanged`: the variant became sold out or available. `isCounted` is false for an untracked variant, of which nothing is
 * moved.
 */
export type Moved = {
  variantId: string
  productId: string
  availabilityChanged: boolean
  isCounted: boolean
  /** The event if the available units have reached a threshold. */
  eventType: StockTurn['type'] | null
  sequence: number
}

/**
 * Moves units of many variants in one statement. Rows are locked in a fixed order, so two orders for the same variants
 * cannot deadlock. A variant without enough available units is missing from the result, and the caller rolls back.
 *
 * Before units are taken, the variants are looked up: an untracked variant is sold without counting, and the result says
 * so. Returned units were counted when they were taken, even if the variant is untracked now (decision 0024).
 */
export const moveStock = (
  tx: Tx,
  storeId: StoreId,
  outletId: OutletId,
  lines: readonly StockLine[],
  move: StockMove,
  note: MoveNote,
) => {
  const units = unitsOf(lines)
  const variantIds = [...units.keys()]
  const [only, ...others] = units
  if (only !== undefined && others.length === 0) {
    const [variantId, quantity] = only
    return moveVariant(tx, storeId, outletId, { variantId, quantity }, move, note)
  }
  const { mustBeFree } = move
  const quantity = sql`(${[...units.values()]}::integer[])[array_position(${variantIds}::text[], s.variant_id)]`
  const named = sql`unnest(${variantIds}::text[]) as named (id)`
  const variant = sql`select stock_tracked, product_id from variant where store_id = ${storeId} and id = named.id`
  const line = mustBeFree
    ? sql`select named.id, coalesce(v.stock_tracked, true) as is_counted, v.product_id from ${named}
        left join ${byKey(variant)} v on true`
    : sql`select named.id, true as is_counted, null as product_id from ${named}`
  const ids = sql`array(select id from line where is_counted order by id collate "C")`
  return tx.many<Moved>`
  with line as (${line}),
  locked as (
    select 1 from unnest(${ids}) as w (variant_id)
    cross join lateral (
      select from stock s
      where s.store_id = ${storeId} and s.variant_id = w.variant_id and s.outlet_id = ${outletId}
      for no key update) s),
  moved as (
    ${changeStock(move, quantity)}
    where s.store_id = ${storeId} and s.variant_id = any(${ids}) and s.outlet_id = ${outletId}
      and (select count(*) from locked) > 0
      and (not ${mustBeFree}::boolean or s.on_hand - s.reserved >= ${quantity})
    ${returnMoved(move, quantity)}),
  noted as (${noteMoves(storeId, note, sql`moved`)})
  ${movedColumns}
  union all
  select id, product_id, false, false, null, 0 from line where not is_counted`
}

/** `moveStock` for one variant, as most orders have: one row, so there is no order of locks, and no list to join. */
const moveVariant = (
  tx: Tx,
  storeId: StoreId,
  outletId: OutletId,
  { variantId, quantity: units }: StockLine,
  move: StockMove,
  note: MoveNote,
) => {
  const quantity = sql`${units}::integer`
  const row = sql`s.store_id = ${storeId} and s.variant_id = ${variantId} and s.outlet_id = ${outletId}`
  if (!move.mustBeFree) {
    return tx.many<Moved>`
  with moved as (${changeStock(move, quantity)} where ${row} ${returnMoved(move, quantity)}),
  noted as (${noteMoves(storeId, note, sql`moved`)})
  ${movedColumns}`
  }
  return tx.many<Moved>`
  with line as materialized (
    select id, stock_tracked, product_id from variant where store_id = ${storeId} and id = ${variantId}),
  moved as (
    ${changeStock(move, quantity)}
    where ${row} and coalesce((select stock_tracked from line), true) and s.on_hand - s.reserved >= ${quantity}
    ${returnMoved(move, quantity)}),
  noted as (${noteMoves(storeId, note, sql`moved`)})
  ${movedColumns}
  union all
  select id, product_id, false, false, null, 0 from line where not stock_tracked`
}

const available = sql`(s.on_hand - s.reserved)`
const changeOf = ({ onHand, reserved }: StockMove, quantity: Fragment) =>
  sql`${onHand - reserved}::integer * ${quantity}`

/** Only taking units can reach a threshold. Selling a reserved unit changes nothing about what is available. */
const eventTypeOf = ({ onHand, reserved }: StockMove, before: Fragment, after: Fragment) =>
  onHand < reserved ? stockEventType(before, after, sql`s.low_at`) : sql`null`

const changeStock = (move: StockMove, quantity: Fragment) => {
  const after = sql`(${available} + ${changeOf(move, quantity)})`
  const counted = sql`, event_count = s.event_count + ${countStockEvent(eventTypeOf(move, available, after))}`
  return sql`
    update stock s set on_hand = s.on_hand + ${move.onHand}::integer * ${quantity},
      reserved = s.reserved + ${move.reserved}::integer * ${quantity}${move.onHand < move.reserved ? counted : sql``}`
}

const returnMoved = (move: StockMove, quantity: Fragment) => {
  const change = changeOf(move, quantity)
  return sql`
    returning s.variant_id, s.product_id, s.outlet_id, ${move.onHand}::integer * ${quantity} as on_hand,
      ${move.reserved}::integer * ${quantity} as reserved, s.on_hand as on_hand_after, s.reserved as reserved_after,
      (s.on_hand > s.reserved) <> (s.on_hand - s.reserved > ${change}) as availability_changed,
      ${eventTypeOf(move, sql`(${available} - ${change})`, available)} as event_type, s.event_count`
}

const movedColumns = sql`
  select variant_id as "variantId", product_id as "productId", availability_changed as "availabilityChanged",
    true as "isCounted", event_type as "eventType", event_count as sequence from moved`

const unitsOf = (lines: readonly StockLine[]) => {
  const units = new Map<string, number>()
  for (const { variantId, quantity } of lines) units.set(variantId, (units.get(variantId) ?? 0) + quantity)
  return units
}
