import type { Queries, Tx } from '../../db/database.ts'
import { isPaidFor } from './downloads.sql.ts'

export type NamedFile = { storeId: string; name: string }

/** Only one process of all that use this database copies at a time. */
export const lockSharedFiles = (tx: Tx) => tx.run`select pg_advisory_xact_lock(7150424)`

/** The files that each store used when all stores shared one folder. Only the migration writes this table. */
export const listSharedFiles = (db: Queries) => db.many<NamedFile>`
  select s.public_id as "storeId", f.name from shared_file f join store s on s.id = f.store_id order by f.store_id, f.id`

/** All files that are for sale, or were bought and can still be downloaded, without duplicates. */
export const listNamedFiles = (db: Queries) => db.many<NamedFile>`
  select s.public_id as "storeId", named.name
  from (
    select p.store_id, p.digital ->> 'file' as name from product p
    where p.digital ->> 'file' <> '' and p.status = 'ACTIVE'
    union
    select l.store_id, l.digital ->> 'file'
    from download d
    join orders o on o.store_id = d.store_id and o.id = d.order_id
    join order_line l on l.store_id = d.store_id and l.order_id = d.order_id and l.position = d.position
    where ${isPaidFor} and l.digital ->> 'file' <> '' and d.used < d.most_uses) named
  join store s on s.id = named.store_id
  order by 1, 2`
