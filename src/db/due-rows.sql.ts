import type { Queries } from './database.ts'
import { literalLimit } from './plan-hints.ts'
import { type Fragment, sql } from './sql.ts'

/** Expired rows of a tenant's table. The fragments refer to the table as `t`. */
export type Deletable = {
  table: Fragment
  /** The condition under which a row is deleted. */
  due: Fragment
  /** A further condition, which reads other tables of the store. */
  unused?: (storeId: number | Fragment) => Fragment
  /** An indexed time, so that the oldest rows are found first. */
  age: Fragment
  /** How long after that time a row is kept. */
  retention: Fragment
}

export type DueRows = { storeId: number; rowIds: string[]; waiting: number; oldestAt: Date }

export const deleteBatchSize = 500

/** The oldest due rows, one batch for all stores together, by store. Reads only. */
export const findDueRows = (
  db: Queries,
  { table, due, unused, age, retention }: Deletable,
  exceptStores: readonly number[],
) => db.many<DueRows>`
  select store_id as "storeId", array_agg(row_id) as "rowIds", count(*) as waiting,
    min(age)::timestamptz + ${retention} as "oldestAt"
  from (
    select t.store_id, t.ctid::text as row_id, ${age} as age from ${table} t
    where ${due} and ${unused?.(sql`t.store_id`) ?? sql`true`} and t.store_id <> all(${exceptStores}::integer[])
    order by ${age} limit ${literalLimit(deleteBatchSize)}) oldest
  group by store_id
  order by "oldestAt"`

/**
 * Deletes those of the rows that are still due: a row id may belong to another row by now. Skips rows in use, so that a
 * cleanup never waits for a request. Returns how many were deleted.
 */
export const deleteDueRows = (
  db: Queries,
  { table, due, unused }: Deletable,
  storeId: number,
  rowIds: readonly string[],
) => db.run`
  delete from ${table} d where d.store_id = ${storeId} and d.ctid = any(array(
    select t.ctid from ${table} t
    where t.store_id = ${storeId} and t.ctid = any(${rowIds}::tid[]) and ${due}
      and ${unused?.(storeId) ?? sql`true`}
    for update of t skip locked))`
