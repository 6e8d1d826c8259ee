import type { CategoryName, CategoryNames, StoreId } from '../context.ts'
import { type CategoryNameRow, findCategoryNames } from './category-names.sql.ts'
import { keepBriefly } from './kept-briefly.ts'

/** `drop` and `dropAll`: the names may have changed. */
export type KeptCategoryNames = CategoryNames & { drop(storeId: StoreId): void; dropAll(): void }

/**
 * Keeps the names of categories for a moment. A search counts its matches by category, and reading the names of 200
 * categories takes the database as long as finding the matches. Sorting them and writing them as JSON took Node as long.
 */
export const keepCategoryNames = (): KeptCategoryNames => {
  const kept = keepBriefly<CategoryName>()
  return {
    read: async (db, storeId, ids) => {
      const { values: names, asOfMs } = kept.open(storeId)
      const missing = ids.filter((id) => !names.has(id))
      if (missing.length === 0) return { names, asOfMs }
      addInOrder(names, await findCategoryNames(db, storeId, missing))
      kept.noteAdded(missing.length)
      return { names, asOfMs }
    },
    drop: kept.drop,
    dropAll: kept.dropAll,
  }
}

const addInOrder = (names: Map<string, CategoryName>, rows: readonly CategoryNameRow[]) => {
  const added = rows.map(({ id, name, slug }) => {
    const facetJson = `${JSON.stringify({ id, name, slug }).slice(0, -1)},"count":`
    return { id, name, facetJson, place: 0 }
  })
  // The kept ones are in order already, so this takes little longer than looking at each of them.
  const inOrder = [...names.values(), ...added].sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))
  names.clear()
  for (const [place, category] of inOrder.entries()) names.set(category.id, Object.assign(category, { place }))
}
