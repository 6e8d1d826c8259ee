import { OperatorError } from '../../core/operator-error.ts'
import type { Tx } from '../../db/database.ts'
import type { Store } from '../context.ts'
import { mostUnits } from './product-input.ts'
import * as sql from './stock-change.sql.ts'

export type VariantName = {
  /** Id or slug. */
  product: string | null
  /** Id or SKU. */
  variantId: string | null
}

/** The one variant that an operator means, whose SKU alone names it where no other has the same. */
export const findVariant = async (tx: Tx, store: Pick<Store, 'id'>, { product, variantId }: VariantName) => {
  const variants = await listNamed(tx, store, product, variantId)
  const [variant, another] = variants
  if (variant === undefined) {
    if (product === null) throw new OperatorError(`The store has no variant with the id or SKU ${variantId}.`)
    const named = variantId === null ? product : `${product} with a variant ${variantId}`
    throw new OperatorError(`The store has no product ${named}.`)
  }
  if (another !== undefined) {
    const choices = variants.map(({ id, title, productName }) => `${id} (${title || productName})`).join(', ')
    throw new OperatorError(
      variantId === null
        ? `This product has several variants. Name one with --variant: ${choices}.`
        : `Several variants have the SKU ${variantId}. Name one by its id with --variant: ${choices}.`,
    )
  }
  return variant
}

const listNamed = (tx: Tx, { id }: Pick<Store, 'id'>, product: string | null, variant: string | null) => {
  if (product !== null) return sql.findVariantsOfProduct(tx, id, product, variant)
  if (variant !== null) return sql.findVariantsByName(tx, id, variant)
  throw new OperatorError('Say what to count: --variant with an id or a SKU, or --product.')
}

/** Adds to what can be sold, or takes away from it. The statement decides, so changes at the same moment all count. */
export const addUnits = async (tx: Tx, store: Pick<Store, 'id'>, place: sql.StockPlace, delta: number) => {
  await sql.ensureStock(tx, store.id, place)
  const changed = await sql.addToStock(tx, store.id, place, delta, mostUnits)
  if (changed !== undefined) return changed.available
  const { available } = await sql.readStock(tx, store.id, place)
  throw new OperatorError(
    delta < 0
      ? `${-delta} units cannot be taken away: ${available} can be sold, the others are reserved or not there.`
      : `There cannot be more than ${mostUnits} units.`,
  )
}
