import type { Queries } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

export type CategoryName = { id: string; name: string; slug: string }

export const findCategoryNames = (db: Queries, storeId: StoreId, ids: readonly string[]) => db.many<CategoryName>`
  select c.id, c.name, c.slug from category c where c.store_id = ${storeId} and c.id = any(${ids}::text[])`
