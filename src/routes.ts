import { mergeRoutes } from './features/accounts/merge.routes.ts'
import { profileRoutes } from './features/accounts/profile.routes.ts'
import { signInRoutes } from './features/accounts/sign-in.routes.ts'
import { auditRoutes } from './features/audit/audit.routes.ts'
import { cartRoutes } from './features/cart/cart.routes.ts'
import { bulkAdminRoutes } from './features/catalog/bulk.admin.routes.ts'
import { catalogRoutes, filterRoutes, storeRoutes } from './features/catalog/catalog.routes.ts'
import { categoryAdminRoutes } from './features/catalog/categories.admin.routes.ts'
import { transferAdminRoutes } from './features/catalog/import/transfer.admin.routes.ts'
import { productAdminRoutes } from './features/catalog/products.admin.routes.ts'
import { stockRoutes } from './features/catalog/stock.admin.routes.ts'
import { checkoutRoutes } from './features/checkout/checkout.routes.ts'
import type { Services } from './features/context.ts'
import { customerAdminRoutes } from './features/customers/customers.admin.routes.ts'
import { carrierAdminRoutes } from './features/delivery/carriers.admin.routes.ts'
import { deliveryRoutes } from './features/delivery/delivery.routes.ts'
import { orderDeliveryAdminRoutes } from './features/delivery/orders.admin.routes.ts'
import { setupRoutes } from './features/doctor/setup.admin.routes.ts'
import { downloadRoutes } from './features/downloads/downloads.routes.ts'
import { type HealthRouteOptions, healthRoutes } from './features/health/health.routes.ts'
import { invoiceAdminRoutes } from './features/invoices/invoices.admin.routes.ts'
import { mailAdminRoutes } from './features/mail/mail.admin.routes.ts'
import { mediaAdminRoutes } from './features/media/media.admin.routes.ts'
import { merchantJobRoutes } from './features/merchant-jobs/merchant-jobs.admin.routes.ts'
import { orderAdminRoutes } from './features/orders/orders.admin.routes.ts'
import { orderRoutes } from './features/orders/orders.routes.ts'
import { webhookAdminRoutes } from './features/outgoing-webhooks/webhooks.admin.routes.ts'
import { paymentAccountRoutes } from './features/payments/accounts.admin.routes.ts'
import { cancelRoutes } from './features/payments/cancel.routes.ts'
import { orderPaymentAdminRoutes } from './features/payments/orders.admin.routes.ts'
import { paymentRoutes, paymentWebhookRoutes } from './features/payments/payments.routes.ts'
import { couponAdminRoutes } from './features/pricing/coupons.admin.routes.ts'
import { reportRoutes } from './features/reports/reports.routes.ts'
import { returnAdminRoutes, returnRoutes } from './features/returns/returns.routes.ts'
import { memberRoutes } from './features/staff/members.routes.ts'
import { sessionRoutes } from './features/staff/session.routes.ts'
import { storeAccessRoutes } from './features/stores/access.admin.routes.ts'
import { outletAdminRoutes } from './features/stores/outlets.admin.routes.ts'
import { settingsRoutes } from './features/stores/settings.admin.routes.ts'
import { todayRoutes } from './features/today/today.routes.ts'
import { wishlistRoutes } from './features/wishlist/wishlist.routes.ts'
import type { Route } from './http/door.ts'

export type RouteOptions = {
  services: Services
  waits: Parameters<typeof orderRoutes>[0]
  downloads: Parameters<typeof downloadRoutes>[0]
  /** Signs the calls of `vitrine simulate`. Null in production. */
  simulated: Parameters<typeof deliveryRoutes>[0]['simulated']
  secureCookies: boolean
  onStatusCheckFailed: Parameters<typeof paymentRoutes>[1]
  onLinkFailed(error: unknown): void
  monitoring: HealthRouteOptions
}

/** Every endpoint with its handler. */
export const listRoutes = ({ services, ...options }: RouteOptions): Route[] => [
  ...catalogRoutes,
  ...filterRoutes,
  ...storeRoutes,
  ...cartRoutes,
  ...mergeRoutes,
  ...signInRoutes,
  ...wishlistRoutes,
  ...profileRoutes,
  ...checkoutRoutes,
  ...orderRoutes(options.waits),
  ...cancelRoutes,
  ...returnRoutes,
  ...paymentRoutes(services, options.onStatusCheckFailed),
  ...paymentWebhookRoutes(services),
  ...downloadRoutes(options.downloads),
  ...deliveryRoutes({ ...services, simulated: options.simulated }),
  ...healthRoutes(options.monitoring),
  ...sessionRoutes({ secureCookies: options.secureCookies, onFailure: options.onLinkFailed }),
  ...todayRoutes,
  ...orderAdminRoutes,
  ...orderDeliveryAdminRoutes,
  ...orderPaymentAdminRoutes,
  ...mailAdminRoutes,
  ...invoiceAdminRoutes,
  ...productAdminRoutes,
  ...bulkAdminRoutes,
  ...transferAdminRoutes,
  ...categoryAdminRoutes,
  ...outletAdminRoutes,
  ...merchantJobRoutes,
  ...mediaAdminRoutes,
  ...settingsRoutes,
  ...setupRoutes,
  ...stockRoutes,
  ...storeAccessRoutes,
  ...customerAdminRoutes,
  ...couponAdminRoutes,
  ...paymentAccountRoutes,
  ...carrierAdminRoutes,
  ...webhookAdminRoutes,
  ...returnAdminRoutes,
  ...reportRoutes,
  ...memberRoutes,
  ...auditRoutes,
]
