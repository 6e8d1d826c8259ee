import Type from 'typebox'
import { named, oneOf } from '../../http/schema.ts'
import { adminEndpoint, storeParams } from '../access/admin.contract.ts'

/** In the order in which a new store does them. */
export const setupSteps = ['storefront', 'payment', 'shipping', 'tax', 'mail', 'product', 'order'] as const

export const setupContract = {
  adminGetSetup: adminEndpoint({
    ...{ method: 'GET', path: '/admin/v1/stores/{storeId}/setup', tag: 'Settings', params: storeParams },
    ...{ access: 'store', permission: 'settings:read' },
    summary: 'Read what the store still needs before its first real payment',
    ok: named(
      'Setup',
      Type.Object({
        done: Type.Integer({ description: 'How many steps are done' }),
        steps: Type.Array(
          Type.Object({
            name: oneOf(setupSteps),
            done: Type.Boolean(),
            detail: Type.String({ description: 'What is missing, or what was found' }),
          }),
        ),
      }),
    ),
    example: {
      done: 1,
      steps: [
        { name: 'storefront', done: true, detail: 'https://bluedoor.example may call this store.' },
        { name: 'payment', done: false, detail: 'The account at Stripe lacks the secret key and the webhook secret.' },
      ],
    },
  }),
}
