import { refuse } from '../../core/domain-errors.ts'
import type { Tx } from '../../db/database.ts'
import type { Store } from '../context.ts'
import { maxUnits } from './product-input.ts'
import * as sql from './stock-change.sql.ts'
import { recordStockEvents } from './stock-events.ts'

export type VariantName = {
  /** Id or slug. */
  product: string | null
  /** Id or SKU. */
  variantId: string | null
}

/** Finds the one variant that the operator named. A unique SKU is enough. */
export const findVariant = async (tx: Tx, store: Pick<Store, 'id'>, { product, variantId }: VariantName) => {
  const variants = await listNamed(tx, store, product, variantId)
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

const listNamed = (tx: Tx, { id }: Pick<Store, 'id'>, product: string | null, variant: string | null) => {
  if (product !== null) return sql.findVariantsOfProduct(tx, id, product, variant)
  if (variant !== null) return sql.findVariantsByName(tx, id, variant)
  throw refuse('VARIANT_MISSING', {})
}

/** Adds or removes available units. A single statement decides, so concurrent changes are all applied. */
export const addUnits = async (tx: Tx, store: Pick<Store, 'id'>, location: sql.StockLocation, delta: number) => {
  await sql.ensureStock(tx, store.id, location)
  const changed = await sql.addToStock(tx, store.id, location, delta, maxUnits)
  if (changed !== undefined) {
    const { type, sequence, available } = changed
    if (type !== null) recordStockEvents(tx, store.id, [{ ...location, type, sequence }])
    return available
  }
  const { available } = await sql.readStock(tx, store.id, location)
  throw delta < 0 ? refuse('STOCK_TOO_LOW', { units: -delta, available }) : refuse('STOCK_TOO_HIGH', { maxUnits })
}

export const setStockLevels = async (tx: Tx, store: Pick<Store, 'id'>, levels: readonly sql.StockLevel[]) => {
  if (levels.length > 0) recordStockEvents(tx, store.id, await sql.setStockLevels(tx, store.id, levels))
}
