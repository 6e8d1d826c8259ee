import { cash } from '../../providers/payment/cash.ts'
import type { Payments, Store } from '../context.ts'

export type PaymentMethod = 'online' | 'cod'

type Providers = Pick<Payments, 'providers' | 'production'>

/** Why a store cannot be paid online through a provider of this name; null when it can. */
export const explainUnpayable = ({ providers, production }: Providers, name: string): string | null => {
  const provider = providers.get(name)
  if (provider === undefined || provider.name === cash.name) return 'This store takes no payments online.'
  return provider.isForTesting && production ? 'This store can not be paid yet: its payments are for testing.' : null
}

/** How orders of this store can be paid in this service, the default first. */
export const listPaymentMethods = (
  providers: Providers,
  { paymentProvider, cashOnDelivery }: Pick<Store, 'paymentProvider' | 'cashOnDelivery'>,
): PaymentMethod[] => [
  ...(explainUnpayable(providers, paymentProvider) === null ? (['online'] as const) : []),
  ...(cashOnDelivery ? (['cod'] as const) : []),
]
