import { toWire } from '../../core/money.ts'
import { noNames, type PaymentProvider, usualSession } from './provider.ts'

/** Cash on delivery. There is no provider to call: carriers and operators report the result. */
export const cash: PaymentProvider = {
  name: 'cod',
  credentials: [],
  isForTesting: false,
  ...usualSession,
  takesCustomer: false,
  canRefundPart: true,
  refuseAmount: () => null,
  referenceOf: () => null,
  refundReferenceOf: () => null,
  start: async () => {
    throw new Error('cash on delivery has no payment session')
  },
  status: async (_account, { amountMinor, currency }) => ({
    status: 'open',
    amount: toWire(amountMinor, currency),
    currency,
    transaction: null,
    instrument: { method: 'cod', last4: '', upiId: '', reference: '' },
  }),
  close: async () => 'closed',
  // The store refunds cash by hand.
  refund: async () => ({ status: 'succeeded', reference: null, detail: '' }),
  check: async () => 'Cash on delivery needs no credentials.',
  webhook: null,
  readReturn: () => noNames,
}
