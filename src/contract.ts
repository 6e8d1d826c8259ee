import { customerEvents } from './features/accounts/customer-events.contract.ts'
import { mergeContract } from './features/accounts/merge.contract.ts'
import { profileContract } from './features/accounts/profile.contract.ts'
import { signInContract } from './features/accounts/sign-in.contract.ts'
import { auditContract } from './features/audit/audit.contract.ts'
import { cartContract } from './features/cart/cart.contract.ts'
import { bulkAdminContract } from './features/catalog/bulk.admin.contract.ts'
import { catalogContract } from './features/catalog/catalog.contract.ts'
import { productEvents, stockEvents } from './features/catalog/catalog-events.contract.ts'
import { categoriesAdminContract } from './features/catalog/categories.admin.contract.ts'
import { filtersContract } from './features/catalog/filters.contract.ts'
import { transferAdminContract } from './features/catalog/import/transfer.admin.contract.ts'
import { productsAdminContract } from './features/catalog/products.admin.contract.ts'
import { stockContract } from './features/catalog/stock.admin.contract.ts'
import { storeContract } from './features/catalog/store.contract.ts'
import { checkoutContract } from './features/checkout/checkout.contract.ts'
import { customersContract } from './features/customers/customers.admin.contract.ts'
import { carriersAdminContract } from './features/delivery/carriers.admin.contract.ts'
import { deliveryContract } from './features/delivery/delivery.contract.ts'
import { orderDeliveryAdminContract } from './features/delivery/orders.admin.contract.ts'
import { setupContract } from './features/doctor/setup.admin.contract.ts'
import { downloadsContract } from './features/downloads/downloads.contract.ts'
import { type EventDeclaration, type EventType, testEvent, testEventType } from './features/events/events.contract.ts'
import { healthContract } from './features/health/health.contract.ts'
import { invoicesAdminContract } from './features/invoices/invoices.admin.contract.ts'
import { mailAdminContract } from './features/mail/mail.admin.contract.ts'
import { mediaAdminContract } from './features/media/media.admin.contract.ts'
import { merchantJobsContract } from './features/merchant-jobs/merchant-jobs.admin.contract.ts'
import { orderEvents } from './features/orders/order-events.contract.ts'
import { ordersAdminContract } from './features/orders/orders.admin.contract.ts'
import { ordersContract } from './features/orders/orders.contract.ts'
import { webhooksAdminContract } from './features/outgoing-webhooks/webhooks.admin.contract.ts'
import { paymentAccountsContract } from './features/payments/accounts.admin.contract.ts'
import { cancelContract } from './features/payments/cancel.contract.ts'
import { orderPaymentsAdminContract } from './features/payments/orders.admin.contract.ts'
import { paymentsContract, paymentWebhooksContract } from './features/payments/payments.contract.ts'
import { couponsAdminContract } from './features/pricing/coupons.admin.contract.ts'
import { reportsContract } from './features/reports/reports.contract.ts'
import { returnsAdminContract } from './features/returns/returns.admin.contract.ts'
import { returnsContract } from './features/returns/returns.contract.ts'
import { membersContract } from './features/staff/members.contract.ts'
import { sessionContract } from './features/staff/session.contract.ts'
import { storeAccessContract } from './features/stores/access.admin.contract.ts'
import { outletsAdminContract } from './features/stores/outlets.admin.contract.ts'
import { settingsContract } from './features/stores/settings.admin.contract.ts'
import { todayContract } from './features/today/today.contract.ts'
import { wishlistContract } from './features/wishlist/wishlist.contract.ts'
import { describeApi } from './http/openapi.ts'

/** Every endpoint. Routes, OpenAPI and the tests that call each endpoint start from this list. */
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
  returnsContract,
  paymentsContract,
  paymentWebhooksContract,
  downloadsContract,
  deliveryContract,
  checkoutContract,
  healthContract,
]

