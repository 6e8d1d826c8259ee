import { adminRoutes } from '../context.ts'
import { setupContract } from './setup.admin.contract.ts'
import { readSetup } from './setup.ts'

export const setupRoutes = adminRoutes(setupContract, {
  adminGetSetup: async ({ ctx }) => ({ body: await readSetup({ ...ctx, sendsMail: ctx.mail !== null }) }),
})
