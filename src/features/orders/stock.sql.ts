import type { Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { OutletId, StoreId } from '../context.ts'

export type StockLine = { variantId: string; quantity: number }

/** What a move does with each unit: on hand, reserved, and whether the unit must be free before. */
export type StockMove = { onHand: -1 | 0 | 1; reserved: -1 | 0 | 1; mustBeFree: boolean }

/** `isTurned`: it is sold out now and was not, or the other way round. */
export type Moved = { variantId: string; productId: string; isTurned: boolean }

/**
 * Moves units of many variants in one statement. The rows are locked one by one in one order, whatever the order of the
 * lines, so that two orders of the same things wait for each other and do not deadlock. A variant without enough free
 * units is not in the answer; the caller undoes the transaction then. The variants become an array, by which the rows
 * are found through their key: joined to a list of unknown length, all the stock of the outlet would be read. They
 * travel as JSON, because the planner would look into an array and plan the statement anew each time.
 */
export const moveStock = (
  tx: Tx,
  storeId: StoreId,
  outletId: OutletId,
  lines: readonly StockLine[],
  { onHand, reserved, mustBeFree }: StockMove,
) => {
  const units = JSON.stringify(unitsOf(lines))
  const quantity = sql`(${units}::jsonb ->> s.variant_id)::integer`
  const ids = sql`array(select id from jsonb_object_keys(${units}::jsonb) as id order by id collate "C")`
  return tx.many<Moved>`
  with locked as (
    select from unnest(${ids}) as w (variant_id)
    cross join lateral (
      select from stock s
      where s.store_id = ${storeId} and s.variant_id = w.variant_id and s.outlet_id = ${outletId}
      for no key update) s)
  update stock s set on_hand = s.on_hand + ${onHand}::integer * ${quantity},
    reserved = s.reserved + ${reserved}::integer * ${quantity}
  where s.store_id = ${storeId} and s.variant_id = any(${ids}) and s.outlet_id = ${outletId}
    and (select count(*) from locked) > 0
    and (not ${mustBeFree}::boolean or s.on_hand - s.reserved >= ${quantity})
  returning s.variant_id as "variantId", s.product_id as "productId",
    (s.on_hand > s.reserved) <> (s.on_hand - s.reserved > ${onHand - reserved}::integer * ${quantity}) as "isTurned"`
}

const unitsOf = (lines: readonly StockLine[]) => {
  const units: Record<string, number> = {}
  for (const { variantId, quantity } of lines) units[variantId] = (units[variantId] ?? 0) + quantity
  return units
}
