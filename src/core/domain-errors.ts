import { catalogErrors } from './domain-errors/catalog.ts'
import { customerErrors } from './domain-errors/customers.ts'
import {
  type Definition,
  type DomainErrorKind,
  listNamed,
  type Named,
  type NoData,
  refusals,
} from './domain-errors/define.ts'
import { mediaErrors } from './domain-errors/media.ts'
import { orderErrors } from './domain-errors/orders.ts'
import { returnErrors } from './domain-errors/returns.ts'
import { staffErrors } from './domain-errors/staff.ts'
import { webhookErrors } from './domain-errors/webhooks.ts'

export type { DomainErrorKind }

const { conflict, invalid, notFound, unavailable } = refusals

export { listNamed }

/**
 * Every reason for which a use case refuses a request of an operator or a merchant. An entry knows nothing of flags,
 * commands or HTTP: `src/cli/domain-errors.ts` adds the flag or command that helps, `src/http/domain-errors.ts` chooses
 * the status. Both show this text unless they have a better one (decision 0034).
 */
const definitions = {
  ...orderErrors,
  ...returnErrors,
  ...customerErrors,
  ...mediaErrors,
  ...staffErrors,
  ...catalogErrors,
  ...webhookErrors,
  // Stores, keys and origins
  STORE_NOT_FOUND: notFound(({ storeId }: { storeId: string }) => `There is no store ${storeId}.`),
  STORE_MISSING: notFound((_: NoData) => 'There is no store yet.'),
  STORE_AMBIGUOUS: invalid(
    // Only operators may see the names of other stores, so this text omits them.
    (_: { count: number; stores: readonly Named[] }) => 'There are several stores. Specify one.',
  ),
  STORE_NAME_EMPTY: invalid((_: NoData) => 'A name that shoppers see must not be empty.'),
  DOMAIN_TAKEN: conflict(({ domain }: { domain: string }) => `Another store already uses the domain ${domain}.`),
  DOMAIN_INVALID: invalid(
    ({ domain }: { domain: string }) =>
      `"${domain}" is not a valid domain. Use a form such as shop.example or https://shop.example.`,
  ),
  ORIGIN_INVALID: invalid(
    ({ origin }: { origin: string }) =>
      `"${origin}" is not a valid origin. Use a form such as https://shop.example or http://localhost:5173.`,
  ),
  ORIGIN_NOT_FOUND: notFound(({ origin }: { origin: string }) => `${origin} is not on the allowlist.`),
  CURRENCY_UNKNOWN: invalid(
    ({ currency }: { currency: string }) => `${currency} is not an ISO 4217 currency code, such as INR.`,
  ),
  LOCALE_UNKNOWN: invalid(
    ({ locale }: { locale: string }) => `${locale} is not a valid locale. Use a form such as en-IN.`,
  ),
  TIMEZONE_UNKNOWN: invalid(
    ({ timezone }: { timezone: string }) => `${timezone} is not a valid time zone. Use a name such as Asia/Kolkata.`,
  ),
  COUNTRY_UNKNOWN: invalid(
    ({ country }: { country: string }) => `"${country}" is not an ISO 3166 country code, such as IN.`,
  ),
  LOGO_INVALID: invalid(
    ({ logo }: { logo: string }) =>
      `"${logo}" is not an address of an image. Use one such as https://cdn.example/logo.png.`,
  ),
  COLOR_INVALID: invalid(({ color }: { color: string }) => `"${color}" is not a colour such as #0a5c36.`),
  MAIL_ADDRESS_INVALID: invalid(
    ({ address }: { address: string }) => `"${address}" is not an email address such as shop@shop.example.`,
  ),
  KEY_NOT_FOUND: notFound(({ keyId }: { keyId: string }) => `There is no key ${keyId}.`),
  SCOPE_UNKNOWN: invalid(
    ({ scope, scopes }: { scope: string; scopes: readonly string[] }) =>
      `There is no scope "${scope}". Valid scopes: ${scopes.join(', ')}.`,
  ),
  OUTLET_NOT_FOUND: notFound(({ outletId }: { outletId: string }) => `The store has no outlet ${outletId}.`),

  // Menu
  MENU_LIST_MISSING: invalid(({ path }: { path: string }) => `In the menu, ${path} must be a list.`),
  MENU_TEXT_MISSING: invalid(({ path }: { path: string }) => `In the menu, ${path} must be a text.`),
  MENU_TOO_DEEP: invalid(
    ({ path, maxLevels }: { path: string; maxLevels: number }) =>
      `A menu has at most ${maxLevels} levels, and ${path} is deeper.`,
  ),
  MENU_TYPE_UNKNOWN: invalid(
    ({ path, type, types }: { path: string; type: string; types: readonly string[] }) =>
      `${path} must be one of ${types.join(', ')}, not "${type}".`,
  ),
  MENU_TARGET_UNSAFE: invalid(
    ({ path, label, target }: { path: string; label: string; target: string }) =>
      `${path} of "${label}" must be a name, a path, or an address that begins with http://, https://, mailto: or tel:, not ${JSON.stringify(target)}.`,
  ),

  // Products and stock
  PRODUCT_INVALID: invalid(
    ({ slug, faults }: { slug: string; faults: readonly { field: string; message: string }[] }) =>
      `The product ${slug} cannot be saved: ${faults.map(({ field, message }) => `${field} ${message}`).join('; ')}.`,
  ),
  PRODUCT_NOT_FOUND: notFound(({ product }: { product: string }) => `The store has no product ${product}.`),
  VARIANT_NOT_FOUND: notFound(({ variant, product }: { variant: string; product: string | null }) =>
    product === null
      ? `The store has no variant with the id or SKU ${variant}.`
      : `The store has no product ${product} with a variant ${variant}.`,
  ),
  VARIANT_AMBIGUOUS: invalid(({ sku, variants }: { sku: string | null; variants: readonly Named[] }) =>
    sku === null
      ? `This product has several variants: ${listNamed(variants)}.`
      : `Several variants have the SKU ${sku}: ${listNamed(variants)}.`,
  ),
  VARIANT_MISSING: invalid((_: NoData) => 'Specify a variant or a product.'),
  STOCK_NOT_TRACKED: conflict(
    (_: { variantId: string }) => 'The stock of this variant is not tracked. Set a quantity first.',
  ),
  STOCK_TOO_LOW: conflict(
    ({ units, available }: { units: number; available: number }) =>
      `Cannot reduce the stock by ${units}: only ${available} available. Reserved units cannot be removed.`,
  ),
  STOCK_TOO_HIGH: conflict(
    ({ maxUnits }: { maxUnits: number }) => `The stock of a variant is limited to ${maxUnits} units.`,
  ),

  // Import and export
  IMPORT_FILE_UNREADABLE: invalid((_: { path: string; reason: string }) => 'The file cannot be read.'),
  IMPORT_FILE_IRREGULAR: invalid(
    (_: { path: string }) => 'Only a regular file can be imported, because it is read twice.',
  ),
  IMPORT_FILE_CHANGED: conflict((_: { path: string }) => 'The file changed while it was being read.'),
  IMPORT_STORE_CHANGED: conflict(
    (_: { path: string }) => 'The products changed while the file was being read, and the file no longer matches them.',
  ),
  IMPORT_INTERRUPTED: unavailable(
    ({ saved }: { saved: number }) =>
      `The database became unavailable after ${saved} products. They are saved. Run the import again to finish.`,
  ),
  EXPORT_OPTIONS_TOO_MANY: conflict(
    ({ slug, options, maxOptions }: { slug: string; options: number; maxOptions: number }) =>
      `${slug} has ${options} options, and the Shopify format allows at most ${maxOptions}.`,
  ),

  // Coupons
  COUPON_NOT_FOUND: notFound(({ coupon }: { coupon: string }) => `The store has no coupon ${coupon}.`),
  COUPON_TAKEN: conflict(({ coupon }: { coupon: string }) => `The store already has a coupon ${coupon}.`),
  COUPON_CODE_INVALID: invalid(
    ({ coupon }: { coupon: string }) =>
      `"${coupon}" is not a valid coupon code. Use 1 to 64 letters, digits, "-" and "_".`,
  ),
  COUPON_AMOUNT_INVALID: invalid(
    ({ field, amount, currency }: { field: 'value' | 'minSubtotal'; amount: number; currency: string }) =>
      `${field === 'value' ? 'A fixed discount' : 'A minimum subtotal'} must be an amount in ${currency}, not ${amount}.`,
  ),
  COUPON_DISCOUNT_ZERO: invalid((_: NoData) => 'A fixed discount must be greater than zero.'),
  COUPON_PERCENT_INVALID: invalid(
    ({ percent }: { percent: number }) =>
      `${percent} is not a valid percentage. It must be greater than 0, at most 100, with up to three decimals.`,
  ),
  COUPON_PERIOD_INVALID: invalid(
    ({ startsAt, endsAt }: { startsAt: Date; endsAt: Date }) =>
      `A coupon must end after it starts: ${endsAt.toISOString()} is not after ${startsAt.toISOString()}.`,
  ),
  COUPON_LIMIT_INVALID: invalid(
    ({ limit, maxUses }: { limit: number; maxUses: number }) =>
      `A usage limit must be an integer from 1 to ${maxUses}, not ${limit}.`,
  ),
  COUPON_CATEGORY_UNKNOWN: invalid(
    ({ category }: { category: string }) =>
      `The store has no category "${category}". Use an id, a slug or a path such as "Home > Kitchen".`,
  ),
  COUPON_PRODUCT_UNKNOWN: invalid(
    ({ product }: { product: string }) => `The store has no product "${product}". Use an id or a slug.`,
  ),

  // Orders
  ORDER_NOT_FOUND: notFound(
    ({ order, storeId }: { order: string; storeId?: string | undefined }) =>
      `There is no order ${order}${storeId === undefined ? '' : ` in the store ${storeId}`}.`,
  ),
  ORDER_AMBIGUOUS: invalid(
    ({ order }: { order: string; stores: readonly Named[] }) =>
      `Several stores have an order ${order}. Specify the store.`,
  ),
  ORDER_STATUS_UNKNOWN: invalid(
    ({ status, statuses }: { status: string; statuses: readonly string[] }) =>
      `There is no order status "${status}". Valid statuses: ${statuses.join(', ')}.`,
  ),
  ORDER_BEING_PAID: conflict(
    (_: { orderId: string }) => 'A payment for this order is in progress. Try again when it has completed.',
  ),
  ORDER_NOT_CANCELLABLE: conflict(({ reason }: { orderId: string; reason: 'paid' | 'shipped' }) =>
    reason === 'paid'
      ? 'This order is paid or shipped and can no longer be cancelled.'
      : 'This order is shipped and can no longer be cancelled.',
  ),

  // Mail
  MESSAGE_UNKNOWN: invalid(
    ({ message, messages }: { message: string; messages: readonly string[] }) =>
      `There is no message "${message}". The messages are ${messages.join(', ')}.`,
  ),
  MESSAGE_ALWAYS_SENT: invalid(
    ({ message }: { message: string }) =>
      `${message} cannot be switched off: shoppers who wait for its code or link could not sign in.`,
  ),
  MAIL_NOTHING_TO_RESEND: conflict(
    ({ order, message }: { order: string; message: string }) =>
      `Nothing has happened to order ${order} that ${message} tells of, or it was long ago.`,
  ),
  MAIL_OUTDATED: conflict(
    ({ order, message }: { order: string; message: string }) =>
      `${message} of order ${order} is outdated: the order was paid or cancelled since, or its time to pay has passed.`,
  ),
  MAIL_SWITCHED_OFF: conflict(({ message }: { message: string }) => `The store has switched ${message} off.`),
  MAIL_RECIPIENT_MISSING: conflict(
    ({ order }: { order: string }) => `The customer of order ${order} has no email address.`,
  ),
  MAIL_RESENT_TOO_OFTEN: conflict(
    ({ maxPerHour }: { maxPerHour: number }) =>
      `This mail was sent again ${maxPerHour} times in the last hour. Try again later.`,
  ),
  MAIL_LANGUAGE_UNKNOWN: invalid(
    ({ language, languages }: { language: string; languages: readonly string[] }) =>
      `There are no texts in the language "${language}". The languages are ${languages.join(', ')}.`,
  ),

  // Shipping and delivery
  ORDER_NOT_SHIPPABLE: conflict(
    ({ order, status }: { order: string; status: string }) =>
      `Order ${order} is ${status} and can no longer be shipped.`,
  ),
  TRACKING_NUMBER_TAKEN: conflict(
    ({ order, trackingNumber }: { order: string; trackingNumber: string }) =>
      `Order ${order} already has a shipment with the number ${trackingNumber}.`,
  ),
  LINE_NOT_FOUND: notFound(
    ({ order, line }: { order: string; line: string }) => `Order ${order} has no line "${line}".`,
  ),
  LINE_AMBIGUOUS: invalid(
    ({ order, line }: { order: string; line: string }) =>
      `"${line}" names several lines of order ${order}. Use a line's id.`,
  ),
  LINE_NOT_PHYSICAL: invalid(({ name }: { name: string }) => `${name} is a download and cannot be shipped.`),
  LINE_UNITS_TOO_MANY: conflict(
    ({ name, units, unitsLeft }: { name: string; units: number; unitsLeft: number }) =>
      `Cannot ship ${units} of ${name}: only ${unitsLeft} left to ship.`,
  ),
  NOTHING_TO_DELIVER: conflict(
    ({ order }: { order: string }) => `Order ${order} contains only downloads, so there is nothing to deliver.`,
  ),
  ORDER_NOT_DELIVERABLE: conflict(
    ({ order, status }: { order: string; status: string }) => `Order ${order} is ${status} and cannot be delivered.`,
  ),
  ORDER_NOT_PAID: conflict(({ order }: { order: string }) => `Order ${order} is not paid yet and cannot be delivered.`),

  NOTHING_TO_SHIP: conflict(({ order }: { order: string }) => `Order ${order} has no units left to ship.`),
  SHIPMENT_NOT_FOUND: notFound(({ shipment }: { shipment: string }) => `The store has no shipment ${shipment}.`),
  SHIPMENT_UNFINISHED: conflict(
    ({ order, shipment }: { order: string; shipment: string }) =>
      `Shipment ${shipment} of order ${order} with other items is not booked yet. Finish or cancel it first.`,
  ),
  SHIPMENT_NOT_BOOKED: conflict(
    ({ shipment }: { shipment: string }) => `Shipment ${shipment} has no courier and no tracking number yet.`,
  ),
  SHIPMENT_WITHOUT_CARRIER: conflict(
    ({ shipment }: { shipment: string }) => `Shipment ${shipment} was not booked through a carrier account.`,
  ),
  SHIPMENT_ENDED: conflict(
    ({ shipment, status }: { shipment: string; status: string }) =>
      `Shipment ${shipment} is ${status} and cannot be changed.`,
  ),
  PARCEL_INVALID: invalid(({ reason }: { reason: string }) => reason),

  // Carriers
  CARRIER_UNKNOWN: invalid(
    ({ carrier, carriers }: { carrier: string; carriers: readonly string[] }) =>
      `There is no carrier "${carrier}". The carriers are ${carriers.join(', ')}.`,
  ),
  CARRIER_ACCOUNT_MISSING: invalid(
    ({ carrier }: { carrier: string }) => `The store has no account at the carrier ${carrier}.`,
  ),
  CARRIER_CREDENTIAL_UNKNOWN: invalid(
    ({ carrier, credential, wanted }: { carrier: string; credential: string; wanted: readonly string[] }) =>
      `The carrier ${carrier} has no credential "${credential}": it asks for ${wanted.join(', ')}.`,
  ),
  CARRIER_CREDENTIALS_MISSING: invalid(
    ({ carrier, missing }: { carrier: string; missing: readonly string[] }) =>
      `The carrier ${carrier} also needs ${missing.join(', ')}.`,
  ),
  /** `shipment`: one that is not booked yet, and stays. */
  CARRIER_REFUSED: conflict(({ reason }: { carrier: string; reason: string; shipment: string | null }) => reason),
  CARRIER_UNAVAILABLE: unavailable(
    ({ carrier }: { carrier: string }) => `The carrier ${carrier} did not answer. Try again: nothing is done twice.`,
  ),

  // Payments
  NOTHING_TO_REFUND: conflict(
    ({ order }: { order: string }) => `Order ${order} is not paid, so there is nothing to refund.`,
  ),
  REFUND_ONLY_WHOLE: conflict(
    ({ provider }: { order: string; provider: string }) => `${provider} refunds a payment only as a whole.`,
  ),
  REFUND_AMOUNT_INVALID: invalid(
    ({ currency }: { currency: string }) => `The amount of a refund must be a positive amount in ${currency}.`,
  ),
  REFUND_AMOUNT_REFUSED: invalid(({ reason }: { reason: string }) => `This amount cannot be refunded. ${reason}`),
  REFUND_RESTOCK_INVALID: invalid(
    () => 'An amount does not say which units go back to stock. Refund lines to restock their units.',
  ),
  REFUND_TOO_LARGE: conflict(
    ({ order, left, currency }: { order: string; left: number; currency: string }) =>
      `Only ${left} ${currency} of order ${order} can still be refunded.`,
  ),
  REFUND_QUANTITY_INVALID: conflict(
    ({ line, left }: { line: string; left: number }) => `The quantity for line ${line} must be between 1 and ${left}.`,
  ),
  PAYMENT_NOT_FOUND: notFound(({ order }: { order: string }) => `Order ${order} has no payment.`),
  CREDENTIALS_REFUSED: invalid(
    ({ provider, reason }: { provider: string; reason: string }) =>
      `${provider} refused the credentials, and nothing was changed. ${reason}`,
  ),
  PROVIDER_UNREACHABLE: conflict(
    ({ provider, reason }: { provider: string; reason: string }) =>
      `${provider} could not be reached to check the credentials, and nothing was changed. ${reason}`,
  ),
  PROVIDER_UNKNOWN: invalid(
    ({ provider, providers }: { provider: string; providers: readonly string[] }) =>
      `There is no payment provider "${provider}". Valid providers: ${providers.join(', ')}.`,
  ),
  PROVIDER_FOR_TESTING: invalid(
    ({ provider, providers }: { provider: string; providers: readonly string[] }) =>
      `The payment provider ${provider} is for testing and cannot be used in production. Valid providers: ${providers.join(', ')}.`,
  ),
  CREDENTIAL_UNKNOWN: invalid(
    ({ provider, credential, wanted }: { provider: string; credential: string; wanted: readonly string[] }) =>
      `The payment provider ${provider} has no credential "${credential}". Valid credentials: ${wanted.join(', ') || 'none'}.`,
  ),
  CREDENTIALS_MISSING: invalid(
    ({ provider, missing }: { provider: string; missing: readonly string[] }) =>
      `The payment provider ${provider} also needs ${missing.join(', ')}.`,
  ),
  // Events of payment providers
  EVENT_NOT_FOUND: notFound(({ eventId }: { eventId: number }) => `There is no event ${eventId}.`),
  EVENT_MALFORMED: invalid(
    ({ eventId, reason }: { eventId: number; reason: string }) => `The event ${eventId} cannot be applied: ${reason}`,
  ),
}

export type DomainErrorCode = keyof typeof definitions

/** The data that an error of each code carries. */
export type DomainErrorData = { [Code in DomainErrorCode]: Parameters<(typeof definitions)[Code]['text']>[0] }

export const domainErrors: { readonly [Code in DomainErrorCode]: Definition<DomainErrorData[Code]> } = definitions

export class DomainError<Code extends DomainErrorCode = DomainErrorCode> extends Error {
  override name = 'DomainError'
  readonly code: Code
  readonly kind: DomainErrorKind
  readonly data: DomainErrorData[Code]

  constructor(code: Code, data: DomainErrorData[Code], options?: ErrorOptions) {
    super(domainErrors[code].text(data), options)
    this.code = code
    this.kind = domainErrors[code].kind
    this.data = data
  }
}

/** `throw refuse('KEY_NOT_FOUND', { keyId })`. The `cause` goes to the log only. */
export const refuse = <Code extends DomainErrorCode>(
  code: Code,
  data: DomainErrorData[Code],
  options?: { cause: unknown },
): DomainError<Code> => new DomainError(code, data, options)
