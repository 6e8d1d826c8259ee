import type { Queries, Tx } from '../../db/database.ts'
import type { MenuEntry, OutletId, StoreAddress, StoreId } from '../context.ts'

export type NewStore = {
  publicId: string
  name: string
  domain: string
  currency: string
  locale: string
  timezone: string
  paymentProvider: string
  cashOnDelivery: boolean
}

/** Undefined if another store has the domain. */
export const insertStore = (tx: Tx, store: NewStore) => tx.maybeOne<{ id: StoreId }>`
  insert into store (public_id, name, domain, currency, locale, timezone, payment_provider, cash_on_delivery)
  values (${store.publicId}, ${store.name}, ${store.domain}, ${store.currency}, ${store.locale}, ${store.timezone},
    ${store.paymentProvider}, ${store.cashOnDelivery})
  on conflict (domain) where not domain_is_duplicate do nothing
  returning id`

export const isDomainTaken = async (tx: Tx, domain: string) =>
  (await tx.one<{ taken: boolean }>`select exists (select from store where domain = ${domain}) as taken`).taken

export const insertOutlet = (tx: Tx, storeId: StoreId, publicId: string, name: string) => tx.one<{ id: OutletId }>`
  insert into outlet (store_id, public_id, name) values (${storeId}, ${publicId}, ${name}) returning id`

export const setDefaultOutlet = (tx: Tx, storeId: StoreId, outletId: OutletId) => tx.run`
  update store set default_outlet_id = ${outletId} where id = ${storeId}`

/** `off` removes the limit. */
type Limit = number | 'off'

/** Null or undefined leaves a setting unchanged. */
export type StoreSettings = {
  name: string | null
  domain: string | null
  locale: string | null
  timezone: string | null
  logo: string | null
  contact: { email?: string; phone?: string }
  address: StoreAddress | null
  taxIncluded: boolean | null
  shippingFlatMinor: number | null
  shippingFreeAboveMinor: Limit | null
  cashOnDelivery: boolean | null
  /** In minor units. `default` is the default limit of the currency. */
  codMaxValueMinor?: Limit | 'default' | null
  codMaxUnits?: Limit | null
  codMaxOpenOrders?: Limit | null
  maxHeldUnits?: Limit | null
  codVerifiedPhone?: boolean | null
  paymentProvider?: string | null
  otpHourlyCap?: Limit | null
  /** An empty list means all countries. */
  otpCountries?: readonly string[] | null
  visitorLimit?: number | null
  returnDays?: number | null
  otpClientLimit?: number | null
  lowStockThreshold?: number | null
  /** In minor units. */
  supportRefundLimitMinor?: Limit | null
  taxId?: string | null
  invoicePrefix?: string | null
  invoiceYearStart?: Limit | null
  /** An empty text restores the default. */
  brandColor?: string | null
  mailSenderName?: string | null
  mailReplyTo?: string | null
  /** Messages to switch off and on. */
  mailOff?: readonly string[]
  mailOn?: readonly string[]
}

const isOff = (limit: Limit | null | undefined) => limit === 'off'
const numberOf = (limit: Limit | 'default' | null | undefined) => (typeof limit === 'number' ? limit : null)

/** `off` is stored as null, except for `cod_max_value_minor`, where null means the default and 0 means off. */
export const updateStore = (tx: Tx, storeId: StoreId, set: StoreSettings) => tx.run`
  update store set name = coalesce(${set.name}, name), domain = coalesce(${set.domain}, domain),
    domain_is_duplicate = domain_is_duplicate and ${set.domain}::text is null,
    locale = coalesce(${set.locale}, locale), timezone = coalesce(${set.timezone}, timezone),
    logo = coalesce(${set.logo}, logo), contact = contact || ${JSON.stringify(set.contact)}::jsonb,
    address = coalesce(${set.address === null ? null : JSON.stringify(set.address)}::jsonb, address),
    tax_included = coalesce(${set.taxIncluded}, tax_included),
    tax_decided = tax_decided or ${set.taxIncluded}::boolean is not null,
    shipping_flat_minor = coalesce(${set.shippingFlatMinor}, shipping_flat_minor),
    shipping_free_above_minor = case when ${isOff(set.shippingFreeAboveMinor)} then null
      else coalesce(${numberOf(set.shippingFreeAboveMinor)}, shipping_free_above_minor) end,
    shipping_decided = shipping_decided or ${set.shippingFlatMinor !== null || set.shippingFreeAboveMinor !== null},
    cash_on_delivery = coalesce(${set.cashOnDelivery}, cash_on_delivery),
    cod_max_value_minor = case when ${set.codMaxValueMinor === 'default'} then null
      else coalesce(${set.codMaxValueMinor === 'off' ? 0 : numberOf(set.codMaxValueMinor)}, cod_max_value_minor) end,
    cod_max_units = case when ${isOff(set.codMaxUnits)} then null
      else coalesce(${numberOf(set.codMaxUnits)}, cod_max_units) end,
    cod_max_open_orders = case when ${isOff(set.codMaxOpenOrders)} then null
      else coalesce(${numberOf(set.codMaxOpenOrders)}, cod_max_open_orders) end,
    cod_verified_phone = coalesce(${set.codVerifiedPhone ?? null}, cod_verified_phone),
    max_held_units = case when ${isOff(set.maxHeldUnits)} then null
      else coalesce(${numberOf(set.maxHeldUnits)}, max_held_units) end,
    payment_provider = coalesce(${set.paymentProvider ?? null}, payment_provider),
    otp_hourly_cap = case when ${isOff(set.otpHourlyCap)} then null
      else coalesce(${numberOf(set.otpHourlyCap)}, otp_hourly_cap) end,
    otp_countries = coalesce(${set.otpCountries ?? null}::text[], otp_countries),
    otp_client_limit = coalesce(${set.otpClientLimit ?? null}, otp_client_limit),
    visitor_limit = coalesce(${set.visitorLimit ?? null}, visitor_limit),
    return_days = coalesce(${set.returnDays ?? null}, return_days),
    low_stock_threshold = coalesce(${set.lowStockThreshold ?? null}, low_stock_threshold),
    support_refund_limit_minor = case when ${isOff(set.supportRefundLimitMinor)} then null
      else coalesce(${numberOf(set.supportRefundLimitMinor)}, support_refund_limit_minor) end,
    tax_id = coalesce(${set.taxId ?? null}, tax_id),
    invoice_prefix = coalesce(${set.invoicePrefix ?? null}, invoice_prefix),
    invoice_year_start = case when ${isOff(set.invoiceYearStart)} then null
      else coalesce(${numberOf(set.invoiceYearStart)}, invoice_year_start) end,
    brand_color = coalesce(${set.brandColor ?? null}, brand_color),
    mail_sender_name = coalesce(${set.mailSenderName ?? null}, mail_sender_name),
    mail_reply_to = coalesce(${set.mailReplyTo ?? null}, mail_reply_to),
    mail_off = array(
      select distinct name from unnest(mail_off || ${set.mailOff ?? []}::text[]) as name
      where name <> all(${set.mailOn ?? []}::text[]) order by name),
    updated_at = vitrine_now()
  where id = ${storeId}`

