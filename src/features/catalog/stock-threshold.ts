import type { Db, Tx } from '../../db/database.ts'
import { recordChange } from '../audit/record.ts'
import type { Author, Store, StoreId } from '../context.ts'
import { lockProducts } from './products.sql.ts'
import { findVariant, type VariantName } from './stock-change.ts'
import {
  holdThreshold,
  refreshStoreThreshold,
  refreshVariantThreshold,
  setVariantThreshold,
  shareThreshold,
  tryToHoldThreshold,
} from './stock-threshold.sql.ts'

/**
 * Sets the available units at which a variant is low in stock; null: as the store says. For a variant whose product this
 * transaction has locked. Returns the threshold before, or undefined if it does not change.
 */
export const writeVariantThreshold = async (tx: Tx, storeId: StoreId, variantId: string, threshold: number | null) => {
  await shareThreshold(tx, storeId)
  const changed = await setVariantThreshold(tx, storeId, variantId, threshold)
  if (changed !== undefined) await refreshVariantThreshold(tx, storeId, variantId)
  return changed?.before
}

/** The same for a variant that is named by its id or SKU. */
export const changeVariantThreshold = async (
  tx: Tx,
  store: Pick<Store, 'id'>,
  by: Author,
  { threshold, ...name }: VariantName & { threshold: number | null },
) => {
  const { id, productId } = await findVariant(tx, store, name)
  await lockProducts(tx, store.id, [productId])
  const before = await writeVariantThreshold(tx, store.id, id, threshold)
  if (before !== undefined) {
    const changes = { lowStockThreshold: { before, after: threshold } }
    recordChange(tx, store, by, { action: 'variant.updated', id, changes })
  }
  return { variantId: id, lowStockThreshold: threshold }
}

/**
 * Gives the first stock rows of a store its new threshold, at once. True if there were no others: a large store is left to
 * the job, so that its checkouts do not wait.
 */
export const applyThresholdAtOnce = async (tx: Tx, storeId: StoreId) =>
  (await tryToHoldThreshold(tx, storeId)) && (await refreshStoreThreshold(tx, storeId, '')) === null

/** Gives all stock rows of a store its threshold, a batch at a time. False if it was stopped. */
export const applyThreshold = async (db: Pick<Db, 'tx'>, storeId: StoreId, signal: AbortSignal) => {
  for (let after: string | null = ''; after !== null; ) {
    if (signal.aborted) return false
    const from: string = after
    after = await db.tx(async (tx) => {
      await holdThreshold(tx, storeId)
      return refreshStoreThreshold(tx, storeId, from)
    })
  }
  return true
}
