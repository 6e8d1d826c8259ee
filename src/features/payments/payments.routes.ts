import type { Route } from '../../http/door.ts'
import { webhookRoutes } from '../access/webhooks.ts'
import { routes, type Services } from '../context.ts'
import { findReturnUrl, type OnProviderError } from './callback.ts'
import { payOrder, showPaymentOf } from './payment.ts'
import { paymentsContract, paymentWebhooksContract } from './payments.contract.ts'
import { forStore, type PaymentServices } from './providers.ts'
import { assertProviderWebhook, receivePaymentEvent, receiveProviderEvent } from './webhook.ts'
import { admitProvider } from './webhook-access.ts'

type RouteServices = PaymentServices & Pick<Services, 'limitLookups' | 'counter'>

export const paymentRoutes = (services: RouteServices, onProviderError: OnProviderError): Route[] =>
  routes(paymentsContract, {
    startPayment: async ({ ctx, body }) => ({ body: await payOrder(ctx, body.orderId) }),
    showPayment: async ({ ctx, params }) => ({ body: await showPaymentOf(ctx, params.orderId) }),
    paymentCallback: async ({ ctx, query }) => ({
      body: null,
      headers: {
        location: await findReturnUrl(services, { ...query, clientAddress: ctx.clientAddress }, onProviderError),
        'cache-control': 'no-store',
      },
    }),
  })

export const paymentWebhookRoutes = (services: RouteServices): Route[] =>
  webhookRoutes(
    services,
    paymentWebhooksContract,
    async ({ headers, params: { provider }, lookUp }) => {
      if (provider !== undefined) assertProviderWebhook(services, provider)
      return { store: await admitProvider(services, headers, lookUp) }
    },
    {
      paymentWebhook: async ({ ctx, body }) => ({
        body: await receivePaymentEvent(forStore(services, ctx.store), body),
      }),
      providerWebhook: async ({ ctx: { store, headers, rawBody }, params, body }) => ({
        body: await receiveProviderEvent(forStore(services, store), params.provider, { headers, rawBody, body }),
      }),
    },
  )
