import { webhookRoutes } from '../access/webhooks.ts'
import { admitCarrier, type CarrierServices, receiveCarrierEvent } from './carrier.ts'
import { deliveryContract } from './delivery.contract.ts'
import { receiveParcelEvent } from './parcel-events.ts'

export const deliveryRoutes = (services: CarrierServices) =>
  webhookRoutes(services, deliveryContract, async (arrival) => ({ store: await admitCarrier(services, arrival) }), {
    receiveCarrierEvent: async ({ ctx, body }) => ({ body: await receiveCarrierEvent(services, ctx.store, body) }),
    receiveParcelEvent: async ({ ctx, body }) => ({ body: await receiveParcelEvent(services, ctx.store, body) }),
  })
