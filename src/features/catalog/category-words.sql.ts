import type { Queries, Tx } from '../../db/database.ts'
import { literalLimit } from '../../db/plan-hints.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import { json } from './products.sql.ts'
import { type StateRow, variantsOfProduct, wholeProductColumns } from './whole-product.sql.ts'

export const findStoresToReindex = (db: Queries) => db.many<{ storeId: StoreId; waiting: number; oldestAt: Date }>`
  select store_id as "storeId", count(*) as waiting, min(reindex_at) as "oldestAt" from category
  where reindex_at is not null and reindex_at <= vitrine_now()
  group by store_id order by min(reindex_at) limit 100`

export type CategoryToReindex = { storeId: StoreId; categoryId: string }

export const claimCategories = (db: Queries, storeId: StoreId, limit: number) => db.many<CategoryToReindex>`
  update category c set reindex_at = vitrine_now() + interval '1 minute'
  where c.store_id = ${storeId} and c.id = any(array(
    select q.id from category q
    where q.store_id = ${storeId} and q.reindex_at <= vitrine_now()
    order by q.reindex_at limit ${limit} for update skip locked))
  returning c.store_id as "storeId", c.id as "categoryId"`

/** Undefined if there is nothing left to do. */
export const readReindexPosition = async (tx: Tx, storeId: StoreId, categoryId: string) =>
  (
    await tx.maybeOne<{ after: string[] }>`
      select reindex_after as after from category
      where store_id = ${storeId} and id = ${categoryId} and reindex_at is not null`
  )?.after

export const reindexBatch = 250

export const listProductsToReindex = (
  tx: Tx,
  storeId: StoreId,
  categoryId: string,
  [status = '', id = '']: readonly string[],
) => tx.many<{ status: string; id: string }>`
  select p.status, p.id from product p
  where p.store_id = ${storeId} and p.category_id = ${categoryId} and (p.status, p.id) > (${status}, ${id})
  order by p.status, p.id limit ${literalLimit(reindexBatch)}`

/** `after` null: everything is done. */
export const noteReindexed = (tx: Tx, storeId: StoreId, categoryId: string, after: readonly string[] | null) => tx.run`
  update category set reindex_after = ${after ?? []}::text[],
    reindex_at = ${after === null ? sql`null` : sql`vitrine_now() + interval '1 minute'`}
  where store_id = ${storeId} and id = ${categoryId}`

export const readStatesById = (tx: Tx, storeId: StoreId, ids: readonly string[]) => tx.many<StateRow>`
  select ${wholeProductColumns}, v.variants from product p cross join lateral (${variantsOfProduct(storeId)}) v
  where p.store_id = ${storeId} and p.id = any(${ids})`

export type ProductWords = { id: string; words: string[] }

const hidden = sql`case when p.status <> 'ACTIVE' then array_to_tsvector(array(
  select p.store_id || '~' || word from jsonb_array_elements_text(n.words) word)) end`

export const updateWords = (tx: Tx, storeId: StoreId, products: readonly ProductWords[]) => tx.run`
  update product p set words = array(select jsonb_array_elements_text(n.words)), hidden_words = ${hidden}
  from jsonb_to_recordset(${json(products)}::jsonb) as n (id text, words jsonb)
  where p.store_id = ${storeId} and p.id = n.id
    and p.words is distinct from array(select jsonb_array_elements_text(n.words))`
