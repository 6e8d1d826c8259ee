import { toWire } from '../../core/money.ts'
import type { PaymentProvider } from './provider.ts'

/** Cash on delivery. There is no provider to call: carriers and operators report the result. */
export const cash: PaymentProvider = {
  name: 'cod',
  credentials: [],
  isForTesting: false,
  start: async () => {
    throw new Error('cash on delivery has no payment session')
  },
  status: async (_account, { amountMinor, currency }) => ({
    status: 'open',
    amount: toWire(amountMinor, currency),
    currency,
    instrument: { method: 'cod', last4: '', upiId: '', reference: '' },
  }),
  close: async () => 'closed',
  readWebhook: null,
  // The store refunds cash by hand.
  refund: async () => 'refunded',
}
