import type { ListenOptions } from './double.ts'
import { startJuspayDouble } from './juspay.ts'
import { startRazorpayDouble } from './razorpay.ts'
import { startShiprocketDouble } from './shiprocket.ts'
import { startStripeDouble } from './stripe.ts'

/** `owner` is the id of the store, for Shiprocket its logistics key. */
export type StartedDouble = {
  url: string
  openAccount(serviceUrl: string, owner: string): Record<string, string>
  close(): Promise<void>
}

const starts = {
  stripe: startStripeDouble,
  razorpay: startRazorpayDouble,
  juspay: startJuspayDouble,
  shiprocket: startShiprocketDouble,
}

/** For `vitrine double start`. */
export const startNamedDouble = (name: keyof typeof starts, options: ListenOptions): Promise<StartedDouble> =>
  starts[name](options)
