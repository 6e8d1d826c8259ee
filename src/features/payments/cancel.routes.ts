import { routes } from '../context.ts'
import { cancelContract } from './cancel.contract.ts'
import { cancelOrderOf } from './cancel.ts'

export const cancelRoutes = routes(cancelContract, {
  cancelOrder: async ({ ctx, params }) => ({ body: await cancelOrderOf(ctx, params.id) }),
})
