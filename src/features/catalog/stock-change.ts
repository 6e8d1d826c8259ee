import { refuse } from '../../core/domain-errors.ts'
import { mustExist } from '../../core/must-exist.ts'
import type { Queries, Tx } from '../../db/database.ts'
import type { Store } from '../context.ts'
import { maxUnits } from './product-input.ts'
import * as sql from './stock-change.sql.ts'
import type { StockTurn } from './stock-events.sql.ts'
import { recordStockEvents } from './stock-events.ts'
import type { MoveNote } from './stock-ledger.sql.ts'
import { shareThreshold } from './stock-threshold.sql.ts'

export type VariantName = {
  /** Id or slug. */
  product: string | null
  /** Id or SKU. */
  variantId: string | null
}

/** Finds the one variant that the operator named. A unique SKU is enough. */
export const findVariant = async (db: Queries, store: Pick<Store, 'id'>, { product, variantId }: VariantName) => {
  const variants = await listNamed(db, store, product, variantId)
  const [variant, another] = variants
  if (variant === undefined) {
    if (variantId !== null) throw refuse('VARIANT_NOT_FOUND', { variant: variantId, product })
    throw refuse('PRODUCT_NOT_FOUND', { product: product ?? '' })
  }
  if (another !== undefined) {
    throw refuse('VARIANT_AMBIGUOUS', {
      sku: variantId,
      variants: variants.map(({ id, title, productName }) => ({ id, name: title || productName })),
    })
  }
  return variant
}

const listNamed = (db: Queries, { id }: Pick<Store, 'id'>, product: string | null, variant: string | null) => {
  if (product !== null) return sql.findVariantsOfProduct(db, id, product, variant)
  if (variant !== null) return sql.findVariantsByName(db, id, variant)
  throw refuse('VARIANT_MISSING', {})
}

/** Adds or removes available units. A single statement decides, so concurrent changes are all applied. */
export const addUnits = async (
  tx: Tx,
  store: Pick<Store, 'id'>,
  location: sql.StockLocation,
  delta: number,
  note: MoveNote,
) => {
  await shareThreshold(tx, store.id)
  await sql.ensureStock(tx, store.id, location)
  const changed = await sql.addToStock(tx, store.id, location, { delta, maxUnits }, note)
  if (changed !== undefined) {
    recordStockEvents(tx, store.id, turnsOf([changed]))
    return changed
  }
  const { available } = mustExist(await sql.readStock(tx, store.id, location), 'the stock row')
  throw delta < 0 ? refuse('STOCK_TOO_LOW', { units: -delta, available }) : refuse('STOCK_TOO_HIGH', { maxUnits })
}

/**
 * Sets the units on hand to what was counted. Unpaid orders keep what they have reserved of them. Orders wait from the
 * lock of the row to the commit, so none comes between the difference and the change.
 */
export const setOnHand = async (
  tx: Tx,
  store: Pick<Store, 'id'>,
  location: sql.StockLocation,
  onHand: number,
  note: MoveNote,
): Promise<sql.ChangedStock[]> => {
  await shareThreshold(tx, store.id)
  await sql.ensureStock(tx, store.id, location)
  const delta = onHand - (await sql.lockOnHand(tx, store.id, location))
  return delta === 0 ? [] : [await addUnits(tx, store, location, delta, note)]
}

/** Sets the available units. Returns the rows that had other values. */
export const setStockLevels = async (
  tx: Tx,
  store: Pick<Store, 'id'>,
  levels: readonly sql.StockLevel[],
  note: MoveNote,
): Promise<sql.ChangedStock[]> => {
  if (levels.length === 0) return []
  await shareThreshold(tx, store.id)
  const changed = await sql.setStockLevels(tx, store.id, levels, note)
  recordStockEvents(tx, store.id, turnsOf(changed))
  return changed
}

const turnsOf = (changed: readonly sql.ChangedStock[]): StockTurn[] =>
  changed.flatMap(({ variantId, outletId, type, sequence }) =>
    type === null ? [] : [{ variantId, outletId, type, sequence }],
  )
