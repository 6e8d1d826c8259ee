import type { Tx } from '../../db/database.ts'
import type { OutletId, StoreId } from '../context.ts'

export type StockLine = { variantId: string; quantity: number }

/** What a move does with each unit: on hand, reserved, and whether the unit must be free before. */
export type StockMove = { onHand: -1 | 0 | 1; reserved: -1 | 0 | 1; mustBeFree: boolean }

/** `isTurned`: it is sold out now and was not, or the other way round. */
export type Moved = { variantId: string; productId: string; isTurned: boolean }

/**
 * Moves units of many variants in one statement. The rows are locked in one order, whatever the order of the lines, so
 * that two orders of the same things wait for each other and do not deadlock. A variant without enough free units is
 * not in the answer; the caller undoes the transaction then.
 */
export const moveStock = (
  tx: Tx,
  storeId: StoreId,
  outletId: OutletId,
  lines: readonly StockLine[],
  { onHand, reserved, mustBeFree }: StockMove,
) => tx.many<Moved>`
  with wanted as (
    select "variantId" as variant_id, sum(quantity)::integer as quantity
    from jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as n ("variantId" text, quantity integer)
    group by "variantId"),
  locked as (
    select s.variant_id from stock s
    where s.store_id = ${storeId} and s.outlet_id = ${outletId} and s.variant_id in (select variant_id from wanted)
    order by s.variant_id
    for no key update)
  update stock s set on_hand = s.on_hand + ${onHand}::integer * w.quantity,
    reserved = s.reserved + ${reserved}::integer * w.quantity
  from wanted w
  where s.store_id = ${storeId} and s.outlet_id = ${outletId} and s.variant_id = w.variant_id
    and s.variant_id in (select variant_id from locked)
    and (not ${mustBeFree}::boolean or s.on_hand - s.reserved >= w.quantity)
  returning s.variant_id as "variantId", s.product_id as "productId",
    (s.on_hand > s.reserved) <> (s.on_hand - s.reserved > ${onHand - reserved}::integer * w.quantity) as "isTurned"`
