import type { Tx } from '../src/db/database.ts'
import type { Store } from '../src/features/context.ts'
import { changePaymentAccount } from '../src/features/payments/accounts.ts'
import { cash } from '../src/providers/payment/cash.ts'
import { readNeutralEvent } from '../src/providers/payment/neutral-event.ts'
import type { PaymentProvider } from '../src/providers/payment/provider.ts'
import type { TestService } from './harness.ts'

export const keyHeader = 'x-webhook-key'

export const keyOf = (storeId: string) => `key of ${storeId}`

/**
 * A provider with the store in the path of its webhook. It takes a key where real ones sign the body, so that tests of
 * all endpoints can send any body.
 */
export const keyedProvider: PaymentProvider = {
  ...cash,
  name: 'keyed',
  credentials: ['key'],
  isForTesting: true,
  webhook: {
    storeIn: 'path',
    isGenuine: ({ credentials }, { headers }) => headers[keyHeader] === credentials.key,
    read: ({ body }) => readNeutralEvent(body),
  },
}

export const openKeyedAccount = (tx: Tx, { app }: TestService, store: Store) =>
  changePaymentAccount(tx, app.services.payments, store, {
    provider: keyedProvider.name,
    credentials: { key: keyOf(store.publicId) },
  })
