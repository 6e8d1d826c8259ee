import type { Endpoint, Route } from '../../http/endpoint.ts'
import { type PublicCtx, routes, type Services } from '../context.ts'
import { findWayBack, type OnTrouble } from './callback.ts'
import { payOrder, showPaymentOf } from './payment.ts'
import { paymentsContract } from './payments.contract.ts'
import { forStore, type PaymentServices } from './providers.ts'
import { assertProviderWebhook, receivePaymentEvent, receiveProviderEvent } from './webhook.ts'
import { admitProvider, type WebhookStore } from './webhook-access.ts'

export const paymentRoutes = (
  services: PaymentServices & Pick<Services, 'boundLookup' | 'counter'>,
  onTrouble: OnTrouble,
): Route[] => {
  const all = routes(paymentsContract, {
    startPayment: async ({ ctx, body }) => ({ body: await payOrder(ctx, body.orderId) }),
    showPayment: async ({ ctx, params }) => ({ body: await showPaymentOf(ctx, params.orderId) }),
    paymentCallback: async ({ ctx, query }) => ({
      body: null,
      headers: {
        location: await findWayBack(services, { ...query, clientAddress: ctx.clientAddress }, onTrouble),
        'cache-control': 'no-store',
      },
    }),
    paymentWebhook: async ({ ctx, body }) => ({
      body: await receivePaymentEvent(forStore(services, (ctx as ProviderCtx).store), body),
    }),
    providerWebhook: async ({ ctx, params, body }) => ({
      body: await receiveProviderEvent(forStore(services, (ctx as ProviderCtx).store), params.provider, body),
    }),
  })
  // Before the body is read: who has no credentials is told nothing about it, and makes us parse nothing.
  const identify = async (anyone: PublicCtx, { provider }: { provider?: string }): Promise<ProviderCtx> => {
    if (provider !== undefined) assertProviderWebhook(services, provider)
    const { headers, clientAddress } = anyone
    return {
      ...anyone,
      store: await admitProvider(services, headers, (find) => services.boundLookup(`webhook ${clientAddress}`, find)),
    }
  }
  const webhooks: readonly Endpoint[] = [paymentsContract.paymentWebhook, paymentsContract.providerWebhook]
  return all.map((route) => (webhooks.includes(route.endpoint) ? { ...route, identify } : route))
}

type ProviderCtx = PublicCtx & { store: WebhookStore }
