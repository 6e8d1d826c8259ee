import type { Queries } from '../../db/database.ts'
import type { CategoryName, CategoryNames, StoreId } from '../context.ts'
import { findCategoryNames } from './category-names.sql.ts'

/** Less than a second, because answers that show the names may be cached for a while too. */
const maxAgeMs = 500
const maxKept = 20_000

/** `drop` and `dropAll`: the names may have changed. */
export type KeptCategoryNames = CategoryNames & { drop(storeId: StoreId): void; dropAll(): void }

type Kept = { untilMs: number; names: Map<string, CategoryName> }

/**
 * Keeps the names of categories for a moment. A search counts its matches by category, and reading the names of 200
 * categories takes the database as long as finding the matches.
 */
export const keepCategoryNames = (): KeptCategoryNames => {
  let kept = new Map<StoreId, Kept>()
  let size = 0
  const dropAll = () => {
    kept = new Map()
    size = 0
  }
  const keptOf = (storeId: StoreId): Kept => {
    const known = kept.get(storeId)
    if (known !== undefined && performance.now() < known.untilMs) return known
    const empty = { untilMs: performance.now() + maxAgeMs, names: new Map() }
    kept.set(storeId, empty)
    return empty
  }
  const read = async (db: Queries, storeId: StoreId, ids: readonly string[]) => {
    const { names } = keptOf(storeId)
    const missing = ids.filter((id) => !names.has(id))
    if (missing.length === 0) return names
    // If the names are dropped meanwhile, these are added to a map that no other search uses.
    for (const category of await findCategoryNames(db, storeId, missing)) names.set(category.id, category)
    size += missing.length
    if (size > maxKept) dropAll()
    return names
  }
  return { read, drop: (storeId) => void kept.delete(storeId), dropAll }
}
