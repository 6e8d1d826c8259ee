import type { Instrument } from '../../core/instrument.ts'
import { toWire } from '../../core/money.ts'
import { readNeutralEvent } from './neutral-event.ts'
import type { PaymentProvider, StandingStatus } from './provider.ts'

export type SandboxState = 'open' | 'success' | 'failed' | 'later' | 'closed' | 'refunded'

/** What the sandbox knows of its payments, as a real provider would on a machine of its own. */
export type SandboxBook = {
  open(storeId: string, paymentId: string): Promise<void>
  read(storeId: string, paymentId: string): Promise<SandboxState | null>
  /** Changes the state if it is one of these (null stands for a payment it has not heard of), and tells what it is now. */
  move(
    storeId: string,
    paymentId: string,
    from: readonly (SandboxState | null)[],
    to: SandboxState,
  ): Promise<SandboxState | null>
}

/** A provider for trying out: a person says on its page how a payment ends. No money moves. */
export const createSandbox = (
  book: SandboxBook,
  pageUrl: (storeId: string, paymentId: string) => string,
): PaymentProvider => ({
  name: 'sandbox',
  credentials: [],
  isForTesting: true,
  start: async ({ storeId }, { paymentId, expiresAt }) => {
    await book.open(storeId, paymentId)
    return { reference: null, redirectUrl: pageUrl(storeId, paymentId), expiresAt }
  },
  status: async ({ storeId }, { paymentId, amountMinor, currency }) => {
    const state = await book.read(storeId, paymentId)
    return {
      status: state === null ? 'open' : standings[state],
      amount: toWire(amountMinor, currency),
      currency,
      instrument: sandboxInstrument(paymentId),
    }
  },
  close: async ({ storeId }, { paymentId }) => {
    const state = await book.move(storeId, paymentId, [null, 'open', 'later'], 'closed')
    return state === 'success' ? 'paid' : 'closed'
  },
  readWebhook: (_account, { body }) => readNeutralEvent(body),
  refund: async ({ storeId }, { paymentId }) => {
    await book.move(storeId, paymentId, [null, 'open', 'later', 'success', 'failed', 'closed'], 'refunded')
    return 'refunded'
  },
})

const standings: Record<SandboxState, StandingStatus> = {
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
