import { refuse } from '../../core/domain-errors.ts'
import { newId } from '../../core/ids.ts'
import type { Tx } from '../../db/database.ts'
import { requireMatch } from '../admin-etag.ts'
import { compareFields, recordChange } from '../audit/record.ts'
import { checkFaults, type EditCtx, emptyPatch, lockToEdit, savePatch } from './edit-products.ts'
import { optionKey, type ProductPatch, readVariant, type VariantPatch } from './product-input.ts'
import { chooseImage, usePictures } from './product-media.ts'
import type { AdminVariant, VariantBody, VariantEdit } from './products.admin.contract.ts'
import type { WholeProduct } from './whole-product.sql.ts'
import { editableVariant, findVariantOf, readWholeProduct, showVariant } from './whole-products.ts'

export const createVariant = async (
  tx: Tx,
  ctx: EditCtx,
  product: string,
  { active = true, ...body }: VariantBody,
): Promise<AdminVariant> => {
  const before = await lockToEdit(tx, ctx, product)
  const patch = await readFields(tx, ctx, before, { options: {}, ...body })
  const key = optionKey(patch.options ?? {})
  const same = before.variants.find((variant) => variant.active && optionKey(variant.options) === key)
  if (same !== undefined) throw refuse('VARIANT_OPTIONS_TAKEN', { variantId: same.id })
  const id = newId('var')
  await savePatch(tx, ctx, { ...emptyPatch(before.slug), variants: [{ ...patch, id, active }] })
  const after = await readWholeProduct(tx, ctx, before.id)
  const made = showVariant(ctx, after, findVariantOf(after, id))
  recordChange(tx, ctx.store, ctx.by, {
    ...{ action: 'variant.created', id, changes: compareFields({}, auditedVariant(made)) },
  })
  return made
}

export const changeVariant = async (
  tx: Tx,
  ctx: EditCtx,
  { product, variantId }: { product: string; variantId: string },
  { stockTracked, active, ...body }: VariantEdit,
): Promise<AdminVariant> => {
  const whole = await lockToEdit(tx, ctx, product)
  const known = findVariantOf(whole, variantId)
  const before = showVariant(ctx, whole, known)
  requireMatch(ctx, editableVariant(before))
  const isOn = active ?? known.active
  const patch = { ...(await readFields(tx, ctx, whole, body)), id: variantId, active: isOn }
  const isSwitched = stockTracked !== undefined && stockTracked !== known.stockTracked
  const stock = isSwitched ? (stockTracked ? {} : null) : undefined
  await savePatch(tx, ctx, placePatch(whole, { ...patch, stock }))
  const saved = await readWholeProduct(tx, ctx, whole.id)
  const after = showVariant(ctx, saved, findVariantOf(saved, variantId))
  const changes = compareFields(auditedVariant(before), auditedVariant(after))
  if (Object.keys(changes).length > 0) {
    recordChange(tx, ctx.store, ctx.by, { action: 'variant.updated', id: variantId, changes })
  }
  return after
}

/** The only variant of a product without options is changed as the product itself, which stays one without options. */
const placePatch = (product: WholeProduct, patch: VariantPatch): ProductPatch => {
  const active = product.variants.filter((variant) => variant.active)
  const isOnly = active.length === 1 && active[0]?.id === patch.id
  const isPlain = !product.hasVariants && isOnly && Object.keys(patch.options ?? {}).length === 0
  return { ...emptyPatch(product.slug), ...(isPlain ? { own: patch } : { variants: [patch] }) }
}

const readFields = async (
  tx: Tx,
  ctx: EditCtx,
  { slug }: WholeProduct,
  { image, mediaId, lowStockThreshold, ...body }: Omit<VariantBody, 'active'>,
): Promise<VariantPatch> => {
  const pictures = await usePictures(tx, ctx.store, mediaId == null ? [] : [mediaId])
  const chosen = chooseImage(ctx, pictures, { image, mediaId })
  const patch = readVariant({ ...body, ...(chosen === undefined ? {} : { image: chosen }) }, ctx.store.currency)
  if (!Array.isArray(patch)) return { ...patch, lowStockThreshold }
  checkFaults(slug, patch)
  throw new Error('a variant was neither read nor refused')
}

const auditedVariant = (variant: AdminVariant) => {
  const { id: _, position: __, ...fields } = editableVariant(variant)
  return fields
}
