import { toWire } from '../../core/money.ts'
import type { StoreCtx } from '../context.ts'
import { showImage } from './catalog.ts'
import type { StoreInfo } from './store.contract.ts'

export const showStore = (ctx: Pick<StoreCtx, 'store' | 'publicUrl'>): StoreInfo => {
  const { store } = ctx
  return {
    id: store.publicId,
    name: store.name,
    domain: store.domain,
    currency: store.currency,
    locale: store.locale,
    timezone: store.timezone,
    logo: showImage(ctx, store.logo),
    contact: store.contact,
    address: store.address,
    outlets: store.outlets.map(({ publicId, name }) => ({ id: publicId, name })),
    defaultOutletId: store.defaultOutlet.publicId,
    paymentMethods: store.cashOnDelivery ? ['online', 'cod'] : ['online'],
    shipping: {
      flat: toWire(store.shippingFlatMinor, store.currency),
      freeAbove: store.shippingFreeAboveMinor === null ? null : toWire(store.shippingFreeAboveMinor, store.currency),
    },
    taxIncluded: store.taxIncluded,
  }
}

export const showMenu = ({ store }: StoreCtx) => ({ items: store.menu })
