/**
 * Every reason for which a use case refuses what an operator or a merchant asks for. An entry knows nothing of flags,
 * commands or HTTP: `src/cli/domain-errors.ts` adds the flag or command that helps, `src/http/domain-errors.ts` chooses
 * the status. The text is what both show unless they have a better one (decision 0034).
 */
export type DomainErrorKind = 'invalid' | 'notFound' | 'conflict' | 'unavailable'

type Definition<Data> = { kind: DomainErrorKind; text: (data: Data) => string }
type NoData = Record<string, never>
type Named = { id: string; name: string }

const define =
  (kind: DomainErrorKind) =>
  <Data>(text: (data: Data) => string): Definition<Data> => ({ kind, text })

const invalid = define('invalid')
const notFound = define('notFound')
const conflict = define('conflict')
const unavailable = define('unavailable')

/** `store_1 (Blue Door), store_2 (Red Door)` */
export const listNamed = (things: readonly Named[]) => things.map(({ id, name }) => `${id} (${name})`).join(', ')

const definitions = {
  // Stores, keys and origins
  STORE_NOT_FOUND: notFound(({ storeId }: { storeId: string }) => `There is no store ${storeId}.`),
  STORE_MISSING: notFound((_: NoData) => 'There is no store yet.'),
  STORE_AMBIGUOUS: invalid(
    // Only an operator may see the names of other stores, so this text has none of them.
    (_: { count: number; stores: readonly Named[] }) => 'There are several stores, so one must be named.',
  ),
  STORE_NAME_EMPTY: invalid((_: NoData) => 'A name that shoppers see must not be empty.'),
  DOMAIN_TAKEN: conflict(({ domain }: { domain: string }) => `Another store has the domain ${domain} already.`),
  DOMAIN_INVALID: invalid(
    ({ domain }: { domain: string }) => `"${domain}" is not a domain such as shop.example or https://shop.example.`,
  ),
  ORIGIN_INVALID: invalid(
    ({ origin }: { origin: string }) =>
      `"${origin}" is not an origin such as https://shop.example or http://localhost:5173.`,
  ),
  ORIGIN_NOT_FOUND: notFound(({ origin }: { origin: string }) => `${origin} is not on the allowlist.`),
  CURRENCY_UNKNOWN: invalid(
    ({ currency }: { currency: string }) => `${currency} is not a currency code of ISO 4217, such as INR.`,
  ),
  LOCALE_UNKNOWN: invalid(({ locale }: { locale: string }) => `${locale} is not a locale, such as en-IN.`),
  TIMEZONE_UNKNOWN: invalid(
    ({ timezone }: { timezone: string }) => `${timezone} is not a time zone, such as Asia/Kolkata.`,
  ),
  COUNTRY_UNKNOWN: invalid(
    ({ country }: { country: string }) => `"${country}" is not a country code of ISO 3166, such as IN.`,
  ),
  KEY_NOT_FOUND: notFound(({ keyId }: { keyId: string }) => `There is no key ${keyId}.`),
  SCOPE_UNKNOWN: invalid(
    ({ scope, scopes }: { scope: string; scopes: readonly string[] }) =>
      `There is no scope "${scope}". The scopes are ${scopes.join(', ')}.`,
  ),
  OUTLET_NOT_FOUND: notFound(({ outletId }: { outletId: string }) => `The store has no outlet ${outletId}.`),

  // Menu
  MENU_LIST_MISSING: invalid(({ place }: { place: string }) => `The menu needs a list at ${place}.`),
  MENU_TEXT_MISSING: invalid(({ place }: { place: string }) => `The menu needs a text at ${place}.`),
  MENU_TOO_DEEP: invalid(
    ({ place, mostLevels }: { place: string; mostLevels: number }) =>
      `A menu has ${mostLevels} levels at most, and ${place} is deeper.`,
  ),
  MENU_TYPE_UNKNOWN: invalid(
    ({ place, type, types }: { place: string; type: string; types: readonly string[] }) =>
      `${place} is "${type}", and must be one of ${types.join(', ')}.`,
  ),
  MENU_TARGET_UNSAFE: invalid(
    ({ place, label, target }: { place: string; label: string; target: string }) =>
      `${place} of "${label}" must be a name, a path, or an address that begins with http://, https://, mailto: or tel:, not ${JSON.stringify(target)}.`,
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
  VARIANT_MISSING: invalid((_: NoData) => 'A variant or a product must be named.'),
  STOCK_NOT_TRACKED: conflict(
    (_: { variantId: string }) => 'The stock of this variant is not tracked: set a number first.',
  ),
  STOCK_TOO_LOW: conflict(
    ({ units, available }: { units: number; available: number }) =>
      `${units} units cannot be taken away: ${available} can be sold, the others are reserved or not there.`,
  ),
  STOCK_TOO_HIGH: conflict(({ mostUnits }: { mostUnits: number }) => `There cannot be more than ${mostUnits} units.`),

  // Import and export
  IMPORT_FILE_UNREADABLE: invalid((_: { path: string; reason: string }) => 'The file cannot be read.'),
  IMPORT_FILE_IRREGULAR: invalid((_: { path: string }) => 'Only a regular file can be imported: it is read twice.'),
  IMPORT_FILE_CHANGED: conflict((_: { path: string }) => 'The file was changed while it was read.'),
  IMPORT_STORE_CHANGED: conflict(
    (_: { path: string }) => 'The products were changed while the file was read, and it no longer fits them.',
  ),
  IMPORT_INTERRUPTED: unavailable(
    ({ saved }: { saved: number }) =>
      `The database went away or was too slow after ${saved} products. They are saved; run the import again to finish.`,
  ),
  EXPORT_OPTIONS_TOO_MANY: conflict(
    ({ slug, options, mostOptions }: { slug: string; options: number; mostOptions: number }) =>
      `${slug} has ${options} options, and a file of Shopify has room for ${mostOptions}.`,
  ),

  // Coupons
  COUPON_NOT_FOUND: notFound(({ coupon }: { coupon: string }) => `The store has no coupon ${coupon}.`),
  COUPON_TAKEN: conflict(({ coupon }: { coupon: string }) => `The store has a coupon ${coupon} already.`),
  COUPON_CODE_INVALID: invalid(
    ({ coupon }: { coupon: string }) => `A code has 1 to 64 letters, digits, "-" and "_", unlike "${coupon}".`,
  ),
  COUPON_AMOUNT_INVALID: invalid(
    ({ field, amount, currency }: { field: 'value' | 'minSubtotal'; amount: number; currency: string }) =>
      `${field === 'value' ? 'A fixed discount' : 'A minimum subtotal'} must be an amount in ${currency}, not ${amount}.`,
  ),
  COUPON_DISCOUNT_ZERO: invalid((_: NoData) => 'A fixed discount must be more than nothing.'),
  COUPON_PERCENT_INVALID: invalid(
    ({ percent }: { percent: number }) =>
      `A percentage is more than 0, 100 at most, and has up to three decimals, unlike ${percent}.`,
  ),
  COUPON_PERIOD_INVALID: invalid(
    ({ startsAt, endsAt }: { startsAt: Date; endsAt: Date }) =>
      `A coupon must end after it starts, and ${endsAt.toISOString()} is not after ${startsAt.toISOString()}.`,
  ),
  COUPON_LIMIT_INVALID: invalid(
    ({ limit, mostUses }: { limit: number; mostUses: number }) =>
      `A limit must be a whole number from 1 to ${mostUses}, not ${limit}.`,
  ),
  COUPON_CATEGORY_UNKNOWN: invalid(
    ({ category }: { category: string }) =>
      `The store has no category "${category}". Name one by id, slug or path, such as "Home > Kitchen".`,
  ),
  COUPON_PRODUCT_UNKNOWN: invalid(
    ({ product }: { product: string }) => `The store has no product "${product}". Name one by id or slug.`,
  ),

  // Orders
  ORDER_NOT_FOUND: notFound(
    ({ order, storeId }: { order: string; storeId?: string | undefined }) =>
      `There is no order ${order}${storeId === undefined ? '' : ` in the store ${storeId}`}.`,
  ),
  ORDER_AMBIGUOUS: invalid(
    ({ order }: { order: string; stores: readonly Named[] }) =>
      `Several stores have an order ${order}, so the store must be named.`,
  ),
  ORDER_STATUS_UNKNOWN: invalid(
    ({ status, statuses }: { status: string; statuses: readonly string[] }) =>
      `There is no status "${status}". Orders are ${statuses.join(', ')}.`,
  ),
  ORDER_BEING_PAID: conflict(
    (_: { orderId: string }) => 'This order is just being paid. Wait until the payment has ended.',
  ),
  ORDER_NOT_CANCELLABLE: conflict(({ reason }: { orderId: string; reason: 'paid' | 'shipped' }) =>
    reason === 'paid'
      ? 'This order is paid or on its way, and can no longer be cancelled.'
      : 'This order is shipped and can no longer be cancelled.',
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
  LINE_NOT_PHYSICAL: invalid(({ name }: { name: string }) => `${name} is a download and is not shipped.`),
  LINE_UNITS_TOO_MANY: conflict(
    ({ name, units, unitsLeft }: { name: string; units: number; unitsLeft: number }) =>
      `There are ${unitsLeft} units of ${name} left to ship, not ${units}.`,
  ),
  NOTHING_TO_DELIVER: conflict(
    ({ order }: { order: string }) => `Order ${order} has only downloads, so there is nothing to deliver.`,
  ),
  ORDER_NOT_DELIVERABLE: conflict(
    ({ order, status }: { order: string; status: string }) => `Order ${order} is ${status} and cannot be delivered.`,
  ),
  ORDER_NOT_PAID: conflict(({ order }: { order: string }) => `Order ${order} is not paid yet and cannot be delivered.`),

  // Payments
  NOTHING_TO_REFUND: conflict(
    ({ order }: { order: string }) => `The order ${order} is not paid, so there is nothing to refund.`,
  ),
  PAYMENT_NOT_FOUND: notFound(({ order }: { order: string }) => `The order ${order} has no payment.`),
  PROVIDER_UNKNOWN: invalid(
    ({ provider, providers }: { provider: string; providers: readonly string[] }) =>
      `There is no payment provider "${provider}". The providers are ${providers.join(', ')}.`,
  ),
  PROVIDER_FOR_TESTING: invalid(
    ({ provider, providers }: { provider: string; providers: readonly string[] }) =>
      `The payment provider ${provider} moves no money and is refused in production. The providers are ${providers.join(', ')}.`,
  ),
  CREDENTIAL_UNKNOWN: invalid(
    ({ provider, credential, wanted }: { provider: string; credential: string; wanted: readonly string[] }) =>
      `The payment provider ${provider} has no credential "${credential}": it asks for ${wanted.join(', ') || 'none'}.`,
  ),
  CREDENTIALS_MISSING: invalid(
    ({ provider, missing }: { provider: string; missing: readonly string[] }) =>
      `The payment provider ${provider} also needs ${missing.join(', ')}.`,
  ),
  EVENT_NOT_FOUND: notFound(({ eventId }: { eventId: number }) => `There is no event ${eventId}.`),
  EVENT_MALFORMED: invalid(
    ({ eventId, reason }: { eventId: number; reason: string }) => `The event ${eventId} cannot be applied: ${reason}`,
  ),
}

export type DomainErrorCode = keyof typeof definitions

/** What an error of each code says about itself. */
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

/** `throw refuse('KEY_NOT_FOUND', { keyId })`. The `cause` is for the log and is shown to no caller. */
export const refuse = <Code extends DomainErrorCode>(
  code: Code,
  data: DomainErrorData[Code],
  options?: { cause: unknown },
): DomainError<Code> => new DomainError(code, data, options)
