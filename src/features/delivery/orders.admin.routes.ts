import { mustExist } from '../../core/must-exist.ts'
import { writeOnceByAuthor } from '../access/idempotency.ts'
import { adminRoutes } from '../context.ts'
import { answerAdminOrder, findOrderIdInStore, readAdminOrder } from '../orders/admin-order.ts'
import { deliverOrderBy } from './deliver.ts'
import { listShippingCarriers } from './manage-carriers.ts'
import { orderDeliveryAdminContract } from './orders.admin.contract.ts'
import { shipForMerchant } from './ship-for-merchant.ts'

export const orderDeliveryAdminRoutes = adminRoutes(orderDeliveryAdminContract, {
  adminListShippingCarriers: async ({ ctx }) => ({ body: { data: await listShippingCarriers(ctx) } }),
  adminShipOrder: async ({ ctx, params, body }) => {
    const orderId = await findOrderIdInStore(ctx, params.id)
    const shipmentId = await shipForMerchant(ctx, orderId, body)
    const { shipments } = await readAdminOrder(ctx, orderId)
    return {
      body: mustExist(
        shipments.find(({ id }) => id === shipmentId),
        `shipment ${shipmentId}`,
      ),
    }
  },
  adminDeliverOrder: async ({ ctx, params }) => {
    const orderId = await findOrderIdInStore(ctx, params.id)
    await writeOnceByAuthor(ctx, {
      route: 'adminDeliverOrder',
      request: { orderId },
      write: async (tx) => ({ body: await deliverOrderBy(tx, ctx, ctx.by, orderId, ctx.clock.now()) }),
      refer: () => orderId,
      readAgain: async () => ({ body: { delivered: true } }),
    })
    return answerAdminOrder(ctx, orderId)
  },
})
