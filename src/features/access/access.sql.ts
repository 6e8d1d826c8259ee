import type { Queries } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Store, StoreId } from '../context.ts'

export type KeyRow = {
  id: string
  storeId: StoreId
  kind: 'server' | 'browser'
  scopes: string[]
  rateLimit: number | null
  expiresAt: Date | null
}

export const findKey = (db: Queries, hash: string) => db.maybeOne<KeyRow>`
  select id, store_id as "storeId", kind, scopes, rate_limit as "rateLimit", expires_at as "expiresAt"
  from store_key
  where hash = ${hash} and revoked_at is null`

export const findStoreId = async (db: Queries, publicId: string) =>
  (await db.maybeOne<{ id: StoreId }>`select id from store where public_id = ${publicId}`)?.id

/** The row as stored: `codMaxValueMinor` is null for the default of the currency, 0 for no limit. */
type StoreRow = Omit<Store, 'defaultOutlet' | 'origins'> & { defaultOutletId: number | null; originList: string[] }

export const loadStore = (db: Queries, storeId: StoreId) => db.one<StoreRow>`
  select s.id, s.public_id as "publicId", s.name, s.domain, s.currency, s.locale, s.timezone, s.logo, s.contact,
    s.address, s.tax_included as "taxIncluded", s.shipping_flat_minor as "shippingFlatMinor",
    s.shipping_free_above_minor as "shippingFreeAboveMinor", s.payment_provider as "paymentProvider",
    (select a.credentials from payment_account a
     where a.store_id = s.id and a.provider = s.payment_provider) as "paymentCredentials",
    s.cash_on_delivery as "cashOnDelivery", s.cod_max_value_minor as "codMaxValueMinor",
    s.cod_max_units as "codMaxUnits", s.cod_max_open_orders as "codMaxOpenOrders",
    s.cod_verified_phone as "codVerifiedPhone", s.max_held_units as "maxHeldUnits", s.otp_hourly_cap as "otpHourlyCap",
    s.otp_countries as "otpCountries", s.otp_client_limit as "otpClientLimit", s.visitor_limit as "visitorLimit", s.return_days as "returnDays",
    s.low_stock_threshold as "lowStockThreshold", s.brand_color as "brandColor", s.mail_sender_name as "mailSenderName",
    s.mail_reply_to as "mailReplyTo", s.mail_off as "mailOff", s.menu,
    s.support_refund_limit_minor as "supportRefundLimitMinor", s.tax_id as "taxId",
    s.invoice_prefix as "invoicePrefix", s.invoice_year_start as "invoiceYearStart",
    s.closed_at is not null as "isClosed", s.default_outlet_id as "defaultOutletId",
    (select coalesce(json_agg(json_build_object('id', o.id, 'publicId', o.public_id, 'name', o.name) order by o.id), '[]')
     from outlet o where o.store_id = s.id) as outlets,
    (select coalesce(array_agg(a.origin), '{}') from store_origin a where a.store_id = s.id) as "originList"
  from store s
  where s.id = ${storeId}`

export const isListedOrigin = async (db: Queries, origin: string) =>
  (
    await db.one<{ listed: boolean }>`
    select exists (select from store_origin where origin = ${origin}) as listed`
  ).listed

export const findSession = async (db: Queries, storeId: StoreId, tokenHash: string) =>
  (
    await db.maybeOne<{ customerId: string }>`
    select customer_id as "customerId" from session
    where store_id = ${storeId} and token_hash = ${tokenHash} and expires_at > vitrine_now()`
  )?.customerId

/** A condition: the session is valid. */
export const isSession = (storeId: StoreId, tokenHash: string, customerId: string) => sql`exists (
  select from session
  where store_id = ${storeId} and token_hash = ${tokenHash} and customer_id = ${customerId} and expires_at > vitrine_now())`

export const isCustomer = async (db: Queries, storeId: StoreId, customerId: string) =>
  (
    await db.one<{ exists: boolean }>`
    select exists (select from customer where store_id = ${storeId} and id = ${customerId} and erased_at is null)`
  ).exists
