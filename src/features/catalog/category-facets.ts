import { hash } from 'node:crypto'
import { mustExist } from '../../core/must-exist.ts'
import type { CategoryFacets, StoreId } from '../context.ts'
import { type CategoryName, findCategoryNames } from './category-facets.sql.ts'
import { keepBriefly } from './kept-briefly.ts'

/** `drop` and `dropAll`: the names may have changed. */
export type KeptCategoryFacets = CategoryFacets & { drop(storeId: StoreId): void; dropAll(): void }

/** `json`: the facet up to the count. `fingerprint`: a short hash of that. `place`: among the kept ones, by name. */
type Facet = { id: string; name: string; json: string; fingerprint: string; place: number }

/**
 * Keeps facets of categories for a moment. A search counts its matches by category, and reading the names of 200 categories
 * takes the database as long as finding the matches; sorting them by name, writing them as JSON and hashing that for the
 * ETag takes Node as long.
 */
export const keepCategoryFacets = (): KeptCategoryFacets => {
  const kept = keepBriefly<Facet>()
  const orders = new WeakMap<ReadonlyMap<string, Facet>, Facet[]>()
  return {
    write: async (db, storeId, byCategory) => {
      const { values: facets, asOfMs } = kept.open(storeId)
      const missing = [...byCategory.keys()].filter((id) => !facets.has(id))
      if (missing.length > 0) {
        for (const row of await findCategoryNames(db, storeId, missing)) facets.set(row.id, toFacet(row))
        orders.set(facets, putInOrder(orders.get(facets) ?? [], facets))
        kept.noteAdded(missing.length)
      }
      return { ...write(byCategory, facets, orders.get(facets) ?? []), asOfMs }
    },
    drop: kept.drop,
    dropAll: kept.dropAll,
  }
}

const toFacet = (row: CategoryName): Facet => {
  const { id, name, slug } = row
  const json = `${JSON.stringify({ id, name, slug }).slice(0, -1)},"count":`
  return { id, name, json, fingerprint: hash('sha256', json, 'base64url').slice(0, 12), place: 0 }
}

/** Most are in order already, so this takes little longer than looking at each of them. */
const putInOrder = (before: readonly Facet[], facets: ReadonlyMap<string, Facet>): Facet[] => {
  const known = new Set(before.filter((facet) => facets.get(facet.id) === facet))
  const inOrder = [...known, ...[...facets.values()].filter((facet) => !known.has(facet))].sort(byName)
  for (const [place, facet] of inOrder.entries()) facet.place = place
  return inOrder
}

/** The same order on all instances, because the ETag depends on it. */
const byName = (a: Facet, b: Facet) => compare(a.name, b.name) || compare(a.id, b.id)
const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))

/** The most common first, then by name. Numbers are sorted for it: comparing hundreds of names takes longer. */
const write = (
  byCategory: ReadonlyMap<string, number>,
  facets: ReadonlyMap<string, Facet>,
  inOrder: readonly Facet[],
) => {
  const most = Math.max(0, ...byCategory.values())
  const keys = new Float64Array(byCategory.size)
  let found = 0
  for (const [id, count] of byCategory) {
    const facet = facets.get(id)
    if (facet !== undefined) keys[found++] = (most - count) * inOrder.length + facet.place
  }
  const parts: string[] = []
  let fingerprint = ''
  for (const key of keys.subarray(0, found).sort()) {
    const facet = mustExist(inOrder[key % inOrder.length], 'a category by its place')
    const count = most - Math.floor(key / inOrder.length)
    parts.push(`${facet.json}${count}}`)
    fingerprint += `${facet.fingerprint}${count} `
  }
  return { json: `[${parts.join(',')}]`, fingerprint }
}
