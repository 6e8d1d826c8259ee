import type { CustomerCtx } from '../context.ts'
import { readOrder } from '../orders/orders.sql.ts'
import { showOrder } from '../orders/show-order.ts'
import type { PaymentView, Placed } from '../payments/sessions.ts'
import type { CheckoutResult } from './checkout.contract.ts'

/**
 * The order and its payment as they are now. Whoever replaces, cancels or settles an order decides about its payment
 * first, so an order whose payment was opened this moment is the one that was placed.
 */
export const showCheckout = async (
  ctx: CustomerCtx,
  { orderId, toStart }: { orderId: string; toStart?: Placed },
  payment: PaymentView,
): Promise<CheckoutResult> => {
  const placed = payment.status === 'open' ? toStart?.order : undefined
  const order = placed ?? (await readOrder(ctx.db, ctx.store.id, orderId, ctx.shopper.customerId))
  if (order === undefined) throw new Error(`order ${orderId} has disappeared`)
  return { order: showOrder(ctx, order), payment }
}
