import { createJuspay } from '../../src/providers/payment/juspay.ts'
import type { PaymentProvider } from '../../src/providers/payment/provider.ts'
import { createRazorpay } from '../../src/providers/payment/razorpay.ts'
import { createStripe } from '../../src/providers/payment/stripe.ts'
import { startJuspayDouble } from './juspay.ts'
import type { PaymentDouble, PaymentDoubleOptions } from './payment-double.ts'
import { startRazorpayDouble } from './razorpay.ts'
import { startStripeDouble } from './stripe.ts'

/** Each provider with its test double. */
export const doubles: {
  name: PaymentDouble['name']
  start: (options?: PaymentDoubleOptions) => Promise<PaymentDouble>
  createProvider: (origin: string) => PaymentProvider
}[] = [
  { name: 'stripe', start: startStripeDouble, createProvider: createStripe },
  { name: 'razorpay', start: startRazorpayDouble, createProvider: createRazorpay },
  { name: 'juspay', start: startJuspayDouble, createProvider: createJuspay },
]
