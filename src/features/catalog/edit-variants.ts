import { refuse } from '../../core/domain-errors.ts'
import { newId } from '../../core/ids.ts'
import type { Tx } from '../../db/database.ts'
import { requireMatch } from '../admin-etag.ts'
import { compareFields, recordChange } from '../audit/record.ts'
import { type EditCtx, lockToEdit, savePatch } from './edit-products.ts'
import { optionKey } from './product-input.ts'
import type { AdminVariant, VariantBody, VariantEdit } from './products.admin.contract.ts'
import { auditedVariant, emptyPatch, placeVariants, readVariantFields, switchStock } from './variant-fields.ts'
import { editableVariant, findVariantOf, readWholeProduct, showVariant } from './whole-products.ts'

export const createVariant = async (
  tx: Tx,
  ctx: EditCtx,
  product: string,
  { active = true, ...body }: VariantBody,
): Promise<AdminVariant> => {
  const before = await lockToEdit(tx, ctx, product)
  const patch = await readVariantFields(tx, ctx, before.slug, { options: {}, ...body })
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
  const patch = { ...(await readVariantFields(tx, ctx, whole.slug, body)), id: variantId, active: isOn }
  const stock = switchStock(known, stockTracked)
  await savePatch(tx, ctx, { ...emptyPatch(whole.slug), ...placeVariants(whole, [{ ...patch, stock }]) })
  const saved = await readWholeProduct(tx, ctx, whole.id)
  const after = showVariant(ctx, saved, findVariantOf(saved, variantId))
  const changes = compareFields(auditedVariant(before), auditedVariant(after))
  if (Object.keys(changes).length > 0) {
    recordChange(tx, ctx.store, ctx.by, { action: 'variant.updated', id: variantId, changes })
  }
  return after
}
