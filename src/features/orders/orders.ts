import { fail } from '../../core/errors.ts'
import type { CustomerCtx } from '../context.ts'
import { cursorScope, type Page, readPage } from '../paging.ts'
import type { Order } from './order.contract.ts'
import { type FullOrderRow, listOrders, readOrder } from './orders.sql.ts'
import { showOrder } from './show-order.ts'
import type { OrderWaits } from './waiting.ts'

export const listOrdersOf = (ctx: CustomerCtx, query: { limit?: number; cursor?: string }): Promise<Page<Order>> => {
  const { customerId } = ctx.shopper
  return readPage(ctx, query, cursorScope(ctx, 'orders', { customer: customerId }), {
    read: (position, limit) => {
      const before = typeof position?.[0] === 'number' ? position[0] : null
      return listOrders(ctx.db, ctx.store.id, { customerId, before, limit })
    },
    positionOf: ({ number }) => [number],
    show: (row) => showOrder(ctx, row),
  })
}

/** Returns an order of the caller. With `waitSeconds`, waits until the order is decided or the time is up. */
export const showOrderOf = async (
  ctx: CustomerCtx,
  orderId: string,
  waitSeconds: number,
  waits: OrderWaits,
): Promise<Order> => {
  const order = await findOrderOf(ctx, orderId)
  if (waitSeconds === 0 || !isUndecided(order)) return showOrder(ctx, order)
  await waits.untilDecided({ storeId: ctx.store.id, orderId }, waitSeconds)
  return showOrder(ctx, await findOrderOf(ctx, orderId))
}

/** An order of another customer is a 404, so that callers cannot probe for ids. */
export const findOrderOf = async (ctx: CustomerCtx, orderId: string): Promise<FullOrderRow> => {
  const order = await readOrder(ctx.db, ctx.store.id, orderId, ctx.shopper.customerId)
  if (order === undefined) throw fail('NOT_FOUND', 'There is no such order.')
  return order
}

const isUndecided = ({ status, paymentStatus }: FullOrderRow) => status === 'pending' && paymentStatus === 'pending'
