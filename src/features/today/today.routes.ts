import { adminRoutes } from '../context.ts'
import { todayContract } from './today.contract.ts'
import { countToday } from './today.ts'

export const todayRoutes = adminRoutes(todayContract, {
  adminToday: async ({ ctx }) => ({ body: await countToday(ctx) }),
})
