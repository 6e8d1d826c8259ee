import type { Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

/** Reduces the lines of a locked cart by the bought quantities, and removes its coupon. */
export const takeFromCart = (
  tx: Tx,
  storeId: StoreId,
  cartId: string,
  lines: readonly { variantId: string; quantity: number }[],
) => tx.run`
  with bought as (
    select "variantId" as variant_id, quantity
    from jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as b ("variantId" text, quantity integer)),
  reduced as (
    update cart_item i set quantity = i.quantity - b.quantity from bought b
    where i.store_id = ${storeId} and i.cart_id = ${cartId} and i.variant_id = b.variant_id and i.quantity > b.quantity),
  removed as (
    delete from cart_item i using bought b
    where i.store_id = ${storeId} and i.cart_id = ${cartId} and i.variant_id = b.variant_id and i.quantity <= b.quantity)
  update cart set version = version + 1, coupon_code = null, updated_at = vitrine_now()
  where store_id = ${storeId} and id = ${cartId}`
