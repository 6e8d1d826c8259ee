import type { Choice, Double, ListenOptions } from './double.ts'

export type PaymentDoubleOptions = ListenOptions & {
  /** The time at the provider. */
  now?: () => number
}

/** A test double of a payment provider. Tests use these calls alone, so that they run against each provider. */
export type PaymentDouble = Double & {
  name: 'stripe' | 'razorpay' | 'juspay'
  /** What becomes of the next refunds. */
  behaviour: { refund: 'pending' | 'succeeded' | 'failed' }
  /** Makes an account for a store, and sends its events to the service from now on. Returns the credentials to set. */
  openAccount(serviceUrl: string, storeId: string): Record<string, string>
  /** Decides payments that were left undecided by `pay-later`, of one store or of all. */
  settleLater(outcome: 'success' | 'failed', storeId?: string): Promise<void>
  /** Decides pending refunds; `failed` also undoes one that had succeeded. */
  settleRefunds(outcome: 'succeeded' | 'failed', storeId?: string): Promise<void>
  /** A person refunds part of a payment (the last one unless named) in the dashboard of the provider. Minor units. */
  refundInDashboard(minor: number, reference?: string): Promise<void>
  dispute(state: 'opened' | 'won' | 'lost', reference?: string): Promise<void>
  /** The sessions of a store. */
  ledger(storeId: string): LedgerEntry[]
  /** In minor units, over all accounts. */
  taken(): number
  returned(): number
  /** How many sessions a shopper could pay now. */
  payable(): number
}

/** One session. `reference` is what the provider calls it; `returnedMinor` counts refunds that have succeeded. */
export type LedgerEntry = { reference: string; takenMinor: number; returnedMinor: number }

/** What a shopper does on the page of a double. Returns the address that the browser is sent to. */
export const choose = async (redirectUrl: string, choice: Choice): Promise<string | null> => {
  const answer = await fetch(redirectUrl, { method: 'POST', body: new URLSearchParams({ choice }), redirect: 'manual' })
  return answer.headers.get('location')
}
