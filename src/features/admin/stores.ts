import { isSupportedCountry } from 'libphonenumber-js/min'
import { newId, randomText } from '../../core/ids.ts'
import { isCurrency } from '../../core/money.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { hashSecret } from '../../core/secrets.ts'
import { announceStore } from '../../db/announce.ts'
import { isUniqueViolation, type Queries, type Tx } from '../../db/database.ts'
import { cash } from '../../providers/payment/cash.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import { type Scope, scopes } from '../access/storefront.contract.ts'
import { publishAllProducts } from '../catalog/products.ts'
import type { Store, StoreId } from '../context.ts'
import * as sql from './admin.sql.ts'
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

/** A store with its first outlet, two keys and what its providers prove themselves with. Secrets are shown this once. */
export const createStore = async (tx: Tx, request: StoreRequest) => {
  checkSettings(request)
  checkName(request.outletName)
  const publicId = newId('store')
  const domain = readDomain(request.domain)
  // A store that was asked to be paid in cash takes cash.
  const cashOnDelivery = request.paymentProvider === cash.name
  const inserted = await sql.insertStore(tx, { ...request, publicId, domain, cashOnDelivery })
  if (inserted === undefined) throw domainTaken(domain)
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

/** For all shoppers of a new store together; each visitor has a limit besides (`visitor_limit`). */
export const browserKeyLimit = 6_000

export type KeyRequest = {
  kind: 'server' | 'browser'
  name: string
  /** Null: everything that keys of this kind may have. */
  scopes: readonly string[] | null
  rateLimit: number | null
  expiresAt: Date | null
}

export const plainKey = { name: '', scopes: null, rateLimit: null, expiresAt: null }

export const createKey = async (tx: Tx, storeId: StoreId, request: KeyRequest) => {
  const wanted = request.scopes ?? defaultScopes(request.kind)
  const unknown = wanted.find((scope) => !scopes.includes(scope as Scope))
  if (unknown !== undefined) {
    throw new OperatorError(`There is no scope "${unknown}". The scopes are ${scopes.join(', ')}.`)
  }
  const key = `${request.kind === 'server' ? 'vsk' : 'vpk'}_${randomText(32)}`
  const id = newId('key')
  await sql.insertKey(tx, storeId, { ...request, id, hash: hashSecret(key), scopes: wanted })
  await announceStore(tx, storeId)
  return { id, key, scopes: wanted, rateLimit: request.rateLimit }
}

/** A browser's key is in everybody's hands, so it may not speak for a customer. */
const defaultScopes = (kind: 'server' | 'browser') =>
  kind === 'server' ? scopes : scopes.filter((scope) => scope !== 'customers:assert')

export const revokeKey = async (tx: Tx, keyId: string) => {
  const revoked = await sql.revokeKey(tx, keyId)
  if (revoked === undefined) throw new OperatorError(`There is no key ${keyId}. "vitrine key list" shows the keys.`)
  await announceStore(tx, revoked.storeId)
  return { id: keyId, revokedAt: revoked.revokedAt }
}

export const changeKey = async (tx: Tx, keyId: string, { rateLimit }: { rateLimit: number }) => {
  const changed = await sql.setKeyRateLimit(tx, keyId, rateLimit)
  if (changed === undefined) throw new OperatorError(`There is no key ${keyId}. "vitrine key list" shows the keys.`)
  await announceStore(tx, changed.storeId)
  return { id: keyId, rateLimit }
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

export const addOrigin = async (tx: Tx, store: Store, origin: string) => {
  await sql.insertOrigin(tx, store.id, readOrigin(origin))
  await announceStore(tx, store.id)
}

/** Pages of this origin can no longer call the store, on every instance at once. */
export const removeOrigin = async (tx: Tx, store: Store, origin: string) => {
  if (!(await sql.deleteOrigin(tx, store.id, readOrigin(origin)))) {
    throw new OperatorError(`${readOrigin(origin)} is not on the allowlist. "vitrine origin list" shows it.`)
  }
  await announceStore(tx, store.id)
}

/** A closed store answers nobody who calls with its keys; webhooks and commands go on (decision 0025). */
export const closeStore = async (tx: Tx, store: Pick<Store, 'id'>, isClosed: boolean) => {
  await sql.setClosed(tx, store.id, isClosed)
  await announceStore(tx, store.id)
}

export const changeStore = async (tx: Tx, store: Store, settings: sql.StoreSettings) => {
  checkSettings({ ...settings, currency: store.currency })
  checkCountries(settings.otpCountries ?? [])
  const domain = settings.domain === null ? null : readDomain(settings.domain)
  const cashOnDelivery = settings.cashOnDelivery ?? (settings.paymentProvider === cash.name ? true : null)
  try {
    await sql.updateStore(tx, store.id, { ...settings, domain, cashOnDelivery })
  } catch (error) {
    if (domain !== null && isUniqueViolation(error)) throw domainTaken(domain)
    throw error
  }
  await announceStore(tx, store.id)
}

const domainTaken = (domain: string) =>
  new OperatorError(`Another store has the domain ${domain} already. "vitrine store list" shows the stores.`)

export const listStores = (db: Queries) => sql.listStores(db)

/** A store as commands name it: by its public id, or left out when there is only one. */
export const findStore = async (db: Queries, publicId: string | undefined): Promise<Store> => {
  const stores = await sql.listStores(db)
  const [only, another] = stores
  if (only === undefined) throw new OperatorError('There is no store yet. Make one with "vitrine store create".')
  if (publicId === undefined && another !== undefined) {
    throw new OperatorError(
      `There are ${stores.length} stores. Name one with --store: ${stores
        .slice(0, 5)
        .map((store) => `${store.publicId} (${store.name})`)
        .join(', ')}.`,
    )
  }
  const store = await findStoreByPublicId(db, publicId ?? only.publicId)
  if (store === undefined) throw new OperatorError(`There is no store ${publicId}.`)
  return store
}

type Checked = { name: string | null; currency: string; locale: string | null; timezone: string | null }

const checkSettings = ({ name, currency, locale, timezone }: Checked) => {
  if (name !== null) checkName(name)
  if (!isCurrency(currency)) throw new OperatorError(`${currency} is not a currency code of ISO 4217, such as INR.`)
  if (locale !== null && !isAccepted(() => new Intl.Locale(locale))) {
    throw new OperatorError(`${locale} is not a locale, such as en-IN.`)
  }
  if (timezone !== null && !isAccepted(() => new Intl.DateTimeFormat('en', { timeZone: timezone }))) {
    throw new OperatorError(`${timezone} is not a time zone, such as Asia/Kolkata.`)
  }
}

const checkCountries = (countries: readonly string[]) => {
  const unknown = countries.find((country) => !isSupportedCountry(country))
  if (unknown !== undefined) throw new OperatorError(`"${unknown}" is not a country code of ISO 3166, such as IN.`)
}

const checkName = (name: string) => {
  if (name.trim() === '') throw new OperatorError('A name that shoppers see must not be empty.')
}

const isAccepted = (make: () => unknown) => {
  try {
    make()
    return true
  } catch {
    return false
  }
}

/** A bare host means https; an origin is kept as it is. */
const readDomain = (text: string) => {
  const origin = parseOrigin(/^https?:\/\//.test(text) ? text : `https://${text}`)
  if (origin === null)
    throw new OperatorError(`"${text}" is not a domain such as shop.example or https://shop.example.`)
  return origin
}

/** Exactly what a browser sends as `Origin`. */
export const readOrigin = (text: string): string => {
  const origin = parseOrigin(text)
  if (origin === null) {
    throw new OperatorError(`"${text}" is not an origin such as https://shop.example or http://localhost:5173.`)
  }
  return origin
}

/** Null for more than an origin, and for a pattern: what is on the list is compared letter by letter. */
const parseOrigin = (text: string): string | null => {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname.includes('*')) return null
  return `${url.origin}/` === url.href ? url.origin : null
}
