import { readHeader } from '../../core/headers.ts'
import type { Route } from '../../http/door.ts'
import { webhookRoutes } from '../access/webhooks.ts'
import { routes, type Services } from '../context.ts'
import { findProviderReturnUrl, findReturnUrl, type OnProviderError } from './callback.ts'
import { payOrder, showPaymentOf } from './payment.ts'
import { paymentsContract, paymentWebhooksContract } from './payments.contract.ts'
import { forStore, type PaymentServices } from './providers.ts'
import { redirectPage, redirectPageHeaders } from './redirect-page.ts'
import { keepUnreadable, receivePaymentEvent, receiveProviderEvent } from './webhook.ts'
import { admitProvider, admitSignedProvider } from './webhook-access.ts'
import { createGenuineStoreFinder } from './webhook-accounts.ts'

type RouteServices = PaymentServices & Pick<Services, 'limitLookups' | 'limitSubjects' | 'counter'>

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
    providerCallback: async ({ ctx, params: { provider }, query }) => {
      const returned = { provider, query, clientAddress: ctx.clientAddress }
      const location = await findProviderReturnUrl(services, returned, onProviderError)
      if (!services.payments.providers.get(provider)?.refusesRedirect) {
        return { body: '', headers: { location, 'cache-control': 'no-store' } }
      }
      return { status: 200, body: redirectPage(location), headers: redirectPageHeaders }
    },
  })

export const paymentWebhookRoutes = (services: RouteServices): Route[] => {
  const findGenuineStore = createGenuineStoreFinder(services)
  return webhookRoutes(
    services,
    paymentWebhooksContract,
    async (arrival) => {
      const { provider, storeId } = arrival.params
      if (provider === undefined) return { store: await admitProvider(services, arrival.headers, arrival.lookUp) }
      const named =
        storeId === undefined
          ? ({ provider, storeIn: 'header', storeId: readHeader(arrival.headers, 'x-store-id') ?? '' } as const)
          : ({ provider, storeIn: 'path', storeId } as const)
      const store = await admitSignedProvider({ ...services, findGenuineStore }, named, arrival)
      const rawBody = await arrival.readBody()
      await keepUnreadable(forStore(services, store), provider, { headers: arrival.headers, rawBody })
      return { store }
    },
    {
      paymentWebhook: async ({ ctx, body }) => ({
        body: await receivePaymentEvent(forStore(services, ctx.store), body),
      }),
      providerWebhook: async ({ ctx: { store, headers, rawBody }, params, body }) => ({
        body: await receiveProviderEvent(forStore(services, store), params.provider, { headers, rawBody, body }),
      }),
      providerWebhookOfStore: async ({ ctx: { store, headers, rawBody }, params, body }) => ({
        body: await receiveProviderEvent(forStore(services, store), params.provider, { headers, rawBody, body }),
      }),
    },
  )
}
