import { toWire } from '../../core/money.ts'
import type { PaymentProvider } from './provider.ts'

/** Money that is handed over at the door. There is nobody to ask: people report what happened. */
export const cash: PaymentProvider = {
  name: 'cod',
  credentials: [],
  isForTesting: false,
  start: async () => {
    throw new Error('a payment at the door is not started')
  },
  status: async (_account, { amountMinor, currency }) => ({
    status: 'open',
    amount: toWire(amountMinor, currency),
    currency,
    instrument: { method: 'cod', last4: '', upiId: '', reference: '' },
  }),
  close: async () => 'closed',
  readWebhook: null,
  // Whoever gives a refund gives it by hand.
  refund: async () => 'refunded',
}
