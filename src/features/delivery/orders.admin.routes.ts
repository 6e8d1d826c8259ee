import { refuse } from '../../core/domain-errors.ts'
import { mustExist } from '../../core/must-exist.ts'
import { writeOnceByAuthor } from '../access/idempotency.ts'
import { type AdminCtx, type Author, adminRoutes } from '../context.ts'
import { answerAdminOrder, findOrderIdInStore, readAdminOrder } from '../orders/admin-order.ts'
import { deliverOrderBy } from './deliver.ts'
import { listShippingCarriers } from './manage-carriers.ts'
import { orderDeliveryAdminContract } from './orders.admin.contract.ts'
import { shipForMerchant } from './ship-for-merchant.ts'
import { cancelShipment, labelShipment, schedulePickup } from './shipment-actions.ts'

export const orderDeliveryAdminRoutes = adminRoutes(orderDeliveryAdminContract, {
  adminListShippingCarriers: async ({ ctx }) => ({ body: { data: await listShippingCarriers(ctx) } }),
  adminShipOrder: async ({ ctx, params, body }) => {
    const orderId = await findOrderIdInStore(ctx, params.id)
    const shipmentId = await shipForMerchant(ctx, orderId, body)
    return { body: mustExist(await findShipment(ctx, orderId, shipmentId), `shipment ${shipmentId}`) }
  },
  adminLabelShipment: ({ ctx, params }) => actOn(ctx, params, labelShipment),
  adminPickUpShipment: ({ ctx, params }) => actOn(ctx, params, schedulePickup),
  adminCancelShipment: ({ ctx, params }) => actOn(ctx, params, cancelShipment),
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

const findShipment = async (ctx: AdminCtx, orderId: string, shipmentId: string) =>
  (await readAdminOrder(ctx, orderId)).shipments.find(({ id }) => id === shipmentId)

/** Each of these can be repeated without a second effect. */
const actOn = async (
  ctx: AdminCtx,
  { id, shipmentId }: { id: string; shipmentId: string },
  act: (ctx: AdminCtx, shipmentId: string, by: Author) => Promise<unknown>,
) => {
  const orderId = await findOrderIdInStore(ctx, id)
  if (!(await findShipment(ctx, orderId, shipmentId))) throw refuse('SHIPMENT_NOT_FOUND', { shipment: shipmentId })
  await act(ctx, shipmentId, ctx.by)
  return { body: mustExist(await findShipment(ctx, orderId, shipmentId), `shipment ${shipmentId}`) }
}
