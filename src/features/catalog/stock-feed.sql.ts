import type { Queries } from '../../db/database.ts'
import { byKey, literalLimit } from '../../db/plan-hints.ts'
import { sql } from '../../db/sql.ts'

/** `turned`: a variant became sold out or available, which can change the lists that the product is in. */
export type SoldProduct = { storeId: number; productId: string; turned: boolean }

/** `snapshot`: which transactions this has seen, to go on from. */
export type StockChanges = { snapshot: string; changed: SoldProduct[] }

export const maxChanges = 5_000

export const readStockSnapshot = async (db: Queries) =>
  (await db.one<{ snapshot: string }>`select pg_current_snapshot()::text as snapshot`).snapshot

/**
 * The products whose stock was changed by transactions that an earlier snapshot has not seen. Exact, whatever the order in
 * which transactions commit. The upper bound leaves out entries of another server, from which the database was restored.
 */
export const readStockChanges = (db: Queries, since: string) => db.one<StockChanges>`
  select pg_current_snapshot()::text as snapshot, coalesce((
    select json_agg(json_build_object('storeId', c.store_id, 'productId', c.product_id, 'turned', c.turned)) from (
      select m.store_id, v.product_id,
        bool_or((m.on_hand_after > m.reserved_after)
          <> (m.on_hand_after - m.on_hand > m.reserved_after - m.reserved)) as turned
      from stock_move m
      cross join ${byKey(sql`select product_id from variant where store_id = m.store_id and id = m.variant_id`)} v
      where m.xid >= pg_snapshot_xmin(${since}::pg_snapshot)
        and m.xid < pg_snapshot_xmax(pg_current_snapshot())
        and not pg_visible_in_snapshot(m.xid, ${since}::pg_snapshot)
      group by m.store_id, v.product_id limit ${literalLimit(maxChanges + 1)}) c), '[]') as changed`
