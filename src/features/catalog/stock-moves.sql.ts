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
  { onHand, reserved, mustBeFree }: StockMove,
  note: MoveNote,
) => {
  const units = unitsOf(lines)
  const variantIds = [...units.keys()]
  const quantity = sql`(${[...units.values()]}::integer[])[array_position(${variantIds}::text[], s.variant_id)]`
  const named = sql`unnest(${variantIds}::text[]) as named (id)`
  const variant = sql`select stock_tracked, product_id from variant where store_id = ${storeId} and id = named.id`
  const line = mustBeFree
    ? sql`select named.id, coalesce(v.stock_tracked, true) as is_counted, v.product_id from ${named}
        left join ${byKey(variant)} v on true`
    : sql`select named.id, true as is_counted, null as product_id from ${named}`
  const available = sql`(s.on_hand - s.reserved)`
  const change = sql`${onHand - reserved}::integer * ${quantity}`
  // Only taking units can reach a threshold. Selling a reserved unit changes nothing about what is available.
  const takes = onHand < reserved
  const eventType = (before: Fragment, after: Fragment) =>
    takes ? stockEventType(before, after, sql`s.low_at`) : sql`null`
  const counted = takes
    ? sql`, event_count = s.event_count + ${countStockEvent(eventType(available, sql`(${available} + ${change})`))}`
    : sql``
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
    update stock s set on_hand = s.on_hand + ${onHand}::integer * ${quantity},
      reserved = s.reserved + ${reserved}::integer * ${quantity}${counted}
    where s.store_id = ${storeId} and s.variant_id = any(${ids}) and s.outlet_id = ${outletId}
      and (select count(*) from locked) > 0
      and (not ${mustBeFree}::boolean or s.on_hand - s.reserved >= ${quantity})
    returning s.variant_id, s.product_id, s.outlet_id, ${onHand}::integer * ${quantity} as on_hand,
      ${reserved}::integer * ${quantity} as reserved, s.on_hand as on_hand_after, s.reserved as reserved_after,
      (s.on_hand > s.reserved) <> (s.on_hand - s.reserved > ${change}) as availability_changed,
      ${eventType(sql`(${available} - ${change})`, available)} as event_type, s.event_count),
  noted as (${noteMoves(storeId, note, sql`moved`)})
  select variant_id as "variantId", product_id as "productId", availability_changed as "availabilityChanged",
    true as "isCounted", event_type as "eventType", event_count as sequence from moved
  union all
  select id, product_id, false, false, null, 0 from line where not is_counted`
}

const unitsOf = (lines: readonly StockLine[]) => {
  const units = new Map<string, number>()
  for (const { variantId, quantity } of lines) units.set(variantId, (units.get(variantId) ?? 0) + quantity)
  return units
}
