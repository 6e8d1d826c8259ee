import type { Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'

type BoughtLine = { variantId: string; quantity: number }

/** Reduces the lines of a locked cart by the bought quantities, and removes its coupon. */
export const takeFromCart = (tx: Tx, storeId: StoreId, cartId: string, lines: readonly BoughtLine[]) => {
  const [only, ...others] = lines
  return tx.run`
  with ${only !== undefined && others.length === 0 ? takeLine(storeId, cartId, only) : takeLines(storeId, cartId, lines)}
  update cart set version = version + 1, coupon_code = null, updated_at = vitrine_now()
  where store_id = ${storeId} and id = ${cartId}`
}

const takeLines = (storeId: StoreId, cartId: string, lines: readonly BoughtLine[]) => sql`
  bought as (
    select "variantId" as variant_id, quantity
    from jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as b ("variantId" text, quantity integer)),
  reduced as (
    update cart_item i set quantity = i.quantity - b.quantity from bought b
    where i.store_id = ${storeId} and i.cart_id = ${cartId} and i.variant_id = b.variant_id and i.quantity > b.quantity),
  removed as (
    delete from cart_item i using bought b
    where i.store_id = ${storeId} and i.cart_id = ${cartId} and i.variant_id = b.variant_id and i.quantity <= b.quantity)`

/** The same for one line, as most orders have. */
const takeLine = (storeId: StoreId, cartId: string, { variantId, quantity }: BoughtLine) => sql`
  reduced as (
    update cart_item set quantity = quantity - ${quantity}::integer
    where store_id = ${storeId} and cart_id = ${cartId} and variant_id = ${variantId} and quantity > ${quantity}::integer),
  removed as (
    delete from cart_item
    where store_id = ${storeId} and cart_id = ${cartId} and variant_id = ${variantId}
      and quantity <= ${quantity}::integer)`
