import { mergeContract } from './features/accounts/merge.contract.ts'
import { profileContract } from './features/accounts/profile.contract.ts'
import { signInContract } from './features/accounts/sign-in.contract.ts'
import { cartContract } from './features/cart/cart.contract.ts'
import { catalogContract } from './features/catalog/catalog.contract.ts'
import { filtersContract } from './features/catalog/filters.contract.ts'
import { storeContract } from './features/catalog/store.contract.ts'
import { checkoutContract } from './features/checkout/checkout.contract.ts'
import { deliveryContract } from './features/delivery/delivery.contract.ts'
import { downloadsContract } from './features/downloads/downloads.contract.ts'
import { healthContract } from './features/health/health.contract.ts'
import { ordersContract } from './features/orders/orders.contract.ts'
import { cancelContract } from './features/payments/cancel.contract.ts'
import { paymentsContract, paymentWebhooksContract } from './features/payments/payments.contract.ts'
import { wishlistContract } from './features/wishlist/wishlist.contract.ts'
import { describeApi } from './http/openapi.ts'

/** Every endpoint there is. Routes, OpenAPI and the tests that try each one start from this list. */
export const contracts = [
  catalogContract,
  filtersContract,
  storeContract,
  cartContract,
  mergeContract,
  signInContract,
  wishlistContract,
  profileContract,
  ordersContract,
  cancelContract,
  paymentsContract,
  paymentWebhooksContract,
  downloadsContract,
  deliveryContract,
  checkoutContract,
  healthContract,
]

export const describeVitrine = (version: string) =>
  describeApi(contracts, {
    title: 'Vitrine',
    version,
    description:
      'The storefront API of Vitrine. Money is a decimal number in the currency of the store, times are ISO 8601 in UTC, and every error is `{error, code}`. The [guide](/docs/guide) shows how calls go together.',
    tags: {
      Catalog: 'Products, categories and search',
      Store: 'The store, its settings and its menu',
      Cart: 'Carts of guests and customers',
      Accounts: 'Signing up, in and out',
      Wishlist: 'What a guest or a customer would like to have',
      Customer: 'The customer who is signed in, and their addresses',
      Orders: 'What the customer has ordered, and where it is',
      Downloads: 'Files that the customer has bought',
      Webhooks: 'What providers tell the service; no store key needed',
      Checkout: 'From the cart to an order',
      Operating: 'Health, description and figures; no key needed',
    },
  })
