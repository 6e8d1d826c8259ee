import { writeOnceByAuthor } from '../access/idempotency.ts'
import { answerList } from '../admin-list.ts'
import { type AdminCtx, adminRoutes } from '../context.ts'
import { answerAdminOrder, findOrderIdInStore, readAdminOrder } from './admin-order.ts'
import { addNote, readNote, resolveOrder } from './manage-orders.ts'
import type { ListedOrder, OrderKey } from './order-list.sql.ts'
import { openOrderList, showListedOrder } from './order-list.ts'
import { ordersAdminContract } from './orders.admin.contract.ts'

export const orderAdminRoutes = adminRoutes(ordersAdminContract, {
  adminListOrders: ({ ctx, query }) => {
    const list = openOrderList(ctx.db, ctx.store, query)
    return answerList(ctx, 'orders', query, {
      read: async (position, limit) => {
        const { rows, reached } = await list.read(readKey(position), limit)
        return { rows, reached: reached && [reached.createdAt, reached.number] }
      },
      count: list.count,
      positionOf: ({ createdAtText, number }) => [createdAtText, number],
      show: (row: ListedOrder) => showListedOrder(ctx, row),
      showLine: (row) => showLine(ctx, row),
      columns: [
        ...(['id', 'number', 'createdAt', 'status', 'paymentStatus', 'paymentMethod', 'deliveryStatus'] as const),
        ...(['needsAttention', 'currency', 'subtotal', 'discount', 'shipping', 'tax', 'total'] as const),
        ...(['refundedTotal', 'couponCode', 'customerId', 'customerName', 'email', 'phone', 'shippingName'] as const),
        ...(['shippingPhone', 'city', 'postalCode', 'country', 'outletId', 'items', 'note'] as const),
      ],
    })
  },
  adminGetOrder: async ({ ctx, params }) => ({
    body: await readAdminOrder(ctx, await findOrderIdInStore(ctx, params.id)),
  }),
  adminAddOrderNote: async ({ ctx, params, body }) => {
    const orderId = await findOrderIdInStore(ctx, params.id)
    return writeOnceByAuthor(ctx, {
      route: 'adminAddOrderNote',
      request: { orderId, ...body },
      write: async (tx) => ({ body: await addNote(tx, ctx, ctx.by, orderId, body.text) }),
      refer: ({ id }) => id,
      readAgain: async (tx, id) => ({ body: await readNote(tx, ctx, orderId, id) }),
    })
  },
  adminResolveOrder: async ({ ctx, params }) => {
    const orderId = await findOrderIdInStore(ctx, params.id)
    await writeOnceByAuthor(ctx, {
      route: 'adminResolveOrder',
      request: { orderId },
      write: async (tx) => ({ body: await resolveOrder(tx, ctx, ctx.by, orderId) }),
      refer: () => orderId,
      readAgain: async () => ({ body: undefined }),
    })
    return answerAdminOrder(ctx, orderId)
  },
})

const readKey = (position: readonly (string | number)[] | undefined): OrderKey | null => {
  const [createdAt, number] = position ?? []
  return createdAt === undefined ? null : { createdAt: String(createdAt), number: Number(number) }
}

/** An order as one line of a file. */
const showLine = (ctx: AdminCtx, row: ListedOrder) => {
  const { customer, shippingAddress, items, ...order } = showListedOrder(ctx, row)
  return {
    ...order,
    ...{ customerId: customer.id, customerName: customer.name, email: customer.email, phone: customer.phone },
    ...{ shippingName: shippingAddress?.name ?? '', shippingPhone: shippingAddress?.phone ?? '' },
    ...{ city: shippingAddress?.city ?? '', postalCode: shippingAddress?.postalCode ?? '' },
    country: shippingAddress?.country ?? '',
    items: items.map(({ quantity, name, sku }) => `${quantity} × ${sku || name}`).join('; '),
  }
}
