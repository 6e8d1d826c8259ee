import type { Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

/** By id or slug, otherwise by the path of names from the root. */
export const findCategoryId = async (tx: Tx, storeId: StoreId, text: string, path: readonly string[]) =>
  (
    await tx.maybeOne<{ id: string }>`
      with recursive walk as (
        select c.id, 1 as depth from category c
        where c.store_id = ${storeId} and c.parent_id is null and c.name = (${path}::text[])[1]
        union all
        select c.id, walk.depth + 1 from walk join category c on c.store_id = ${storeId} and c.parent_id = walk.id
          and c.name = (${path}::text[])[walk.depth + 1]),
      found as (
        select c.id, 1 as rank from category c
        where c.store_id = ${storeId} and (c.id = ${text} or c.slug = ${text})
        union all
        select walk.id, 2 from walk where walk.depth = cardinality(${path}::text[]))
      select id from found order by rank limit 1`
  )?.id

export const findProductId = async (tx: Tx, storeId: StoreId, idOrSlug: string) =>
  (
    await tx.maybeOne<{ id: string }>`
      select id from product where store_id = ${storeId} and (id = ${idOrSlug} or slug = ${idOrSlug})
      order by id = ${idOrSlug} desc limit 1`
  )?.id
