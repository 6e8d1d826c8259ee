import type { Db, Queries } from '../../../db/database.ts'
import { byKey } from '../../../db/plan-hints.ts'
import { sql } from '../../../db/sql.ts'
import type { OutletRef } from '../catalog.sql.ts'
import { serverNow } from '../listing-change.sql.ts'

/** `identity` tells this database from others, and from itself before it was restored or failed over. */
export type DatabaseState = { identity: string; snapshot: string; server: string }

export const readDatabaseState = (db: Queries) => db.one<DatabaseState>`
  select concat_ws('/', s.system_identifier, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), d.oid) as identity,
    pg_current_snapshot()::text as snapshot, ${serverNow} as server
  from pg_control_system() s, pg_database d where d.datname = current_database()`

/** `version`: the transaction that wrote the listing. */
export type ListedVersion = { seq: number; version: number }

/** Planned with its values, because the planner expects a store of average size and would sort a large one. */
export const readVersions = (db: Db, { storeId, outletId }: OutletRef, after: number, limit: number) =>
  db.fresh.many<ListedVersion>`
    select l.seq, l.xmin::text::bigint as version from listing l
    where l.store_id = ${storeId} and l.outlet_id = ${outletId} and l.seq > ${after} order by l.seq limit ${limit}`

/** `entries`: the words as the listing has them, each with the outlet and a mark in front, see `wordQuery`. */
export type Listed = {
  seq: number
  version: number
  priceMinor: number
  inStock: boolean
  categoryId: string | null
  nameKey: string
  entries: string
}

/** No word and no option has this character. */
export const entryEnd = '\u001e'

const listedColumns = sql`l.seq, l.xmin::text::bigint as version, l.price_minor as "priceMinor", l.in_stock as "inStock",
  l.category_id as "categoryId", l.name_key as "nameKey", array_to_string(tsvector_to_array(l.words), e'\\x1e') as entries`

/** In ascending order. Planned with its values, like `readVersions`. */
export const readListings = (db: Db, { storeId, outletId }: OutletRef, after: number, limit: number) =>
  db.fresh.many<Listed>`
    select ${listedColumns} from listing l
    where l.store_id = ${storeId} and l.outlet_id = ${outletId} and l.seq > ${after} order by l.seq limit ${limit}`

/** In any order, without those that are not listed. */
export const readListed = (db: Db, { storeId, outletId }: OutletRef, seqs: readonly number[]) => db.fresh.many<Listed>`
  select l.* from unnest(${seqs}::bigint[]) as wanted (seq) cross join ${byKey(sql`
    select ${listedColumns}
    from listing l where l.store_id = ${storeId} and l.outlet_id = ${outletId} and l.seq = wanted.seq`)} l`
