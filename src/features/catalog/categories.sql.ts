import type { Queries, Tx } from '../../db/database.ts'
import { literalLimit } from '../../db/plan-hints.ts'
import { allOf, type Fragment, sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import type { CategoryRow } from './catalog.sql.ts'

const columns = sql`c.id, c.name, c.slug, c.parent_id as "parentId", c.image, c.product_count as "productCount", c.position`

export type CategoryFilter = { words: readonly string[]; parentId: string | undefined }

const wanted = (storeId: StoreId, { words, parentId }: CategoryFilter): Fragment[] => [
  sql`c.store_id = ${storeId}`,
  ...(parentId === undefined ? [] : [sql`c.parent_id = ${parentId}`]),
  ...words.map((word) => sql`exists (select from unnest(c.words) w where starts_with(w, ${word}))`),
]

export const listCategoriesForAdmin = (
  db: Queries,
  storeId: StoreId,
  filter: CategoryFilter,
  position: readonly (string | number)[] | undefined,
  limit: number,
) => {
  const start = position === undefined ? sql`true` : sql`(c.position, c.id) > (${position[0]}, ${position[1]})`
  return db.many<CategoryRow>`
    select ${columns} from category c where ${allOf([...wanted(storeId, filter), start])}
    order by c.position, c.id limit ${limit}`
}

export const countCategories = async (db: Queries, storeId: StoreId, filter: CategoryFilter, limit: number) =>
  (
    await db.one<{ count: number }>`
      select count(*)::integer as count from (
        select from category c where ${allOf(wanted(storeId, filter))} limit ${literalLimit(limit)}) counted`
  ).count

export const findCategory = (db: Queries, storeId: StoreId, idOrSlug: string) => db.maybeOne<CategoryRow>`
  select ${columns} from category c
  where c.store_id = ${storeId} and (c.id = ${idOrSlug} or c.slug = ${idOrSlug})
  order by c.id = ${idOrSlug} desc limit 1`

export type CategoryFields = Pick<CategoryRow, 'name' | 'slug' | 'parentId' | 'image' | 'position'>

export const updateCategory = (
  tx: Tx,
  storeId: StoreId,
  id: string,
  { name, slug, parentId, image, position }: CategoryFields,
  words: readonly string[],
) => tx.run`
  update category set name = ${name}, slug = ${slug}, parent_id = ${parentId}, image = ${image}, position = ${position},
    words = ${words}
  where store_id = ${storeId} and id = ${id}`

/** False if it has products or categories in it. */
export const deleteEmptyCategory = async (tx: Tx, storeId: StoreId, id: string) =>
  (await tx.run`
    delete from category c where c.store_id = ${storeId} and c.id = ${id}
      and not exists (select from category child where child.store_id = ${storeId} and child.parent_id = ${id})
      and not exists (select from product p where p.store_id = ${storeId} and p.category_id = ${id})`) > 0

/** The products of a category and its descendants need new words. A job makes them, from the beginning. */
export const requestNewWords = (tx: Tx, storeId: StoreId, id: string) => tx.run`
  with recursive tree as (
    select id from category where store_id = ${storeId} and id = ${id}
    union
    select c.id from tree join category c on c.store_id = ${storeId} and c.parent_id = tree.id)
  update category c set reindex_at = vitrine_now(), reindex_after = '{}'
  from tree where c.store_id = ${storeId} and c.id = tree.id`
