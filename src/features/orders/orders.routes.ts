import { routes } from '../context.ts'
import { ordersContract } from './orders.contract.ts'
import { listOrdersOf, showOrderOf } from './orders.ts'
import type { OrderWaits } from './waiting.ts'

export const orderRoutes = (waits: OrderWaits) =>
  routes(ordersContract, {
    listOrders: async ({ ctx, query }) => ({ body: await listOrdersOf(ctx, query) }),
    showOrder: async ({ ctx, params, query }) => ({ body: await showOrderOf(ctx, params.id, query.wait ?? 0, waits) }),
  })
