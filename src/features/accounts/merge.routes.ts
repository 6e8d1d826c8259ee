import { routes } from '../context.ts'
import { mergeContract } from './merge.contract.ts'
import { mergeGuestData } from './merge.ts'

export const mergeRoutes = routes(mergeContract, {
  mergeGuestData: async ({ ctx, body }) => ({ body: await mergeGuestData(ctx, body.guestToken) }),
})
