import { refuse } from '../../core/domain-errors.ts'
import { isHexColor } from '../../core/hex-color.ts'
import { newId, randomText } from '../../core/ids.ts'
import { loadLater } from '../../core/later.ts'
import { isMailAddress } from '../../core/mail-address.ts'
import { isCurrency } from '../../core/money.ts'
import { hashSecret } from '../../core/secrets.ts'
import { isWebAddress } from '../../core/web-address.ts'
import { announceStore } from '../../db/announce.ts'
import { isUniqueViolation, type Queries, type Tx } from '../../db/database.ts'
import { cash } from '../../providers/payment/cash.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import { scopes } from '../access/storefront.contract.ts'
import { publishAllProducts } from '../catalog/products.ts'
import { applyThresholdAtOnce } from '../catalog/stock-threshold.ts'
import type { Store, StoreId } from '../context.ts'
import { isAlwaysSent, isMessageName, messageNames } from '../events/messages.ts'
import { noteThresholdApplied } from './low-stock.sql.ts'
import * as sql from './stores.sql.ts'
import { makeLogisticsKey, makePaymentCredential } from './webhook-credentials.ts'

export type StoreRequest = {
  name: string
  domain: string
  currency: string
  locale: string
  timezone: string
  origins: readonly string[]
  outletName: string
  paymentProvider: string
}

/** Creates a store with an outlet, two keys and webhook credentials. Secrets are returned only here. */
export const createStore = async (tx: Tx, request: StoreRequest) => {
  checkSettings(request)
  checkName(request.outletName)
  const publicId = newId('store')
  const domain = readDomain(request.domain)
  // Choosing cash as the provider also enables cash on delivery.
  const cashOnDelivery = request.paymentProvider === cash.name
  const inserted = await sql.insertStore(tx, { ...request, publicId, domain, cashOnDelivery })
  if (inserted === undefined) throw refuse('DOMAIN_TAKEN', { domain })
  const storeId = inserted.id
  const outletId = newId('outlet')
  const outlet = await sql.insertOutlet(tx, storeId, outletId, request.outletName)
  await sql.setDefaultOutlet(tx, storeId, outlet.id)
  for (const origin of request.origins) await sql.insertOrigin(tx, storeId, readOrigin(origin))
  const serverKey = await createKey(tx, storeId, { ...plainKey, kind: 'server' })
  const browserKey = await createKey(tx, storeId, {
    ...plainKey,
    kind: 'browser',
    rateLimit: browserKeyLimit,
  })
  const paymentWebhook = await makePaymentCredential(tx, storeId)
  const logisticsKey = await makeLogisticsKey(tx, storeId)
  return {
    storeId: publicId,
    outletId,
    serverKey: serverKey.key,
    browserKey: browserKey.key,
    paymentWebhook,
    logisticsKey,
  }
}

/** Requests per minute for all shoppers of a store together. Each visitor has a separate limit (`visitor_limit`). */
export const browserKeyLimit = 6_000

export type KeyRequest = {
  kind: 'server' | 'browser'
  name: string
  /** Null: all scopes that keys of this kind may have. */
  scopes: readonly string[] | null
  rateLimit: number | null
  expiresAt: Date | null
}

export const plainKey = { name: '', scopes: null, rateLimit: null, expiresAt: null }

export const createKey = async (tx: Tx, storeId: StoreId, request: KeyRequest) => {
  const wanted = request.scopes ?? defaultScopes(request.kind)
  const unknown = wanted.find((scope) => !scopes.some((known) => known === scope))
  if (unknown !== undefined) {
    throw refuse('SCOPE_UNKNOWN', { scope: unknown, scopes })
  }
  const key = `${request.kind === 'server' ? 'vsk' : 'vpk'}_${randomText(32)}`
  const id = newId('key')
  await sql.insertKey(tx, storeId, { ...request, id, hash: hashSecret(key), scopes: wanted })
  await announceStore(tx, storeId)
  return { id, key, scopes: wanted, rateLimit: request.rateLimit }
}

/** A browser key is public, so it must not act for a customer. */
const defaultScopes = (kind: 'server' | 'browser') =>
  kind === 'server' ? scopes : scopes.filter((scope) => scope !== 'customers:assert')

export const revokeKey = async (tx: Tx, keyId: string) => {
  const revoked = await sql.revokeKey(tx, keyId)
  if (revoked === undefined) throw refuse('KEY_NOT_FOUND', { keyId })
  await announceStore(tx, revoked.storeId)
  return { id: keyId, revokedAt: revoked.revokedAt }
}

export const listKeys = (db: Queries, store: Pick<Store, 'id'>) => sql.listKeys(db, store.id)

export const listOrigins = (db: Queries, store: Pick<Store, 'id'>) => sql.listOrigins(db, store.id)

export const createOutlet = async (tx: Tx, store: Store, name: string) => {
  checkName(name)
  const outletId = newId('outlet')
  await sql.insertOutlet(tx, store.id, outletId, name)
  await publishAllProducts(tx, store)
  await announceStore(tx, store.id)
  return { outletId }
}

export const allowOrigin = async (tx: Tx, store: Store, origin: string) => {
  await sql.insertOrigin(tx, store.id, readOrigin(origin))
  await announceStore(tx, store.id)
}

