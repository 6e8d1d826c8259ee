import Type from 'typebox'
import { adminEndpoint } from '../access/admin.contract.ts'
import { adminOrderParams, adminOrdersPath } from '../orders/orders.admin.contract.ts'

export const mailAdminContract = {
  adminResendMessage: adminEndpoint({
    ...{ method: 'POST', path: `${adminOrdersPath}/{id}/messages/{name}/resend`, tag: 'Orders' },
    ...{ access: 'store', permission: 'orders:support' },
    params: Type.Object({
      ...adminOrderParams.properties,
      name: Type.String({ maxLength: 60, description: 'The name of a message, such as `order.paid`' }),
    }),
    summary: 'Send a mail about an order again',
    description: "To the customer's present address, at most three times an hour.",
    once: true,
    ok: Type.Object({ id: Type.String(), message: Type.String(), order: Type.String(), recipient: Type.String() }),
    okStatus: 201,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: {
      ...{ id: 'mail_01k8x0v3m7q2w9c4t6y8zm', message: 'order.paid', order: '1001', recipient: 'asha@example.com' },
    },
  }),
}
