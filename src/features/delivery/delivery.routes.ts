import { routes } from '../context.ts'
import { type CarrierServices, receiveCarrierEvent } from './carrier.ts'
import { deliveryContract } from './delivery.contract.ts'

export const deliveryRoutes = (services: CarrierServices) =>
  routes(deliveryContract, {
    receiveCarrierEvent: async ({ ctx, body }) => ({
      body: await receiveCarrierEvent(services, ctx.headers['x-api-key'] as string | undefined, body),
    }),
  })
