import type { Queries } from '../../db/database.ts'
import type { CategoryName, StoreId } from '../context.ts'

export const findCategoryNames = (db: Queries, storeId: StoreId, ids: readonly string[]) => db.many<CategoryName>`
  select c.id, c.name, c.slug from category c where c.store_id = ${storeId} and c.id = any(${ids}::text[])`