/** Every endpoint of the admin API, which has a description of its own. */
export const adminContracts = [
  sessionContract,
  todayContract,
  ordersAdminContract,
  orderDeliveryAdminContract,
  orderPaymentsAdminContract,
  mailAdminContract,
  invoicesAdminContract,
  productsAdminContract,
  bulkAdminContract,
  transferAdminContract,
  categoriesAdminContract,
  outletsAdminContract,
  merchantJobsContract,
  mediaAdminContract,
  settingsContract,
  setupContract,
  stockContract,
  storeAccessContract,
  customersContract,
  couponsAdminContract,
  paymentAccountsContract,
  carriersAdminContract,
  webhooksAdminContract,
  returnsAdminContract,
  reportsContract,
  membersContract,
  auditContract,
]

/** Every type of event that an endpoint can subscribe to. */
export const eventDeclarations: Record<EventType, EventDeclaration> = {
  ...orderEvents,
  ...customerEvents,
  ...productEvents,
  ...stockEvents,
}

/** Everything that an endpoint can receive. OpenAPI and the client start from this list. */
export const webhookDeclarations: Record<EventType | typeof testEventType, EventDeclaration> = {
  ...eventDeclarations,
  [testEventType]: testEvent,
}

export const describeVitrine = (version: string) =>
  describeApi(contracts, {
    title: 'Vitrine',
    version,
    description:
      'The storefront API of Vitrine. Money is a decimal number in the currency of the store, times are ISO 8601 in UTC, and every error is `{error, code}`. The [guide](/docs/guide) shows how to combine the calls.',
    tags: {
      Catalog: 'Products, categories and search',
      Store: 'Settings and menu of the store',
      Cart: 'Carts of guests and customers',
      Accounts: 'Sign-up, sign-in and sign-out',
      Wishlist: 'Wishlists of guests and customers',
      Customer: 'The signed-in customer and their addresses',
      Orders: 'Orders of the customer and their delivery',
      Downloads: 'Files that the customer has bought',
      Webhooks: 'Notifications from payment providers and carriers; no store key needed',
      Checkout: 'Turning a cart into an order',
      Operating: 'Health, API description and metrics; no store key needed',
      Events: 'What Vitrine sends to the webhook endpoints of a store',
    },
    events: webhookDeclarations,
  })

export const describeAdmin = (version: string) =>
  describeApi(adminContracts, {
    title: 'Vitrine Admin',
    version,
    description:
      'The API of merchants and their programs. Money is a decimal number in the currency of the store, times are ISO 8601 in UTC, and every error is `{error, code}`. A `PATCH` changes only the fields that it has.',
    tags: {
      Session: 'Signing in, and your own account',
      Today: 'What needs to be done',
      Orders: 'Orders of the store: shipping, refunds, notes, invoices',
      Products: 'Products of every status, and their variants',
      Categories: 'The tree of categories',
      Outlets: 'Places that sell, each with stock and prices of its own',
      Menu: 'The navigation menu of the storefront',
      Jobs: 'Work that takes longer than a request',
      Media: 'Pictures of products, variants and categories',
      Settings: 'The store, its origins and its mail',
      Returns: 'Items that customers send back, from the request to the refund',
      Reports: 'Sales, tax and carts',
      Stock: 'Units of each variant at each outlet, and the ledger of their changes',
      Customers: 'The people who buy: their orders, notes about them, export and erasure of their data',
      Coupons: 'Discounts that shoppers enter as a code',
      Payments: 'Accounts at payment providers',
      Delivery: 'Accounts at carriers',
      Inbox: 'Events that payment providers and carriers have sent',
      Keys: 'Keys of the storefront API, and credentials of webhooks',
      Webhooks: 'Endpoints that receive events, and the deliveries to them',
      Staff: 'The people who work for a store, and their roles',
      Tokens: 'Access for programs',
      Audit: 'Who has changed what',
    },
  })
