import type { CustomerCtx } from '../context.ts'
import { readOrder } from '../orders/orders.sql.ts'
import { showOrder } from '../orders/show-order.ts'
import type { PaymentView, Placed } from '../payments/sessions.ts'
import type { CheckoutResult } from './checkout.contract.ts'

/**
 * The current order and payment. Replacing, cancelling or settling an order always changes its payment first, so if the
 * payment was opened just now, the order is unchanged and need not be read again.
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
