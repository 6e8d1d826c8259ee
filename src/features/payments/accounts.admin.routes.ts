import { adminRoutes } from '../context.ts'
import { paymentAccountsContract } from './accounts.admin.contract.ts'
import { activatePaymentAccount, listPaymentAccounts, setPaymentAccount } from './manage-accounts.ts'

export const paymentAccountRoutes = adminRoutes(paymentAccountsContract, {
  adminListPaymentAccounts: async ({ ctx }) => ({ body: { data: await listPaymentAccounts(ctx) } }),
  adminUpdatePaymentAccount: async ({ ctx, params, body }) => ({
    body: await setPaymentAccount(ctx, params.provider, body),
  }),
  adminActivatePaymentAccount: async ({ ctx, params }) => ({
    body: await activatePaymentAccount(ctx, params.provider),
  }),
})