export const setMenu = (tx: Tx, storeId: StoreId, menu: readonly MenuEntry[]) => tx.run`
  update store set menu = ${JSON.stringify(menu)}::jsonb, updated_at = vitrine_now() where id = ${storeId}`

export type NewKey = {
  id: string
  hash: string
  name: string
  kind: 'server' | 'browser'
  scopes: readonly string[]
  rateLimit: number | null
  expiresAt: Date | null
}

export const insertKey = (tx: Tx, storeId: StoreId, key: NewKey) => tx.run`
  insert into store_key (store_id, id, hash, name, kind, scopes, rate_limit, expires_at)
  values (${storeId}, ${key.id}, ${key.hash}, ${key.name}, ${key.kind}, ${key.scopes}, ${key.rateLimit},
    ${key.expiresAt})`

export type KeyListing = {
  id: string
  name: string
  kind: string
  scopes: string[]
  rateLimit: number | null
  expiresAt: Date | null
  revokedAt: Date | null
  createdAt: Date
}

export const listKeys = (db: Queries, storeId: StoreId) => db.many<KeyListing>`
  select id, name, kind, scopes, rate_limit as "rateLimit", expires_at as "expiresAt", revoked_at as "revokedAt",
    created_at as "createdAt"
  from store_key where store_id = ${storeId} order by created_at, id`

/** Key ids are unique across stores, so no store is needed. */
export const revokeKey = (tx: Tx, keyId: string) => tx.maybeOne<{ storeId: StoreId; revokedAt: Date }>`
  update store_key set revoked_at = coalesce(revoked_at, (select vitrine_now()))
  where id = ${keyId}
  returning store_id as "storeId", revoked_at as "revokedAt"`

/** Locked, so that changes of one key are made one after another. */
export const findKeyById = (tx: Tx, keyId: string) => tx.maybeOne<KeyListing & { storeId: StoreId }>`
  select store_id as "storeId", id, name, kind, scopes, rate_limit as "rateLimit", expires_at as "expiresAt",
    revoked_at as "revokedAt", created_at as "createdAt"
  from store_key where id = ${keyId} for update`

export const updateKey = (
  tx: Tx,
  storeId: StoreId,
  keyId: string,
  { name, scopes, rateLimit }: Pick<KeyListing, 'name' | 'scopes' | 'rateLimit'>,
) => tx.run`
  update store_key set name = ${name}, scopes = ${scopes}, rate_limit = ${rateLimit}
  where store_id = ${storeId} and id = ${keyId}`

export const deleteOrigin = async (tx: Tx, storeId: StoreId, origin: string) =>
  (await tx.run`delete from store_origin where store_id = ${storeId} and origin = ${origin}`) > 0

export const insertOrigin = (tx: Tx, storeId: StoreId, origin: string) => tx.run`
  insert into store_origin (store_id, origin) values (${storeId}, ${origin}) on conflict do nothing`

export const listOrigins = async (db: Queries, storeId: StoreId) =>
  (await db.many<{ origin: string }>`select origin from store_origin where store_id = ${storeId} order by origin`).map(
    ({ origin }) => origin,
  )

export const countStores = async (db: Queries) => (await db.one<{ count: number }>`select count(*) from store`).count

export const listStores = (db: Queries) => db.many<{
  publicId: string
  name: string
  domain: string
  currency: string
  closedAt: Date | null
}>`
  select public_id as "publicId", name, domain, currency, closed_at as "closedAt" from store order by id`

/** Closing a closed store keeps the original time. */
export const setClosed = (tx: Tx, storeId: StoreId, isClosed: boolean) => tx.run`
  update store set closed_at = case when ${isClosed}::boolean then coalesce(closed_at, (select vitrine_now())) end
  where id = ${storeId}`

/** Serialises concurrent rotations of credentials. */
export const lockStore = (tx: Tx, storeId: StoreId) => tx.run`
  select from store where id = ${storeId} for no key update`

/** A demo store may serve the demo files, outside production. */
export const markDemoStore = (tx: Tx, storeId: StoreId) => tx.run`update store set is_demo = true where id = ${storeId}`

export const isDemoStore = async (db: Queries, storeId: string) =>
  (await db.maybeOne<{ isDemo: boolean }>`select is_demo as "isDemo" from store where public_id = ${storeId}`)
    ?.isDemo ?? false
