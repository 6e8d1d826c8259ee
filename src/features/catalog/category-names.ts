import type { CategoryName, CategoryNames, StoreId } from '../context.ts'
import { findCategoryNames } from './category-names.sql.ts'
import { keepBriefly } from './kept-briefly.ts'

/** `drop` and `dropAll`: the names may have changed. */
export type KeptCategoryNames = CategoryNames & { drop(storeId: StoreId): void; dropAll(): void }

/**
 * Keeps the names of categories for a moment. A search counts its matches by category, and reading the names of 200
 * categories takes the database as long as finding the matches.
 */
export const keepCategoryNames = (): KeptCategoryNames => {
  const kept = keepBriefly<CategoryName>()
  return {
    read: async (db, storeId, ids) => {
      const { values: names, asOfMs } = kept.open(storeId)
      const missing = ids.filter((id) => !names.has(id))
      if (missing.length === 0) return { names, asOfMs }
      for (const category of await findCategoryNames(db, storeId, missing)) names.set(category.id, category)
      kept.noteAdded(missing.length)
      return { names, asOfMs }
    },
    drop: kept.drop,
    dropAll: kept.dropAll,
  }
}
