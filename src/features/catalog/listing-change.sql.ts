import type { Queries, Tx } from '../../db/database.ts'
import type { Deletable } from '../../db/due-rows.sql.ts'
import { literalLimit } from '../../db/plan-hints.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'

/** Tells index files which listings were written or removed, at any outlet (decision 0059). */
export const noteListingChange = (tx: Tx, storeId: StoreId, seqs: readonly number[]) => tx.run`
  insert into listing_change (store_id, at, seqs) values (${storeId}, vitrine_now(), ${seqs}::bigint[])`

/** Another value says that another server or database answers than before, to which a snapshot says nothing. */
export const serverNow = sql`concat_ws('/', (select oid from pg_database where datname = current_database()),
  pg_postmaster_start_time())`

/** `isCut`: there are more changes than were read. */
export type ListingChanges = { snapshot: string; server: string; changed: number[]; isCut: boolean }

/** A transaction notes up to two thousand listings in a row. */
const maxRows = 100

/** The listings that were changed by transactions that an earlier snapshot has not seen, as in `readStockChanges`. */
export const readListingChanges = (db: Queries, storeId: StoreId, since: string) => db.one<ListingChanges>`
  select pg_current_snapshot()::text as snapshot, ${serverNow} as server, coalesce(max(c.place) > ${maxRows}, false) as "isCut",
    coalesce(array_agg(distinct c.seq::float8) filter (where c.place <= ${maxRows}), '{}') as changed
  from (
    select unnest(m.seqs) as seq, m.place from (
      select m.seqs, row_number() over () as place from listing_change m
      where m.store_id = ${storeId} and m.xid >= pg_snapshot_xmin(${since}::pg_snapshot)
        and m.xid < pg_snapshot_xmax(pg_current_snapshot())
        and not pg_visible_in_snapshot(m.xid, ${since}::pg_snapshot)
      limit ${literalLimit(maxRows + 1)}) m) c`

/** An index that has not looked for longer compares all listings instead. */
export const oldListingChanges: Deletable = {
  table: sql`listing_change`,
  due: sql`t.at < vitrine_now() - interval '1 hour'`,
  age: sql`t.at`,
  retention: sql`interval '1 hour'`,
}
