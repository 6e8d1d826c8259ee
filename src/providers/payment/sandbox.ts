import type { Instrument } from '../../core/instrument.ts'
import { toWire } from '../../core/money.ts'
import { readNeutralEvent } from './neutral-event.ts'
import { noNames, type PaymentProvider, type ProviderPaymentStatus, usualSession } from './provider.ts'

export type SandboxState = 'open' | 'success' | 'failed' | 'later' | 'closed' | 'refunded'

/** The sandbox's own record of its payments, as a real provider would have. */
export type SandboxLedger = {
  open(storeId: string, paymentId: string): Promise<void>
  read(storeId: string, paymentId: string): Promise<SandboxState | null>
  /** Changes the state if it is one of `from` (null is an unknown payment). Returns the resulting state. */
  move(
    storeId: string,
    paymentId: string,
    from: readonly (SandboxState | null)[],
    to: SandboxState,
  ): Promise<SandboxState | null>
}

/** A provider for testing: a developer chooses on its page how a payment ends. No money moves. */
export const createSandbox = (
  ledger: SandboxLedger,
  pageUrl: (storeId: string, paymentId: string) => string,
): PaymentProvider => ({
  name: 'sandbox',
  credentials: [],
  isForTesting: true,
  ...usualSession,
  takesCustomer: false,
  canRefundPart: true,
  refuseAmount: () => null,
  referenceOf: () => null,
  refundReferenceOf: () => null,
  start: async ({ storeId }, { paymentId, expiresAt }) => {
    await ledger.open(storeId, paymentId)
    return { reference: null, redirectUrl: pageUrl(storeId, paymentId), expiresAt }
  },
  status: async ({ storeId }, { paymentId, amountMinor, currency }) => {
    const state = await ledger.read(storeId, paymentId)
    return {
      status: state === null ? 'open' : reportedStatuses[state],
      amount: toWire(amountMinor, currency),
      currency,
      transaction: null,
      instrument: sandboxInstrument(paymentId),
    }
  },
  close: async ({ storeId }, { paymentId }) => {
    const state = await ledger.move(storeId, paymentId, [null, 'open', 'later'], 'closed')
    return state === 'success' ? 'paid' : 'closed'
  },
  refund: async ({ storeId }, { paymentId, amountMinor }, refund) => {
    if (refund.amountMinor === amountMinor) {
      await ledger.move(storeId, paymentId, [null, 'open', 'later', 'success', 'failed', 'closed'], 'refunded')
    }
    return { status: 'succeeded', reference: null, detail: '' }
  },
  check: async () => 'The sandbox needs no credentials.',
  webhook: { storeIn: 'header', isGenuine: null, read: ({ body }) => readNeutralEvent(body) },
  readReturn: ({ orderId }) => ({ ...noNames, orderId: orderId ?? null }),
})

const reportedStatuses: Record<SandboxState, ProviderPaymentStatus> = {
  open: 'open',
  later: 'open',
  success: 'success',
  failed: 'failed',
  closed: 'closed',
  refunded: 'refunded',
}

export const sandboxInstrument = (paymentId: string): Instrument => ({
  method: 'card',
  last4: '4242',
  upiId: '',
  reference: paymentId,
})
