import { routes } from '../context.ts'
import { addAddress, changeAddress, listAddresses, removeAddress } from './addresses.ts'
import { changePassword } from './password-change.ts'
import { profileContract } from './profile.contract.ts'
import { changeCustomer, showCustomer } from './profile.ts'

export const profileRoutes = routes(profileContract, {
  showCustomer: async ({ ctx }) => ({ body: await showCustomer(ctx) }),
  changeCustomer: async ({ ctx, body }) => ({ body: await changeCustomer(ctx, body) }),
  changePassword: async ({ ctx, body }) => {
    await changePassword(ctx, body)
    return { body: { success: true } }
  },
  listAddresses: async ({ ctx, query }) => ({ body: await listAddresses(ctx, query) }),
  addAddress: ({ ctx, body }) => addAddress(ctx, body),
  changeAddress: async ({ ctx, params, body }) => ({ body: await changeAddress(ctx, params.id, body) }),
  removeAddress: async ({ ctx, params }) => {
    await removeAddress(ctx, params.id)
    return { body: null }
  },
})
