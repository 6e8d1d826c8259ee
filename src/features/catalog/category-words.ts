import type { Db, Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'
import * as sql from './category-words.sql.ts'
import { addSearchWords, listCategoryNodes, lockCatalog, lockProducts } from './products.sql.ts'
import { categoryPaths, refreshProducts } from './products.ts'
import { wordsOf } from './save.ts'
import { isCorrectable } from './search-words.ts'

/** Gives the products of a renamed or moved category their new search words, in short transactions. */
export const reindexCategory = async (
  db: Db,
  { storeId, categoryId }: sql.CategoryToReindex,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    const isDone = await db.tx((tx) => reindexNext(tx, storeId, categoryId))
    if (isDone) return
  }
}

/** The position is read again each time: another change of the category starts from the beginning. */
const reindexNext = async (tx: Tx, storeId: StoreId, categoryId: string): Promise<boolean> => {
  await lockCatalog(tx, storeId)
  const after = await sql.readReindexPosition(tx, storeId, categoryId)
  if (after === undefined) return true
  const products = await sql.listProductsToReindex(tx, storeId, categoryId, after)
  await reindexProducts(
    tx,
    storeId,
    products.map(({ id }) => id),
  )
  const last = products.at(-1)
  const isDone = last === undefined || products.length < sql.reindexBatch
  await sql.noteReindexed(tx, storeId, categoryId, isDone ? null : [last.status, last.id])
  return isDone
}

const reindexProducts = async (tx: Tx, storeId: StoreId, ids: readonly string[]) => {
  if (ids.length === 0) return
  await lockProducts(tx, storeId, ids)
  const pathOf = categoryPaths(await listCategoryNodes(tx, storeId))
  const products = (await sql.readStatesById(tx, storeId, ids)).map((row) => {
    const variants = row.variants.filter(({ active }) => active)
    const { words } = wordsOf({ ...row, variants, categoryPath: pathOf(row.categoryId) })
    return { id: row.id, words }
  })
  await sql.updateWords(tx, storeId, products)
  await addSearchWords(tx, storeId, [...new Set(products.flatMap(({ words }) => words.filter(isCorrectable)))])
  await refreshProducts(tx, { id: storeId }, ids)
}
