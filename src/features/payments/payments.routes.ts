import type { Route } from '../../http/endpoint.ts'
import { type PublicCtx, routes } from '../context.ts'
import { findWayBack, type OnTrouble } from './callback.ts'
import { payOrder, showPaymentOf } from './payment.ts'
import { paymentsContract } from './payments.contract.ts'
import { forStore, type PaymentServices } from './providers.ts'
import { assertProviderWebhook, receivePaymentEvent, receiveProviderEvent } from './webhook.ts'
import { admitProvider, type WebhookStore } from './webhook-access.ts'

export const paymentRoutes = (services: PaymentServices, onTrouble: OnTrouble): Route[] => {
  const all = routes(paymentsContract, {
    startPayment: async ({ ctx, body }) => ({ body: await payOrder(ctx, body.orderId) }),
    showPayment: async ({ ctx, params }) => ({ body: await showPaymentOf(ctx, params.orderId) }),
    paymentCallback: async ({ query }) => ({
      body: null,
      headers: {
        location: await findWayBack(services, query.orderId, onTrouble),
        'cache-control': 'no-store',
      },
    }),
    paymentWebhook: async ({ ctx, body }) => ({
      body: await receivePaymentEvent(forStore(services, (ctx as ProviderCtx).store), body),
    }),
    providerWebhook: async ({ ctx, params, body }) => {
      assertProviderWebhook(services, params.provider)
      const store = await admitProvider(services, ctx.headers)
      return { body: await receiveProviderEvent(forStore(services, store), params.provider, body) }
    },
  })
  // Who has no credentials is told nothing about the body.
  const identify = async (anyone: object): Promise<ProviderCtx> => ({
    ...(anyone as PublicCtx),
    store: await admitProvider(services, (anyone as PublicCtx).headers),
  })
  return all.map((route) => (route.endpoint === paymentsContract.paymentWebhook ? { ...route, identify } : route))
}

type ProviderCtx = PublicCtx & { store: WebhookStore }
