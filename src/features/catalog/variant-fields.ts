import { refuse } from '../../core/domain-errors.ts'
import { newId } from '../../core/ids.ts'
import type { Tx } from '../../db/database.ts'
import { compareFields, recordChange } from '../audit/record.ts'
import type { AdminCtx } from '../context.ts'
import type { InputFault } from './input-faults.ts'
import type { VariantState } from './merge-variants.ts'
import { type ProductPatch, readProduct, readVariant, type VariantPatch } from './product-input.ts'
import { chooseImage, usePictures } from './product-media.ts'
import type { AdminVariant, VariantBody, VariantOfChange } from './products.admin.contract.ts'
import type { WholeProduct } from './whole-product.sql.ts'
import { editableVariant, findVariantOf } from './whole-products.ts'

type Ctx = Pick<AdminCtx, 'store' | 'publicUrl' | 'mediaUrl' | 'by'>

export const checkFaults = (slug: string, faults: readonly InputFault[]): void => {
  if (faults.length > 0) throw refuse('PRODUCT_INVALID', { slug, faults })
}

/** Changes nothing. */
export const emptyPatch = (slug: string): ProductPatch => {
  const patch = readProduct({ slug }, 'USD')
  if (Array.isArray(patch)) throw new Error(`"${slug}" is no slug`)
  return patch
}

type Fields = Omit<VariantBody, 'active' | 'stock'> & { stock?: VariantOfChange['stock'] }

/** `at` is where faults are named, such as `variants.0.`. */
export const readVariantFields = async (
  tx: Tx,
  ctx: Ctx,
  slug: string,
  { image, mediaId, lowStockThreshold, ...body }: Fields,
  at = '',
): Promise<VariantPatch> => {
  const pictures = await usePictures(tx, ctx.store, mediaId == null ? [] : [mediaId])
  const chosen = chooseImage(ctx, pictures, { image, mediaId })
  const patch = readVariant({ ...body, ...(chosen === undefined ? {} : { image: chosen }) }, ctx.store.currency)
  if (!Array.isArray(patch)) return { ...patch, lowStockThreshold }
  throw refuse('PRODUCT_INVALID', { slug, faults: patch.map((fault) => ({ ...fault, field: at + fault.field })) })
}

/** What ends or begins the counting of units. Undefined: as before. */
export const switchStock = ({ stockTracked }: Pick<VariantState, 'stockTracked'>, wanted: boolean | undefined) =>
  wanted === undefined || wanted === stockTracked ? undefined : wanted ? {} : null

/** Variants with an id are changed, and those without one are new. */
export const readVariants = async (
  tx: Tx,
  ctx: Ctx,
  product: WholeProduct,
  variants: readonly VariantOfChange[],
): Promise<VariantPatch[]> => {
  const patches: VariantPatch[] = []
  for (const [i, { id, active, stock, stockTracked, ...body }] of variants.entries()) {
    const at = `variants.${i}.`
    if (id === undefined) {
      const patch = await readVariantFields(tx, ctx, product.slug, { options: {}, ...body, stock }, at)
      patches.push({ ...patch, id: newId('var'), active: active ?? true })
      continue
    }
    const known = findVariantOf(product, id)
    if (stock !== undefined) checkFaults(product.slug, [{ field: `${at}stock`, message: 'is changed by stock/adjust' }])
    const patch = await readVariantFields(tx, ctx, product.slug, body, at)
    patches.push({ ...patch, id, active: active ?? known.active, stock: switchStock(known, stockTracked) })
  }
  return patches
}

/** The only variant of a product without options is changed as the product itself, which stays one without options. */
export const placeVariants = (
  product: WholeProduct,
  variants: VariantPatch[],
): Pick<ProductPatch, 'own'> | Pick<ProductPatch, 'variants'> => {
  const active = product.variants.filter((variant) => variant.active)
  const [patch, ...more] = variants
  const isOnly = active.length === 1 && active[0]?.id === patch?.id && more.length === 0
  const isPlain = !product.hasVariants && isOnly && Object.keys(patch?.options ?? {}).length === 0
  return isPlain && patch !== undefined ? { own: patch } : { variants }
}

export const auditedVariant = (variant: AdminVariant) => {
  const { id: _, position: __, ...fields } = editableVariant(variant)
  return fields
}

/** Records what a change of several variants did to each of them. */
export const auditVariants = (
  tx: Tx,
  { store, by }: Ctx,
  before: readonly AdminVariant[],
  after: readonly AdminVariant[],
) => {
  for (const variant of after) {
    const known = before.find(({ id }) => id === variant.id)
    const changes = compareFields(known === undefined ? {} : auditedVariant(known), auditedVariant(variant))
    const action = known === undefined ? 'variant.created' : 'variant.updated'
    if (Object.keys(changes).length > 0) recordChange(tx, store, by, { action, id: variant.id, changes })
  }
}
