import { adminRoutes } from '../context.ts'
import { answerAdminOrder, findOrderIdInStore } from '../orders/admin-order.ts'
import { findOrder } from '../orders/store-orders.ts'
import { cancelUnpaid } from './cancel.ts'
import { orderPaymentsAdminContract } from './orders.admin.contract.ts'
import { previewForMerchant, refundForMerchant } from './refund-for-merchant.ts'

export const orderPaymentAdminRoutes = adminRoutes(orderPaymentsAdminContract, {
  adminCancelOrder: async ({ ctx, params }) => {
    const { order } = await findOrder(ctx.db, params.id, ctx.store.publicId)
    await cancelUnpaid(ctx, order, 'Cancelled by the store.', ctx.by)
    return answerAdminOrder(ctx, order.id)
  },
  adminRefundOrder: async ({ ctx, params, body }) => ({
    body: await refundForMerchant(ctx, await findOrderIdInStore(ctx, params.id), body ?? {}),
  }),
  adminPreviewRefund: async ({ ctx, params, body }) => ({
    body: await previewForMerchant(ctx, await findOrderIdInStore(ctx, params.id), body ?? {}),
  }),
})
