import { type Fragment, sql } from '../../db/sql.ts'
import type { Actor, StoreId } from '../context.ts'
import type { MoveCause } from './stock.admin.contract.ts'

export type { MoveCause }

/** What the ledger says about a change besides its units. */
export type MoveNote = { cause: MoveCause; orderId: string | null; reason: string | null; actor: Actor | null }

/**
 * A part of the statement that changes stock rows: an entry in the ledger for each row of `changed`, which has
 * `variant_id`, `outlet_id`, the units that were added to `on_hand` and `reserved`, and what both are after that. The rows
 * are locked when their entries are numbered, so the entries of a row are in the order of its changes.
 */
export const noteMoves = (storeId: StoreId, { cause, orderId, reason, actor }: MoveNote, changed: Fragment) => sql`
  insert into stock_move (at, store_id, outlet_id, on_hand, reserved, on_hand_after, reserved_after, variant_id, cause,
    order_id, reason, actor_kind, actor_id, actor_name)
  select vitrine_now(), ${storeId}, c.outlet_id, c.on_hand, c.reserved, c.on_hand_after, c.reserved_after, c.variant_id,
    ${cause}, ${orderId}, ${reason}, ${actor?.kind ?? null}, ${actor?.id ?? null}, ${actor?.name ?? null}
  from ${changed} c where c.on_hand <> 0 or c.reserved <> 0
  returning 1`
