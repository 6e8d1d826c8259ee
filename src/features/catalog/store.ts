import { toWire } from '../../core/money.ts'
import type { Payments, StoreCtx } from '../context.ts'
import { listPaymentMethods } from './payment-methods.ts'
import { showImage } from './show-image.ts'
import type { StoreInfo } from './store.contract.ts'

type ShownStore = Pick<StoreCtx, 'store' | 'publicUrl' | 'signIn'> & {
  payments: Pick<Payments, 'providers' | 'production'>
}

export const showStore = (ctx: ShownStore): StoreInfo => {
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
    paymentMethods: listPaymentMethods(ctx.payments, store),
    signIn: [...ctx.signIn],
    shipping: {
      flat: toWire(store.shippingFlatMinor, store.currency),
      freeAbove: store.shippingFreeAboveMinor === null ? null : toWire(store.shippingFreeAboveMinor, store.currency),
    },
    taxIncluded: store.taxIncluded,
  }
}

export const showMenu = ({ store }: StoreCtx) => ({ items: store.menu })
