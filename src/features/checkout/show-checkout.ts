import type { CustomerCtx } from '../context.ts'
import { readOrder } from '../orders/orders.sql.ts'
import { showOrder } from '../orders/show-order.ts'
import type { PaymentView } from '../payments/sessions.ts'
import type { CheckoutResult } from './checkout.contract.ts'

/** The order and its payment as they are now. */
export const showCheckout = async (
  ctx: CustomerCtx,
  orderId: string,
  payment: PaymentView,
): Promise<CheckoutResult> => {
  const order = await readOrder(ctx.db, ctx.store.id, orderId, ctx.shopper.customerId)
  if (order === undefined) throw new Error(`order ${orderId} has disappeared`)
  return { order: showOrder(ctx, order), payment }
}