/** Takes effect on every instance immediately. */
export const removeOrigin = async (tx: Tx, store: Store, origin: string) => {
  const known = readOrigin(origin)
  if (!(await sql.deleteOrigin(tx, store.id, known))) throw refuse('ORIGIN_NOT_FOUND', { origin: known })
  await announceStore(tx, store.id)
}

/** A closed store refuses its keys; webhooks and commands still work (decision 0025). */
export const closeStore = async (tx: Tx, store: Pick<Store, 'id'>, isClosed: boolean) => {
  await sql.setClosed(tx, store.id, isClosed)
  await announceStore(tx, store.id)
}

export const changeStore = async (tx: Tx, store: Store, settings: sql.StoreSettings) => {
  checkSettings({ ...settings, currency: store.currency })
  checkCountries(settings.otpCountries ?? [])
  checkMail(settings)
  if (settings.logo) checkLogo(settings.logo)
  const domain = settings.domain === null ? null : readDomain(settings.domain)
  const cashOnDelivery = settings.cashOnDelivery ?? (settings.paymentProvider === cash.name ? true : null)
  try {
    await sql.updateStore(tx, store.id, { ...settings, domain, cashOnDelivery })
  } catch (error) {
    if (domain !== null && isUniqueViolation(error)) throw refuse('DOMAIN_TAKEN', { domain })
    throw error
  }
  const threshold = settings.lowStockThreshold ?? null
  if (threshold !== null && threshold !== store.lowStockThreshold && (await applyThresholdAtOnce(tx, store.id))) {
    await noteThresholdApplied(tx, store.id, threshold)
  }
  await announceStore(tx, store.id)
}

export const listStores = (db: Queries) => sql.listStores(db)

const maxStoresListed = 5

/** `publicId` may be left out if there is only one store. */
export const findStore = async (db: Queries, publicId: string | undefined): Promise<Store> => {
  const stores = await sql.listStores(db)
  const [only, another] = stores
  if (only === undefined) throw refuse('STORE_MISSING', {})
  if (publicId === undefined && another !== undefined) {
    const named = stores.slice(0, maxStoresListed).map((store) => ({ id: store.publicId, name: store.name }))
    throw refuse('STORE_AMBIGUOUS', { count: stores.length, stores: named })
  }
  const store = await findStoreByPublicId(db, publicId ?? only.publicId)
  if (store === undefined) throw refuse('STORE_NOT_FOUND', { storeId: publicId ?? only.publicId })
  return store
}

type Checked = { name: string | null; currency: string; locale: string | null; timezone: string | null }

const checkSettings = ({ name, currency, locale, timezone }: Checked) => {
  if (name !== null) checkName(name)
  if (!isCurrency(currency)) throw refuse('CURRENCY_UNKNOWN', { currency })
  if (locale !== null && !isAccepted(() => new Intl.Locale(locale))) {
    throw refuse('LOCALE_UNKNOWN', { locale })
  }
  if (timezone !== null && !isAccepted(() => new Intl.DateTimeFormat('en', { timeZone: timezone }))) {
    throw refuse('TIMEZONE_UNKNOWN', { timezone })
  }
}

const phones = loadLater<typeof import('libphonenumber-js/min')>('libphonenumber-js/min')

const checkCountries = (countries: readonly string[]) => {
  const unknown = countries.find((country) => !phones().isSupportedCountry(country))
  if (unknown !== undefined) throw refuse('COUNTRY_UNKNOWN', { country: unknown })
}

const checkMail = ({ brandColor, mailReplyTo, mailOff = [], mailOn = [] }: sql.StoreSettings) => {
  if (brandColor && !isHexColor(brandColor)) throw refuse('COLOR_INVALID', { color: brandColor })
  if (mailReplyTo && !isMailAddress(mailReplyTo)) throw refuse('MAIL_ADDRESS_INVALID', { address: mailReplyTo })
  const unknown = [...mailOff, ...mailOn].find((name) => !isMessageName(name))
  if (unknown !== undefined) throw refuse('MESSAGE_UNKNOWN', { message: unknown, messages: messageNames })
  const needed = mailOff.find((name) => isMessageName(name) && isAlwaysSent(name))
  if (needed !== undefined) throw refuse('MESSAGE_ALWAYS_SENT', { message: needed })
}

/** A page may turn it into a link. A path is that of an image of this service. */
const checkLogo = (logo: string) => {
  if (!isWebAddress(logo) && !/^\/(?![/\\])/.test(logo)) throw refuse('LOGO_INVALID', { logo })
}

export const checkName = (name: string) => {
  if (name.trim() === '') throw refuse('STORE_NAME_EMPTY', {})
}

const isAccepted = (make: () => unknown) => {
  try {
    make()
    return true
  } catch {
    return false
  }
}

/** A bare host means https. */
const readDomain = (text: string) => {
  const origin = parseOrigin(/^https?:\/\//.test(text) ? text : `https://${text}`)
  if (origin === null) throw refuse('DOMAIN_INVALID', { domain: text })
  return origin
}

/** Must be exactly what a browser sends as `Origin`. */
export const readOrigin = (text: string): string => {
  const origin = parseOrigin(text)
  if (origin === null) throw refuse('ORIGIN_INVALID', { origin: text })
  return origin
}

/** Null for anything longer than an origin, and for patterns: allowlist entries are compared literally. */
const parseOrigin = (text: string): string | null => {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname.includes('*')) return null
  return `${url.origin}/` === url.href ? url.origin : null
}
