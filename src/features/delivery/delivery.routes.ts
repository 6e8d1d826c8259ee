import type { Route } from '../../http/endpoint.ts'
import { type PublicCtx, routes, type Store } from '../context.ts'
import { admitCarrier, type CarrierServices, receiveCarrierEvent } from './carrier.ts'
import { deliveryContract } from './delivery.contract.ts'

export const deliveryRoutes = (services: CarrierServices): Route[] => {
  const all = routes(deliveryContract, {
    receiveCarrierEvent: async ({ ctx, body }) => ({
      body: await receiveCarrierEvent(services, (ctx as CarrierCtx).store, body),
    }),
  })
  // Who has no key is told nothing about the body.
  const identify = async (anyone: PublicCtx): Promise<CarrierCtx> => ({
    ...anyone,
    store: await admitCarrier(services, anyone),
  })
  return all.map((route) => ({ ...route, identify }))
}

type CarrierCtx = PublicCtx & { store: Store }
