import { cash } from '../../providers/payment/cash.ts'
import type { Payments, Store } from '../context.ts'

export type PaymentMethod = 'online' | 'cod'

type Providers = Pick<Payments, 'providers' | 'production'>

/** Why this provider cannot take online payments for a store; null if it can. */
export const explainUnpayable = ({ providers, production }: Providers, name: string): string | null => {
  const provider = providers.get(name)
  if (provider === undefined || provider.name === cash.name) return 'This store takes no payments online.'
  return provider.isForTesting && production
    ? 'This store cannot accept payments yet: its payment provider is for testing.'
    : null
}

/** The payment methods of a store, the default first. */
export const listPaymentMethods = (
  providers: Providers,
  { paymentProvider, cashOnDelivery }: Pick<Store, 'paymentProvider' | 'cashOnDelivery'>,
): PaymentMethod[] => [
  ...(explainUnpayable(providers, paymentProvider) === null ? (['online'] as const) : []),
  ...(cashOnDelivery ? (['cod'] as const) : []),
]
