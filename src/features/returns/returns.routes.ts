import { readPeriod } from '../../core/period.ts'
import type { Tx } from '../../db/database.ts'
import { writeOnce, writeOnceByAuthor } from '../access/idempotency.ts'
import { answerList } from '../admin-list.ts'
import { type AdminCtx, adminRoutes, routes } from '../context.ts'
import { findOrderIdInStore } from '../orders/admin-order.ts'
import { findOrderOf } from '../orders/orders.ts'
import { refundReturn } from './refund-return.ts'
import type { AdminReturn } from './return.contract.ts'
import { returnsAdminContract } from './returns.admin.contract.ts'
import { returnsContract } from './returns.contract.ts'
import { countReturns, listReturns, listReturnsOfOrder } from './returns.sql.ts'
import { addReturn, decideReturn, readReturn, receiveReturn, showReturn } from './returns.ts'

export const returnRoutes = routes(returnsContract, {
  requestReturn: async ({ ctx, params, body }) => {
    const { id: orderId } = await findOrderOf(ctx, params.id)
    return writeOnce(ctx, {
      route: 'requestReturn',
      request: [orderId, body],
      write: async (tx) => ({ body: await addReturn(tx, ctx, { orderId, ...body }, 'customer') }),
      refer: ({ id }) => id,
      readAgain: async (tx, id) => ({ body: await readReturn(tx, ctx, id) }),
    })
  },
  listReturns: async ({ ctx, params }) => {
    const { id } = await findOrderOf(ctx, params.id)
    return { body: { data: (await listReturnsOfOrder(ctx.db, ctx.store.id, id)).map(showReturn) } }
  },
})

/** A change that is made once for an idempotency key. */
const once = (ctx: AdminCtx, route: string, request: readonly unknown[], change: (tx: Tx) => Promise<AdminReturn>) =>
  writeOnceByAuthor<AdminReturn>(ctx, {
    ...{ route, request },
    write: async (tx) => ({ body: await change(tx) }),
    refer: ({ id }) => id,
    readAgain: async (tx, id) => ({ body: await readReturn(tx, ctx, id) }),
  })

export const returnAdminRoutes = adminRoutes(returnsAdminContract, {
  adminListReturns: async ({ ctx, query }) => {
    const { db, store } = ctx
    const orderId = query.order === undefined ? null : await findOrderIdInStore(ctx, query.order)
    const filter = { status: query.status ?? null, orderId, ...readPeriod(query, store.timezone) }
    return answerList(ctx, 'returns', query, {
      read: (position, limit) => {
        const [at, id] = position ?? []
        const before = at === undefined ? null : { at: String(at), id: String(id) }
        return listReturns(db, store.id, filter, { before, limit })
      },
      count: (limit) => countReturns(db, store.id, filter, limit),
      positionOf: ({ position, id }) => [position, id],
      show: showReturn,
      columns: [
        ...([
          'id',
          'orderId',
          'orderNumber',
          'status',
          'items',
          'reason',
          'answer',
          'byCustomer',
          'restocked',
        ] as const),
        ...(['refundId', 'createdAt', 'updatedAt'] as const),
      ],
    })
  },
  adminCreateReturn: async ({ ctx, body }) => {
    const orderId = await findOrderIdInStore(ctx, body.orderId)
    return once(ctx, 'adminCreateReturn', [body], (tx) => addReturn(tx, ctx, { ...body, orderId }, ctx.by))
  },
  adminGetReturn: async ({ ctx, params }) => ({ body: await readReturn(ctx.db, ctx, params.id) }),
  adminApproveReturn: ({ ctx, params: { id }, body }) =>
    once(ctx, 'adminApproveReturn', [id, body], (tx) =>
      decideReturn(tx, ctx, ctx.by, id, { ...body, status: 'approved' }),
    ),
  adminRejectReturn: ({ ctx, params: { id }, body }) =>
    once(ctx, 'adminRejectReturn', [id, body], (tx) =>
      decideReturn(tx, ctx, ctx.by, id, { ...body, status: 'rejected' }),
    ),
  adminReceiveReturn: ({ ctx, params: { id }, body }) =>
    once(ctx, 'adminReceiveReturn', [id, body], (tx) => receiveReturn(tx, ctx, ctx.by, id, body?.restock ?? true)),
  adminRefundReturn: async ({ ctx, params, body }) => ({ body: await refundReturn(ctx, params.id, body ?? {}) }),
})
