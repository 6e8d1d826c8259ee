import { refuse } from '../../core/domain-errors.ts'
import { fail } from '../../core/errors.ts'
import { toMinor, toWire } from '../../core/money.ts'
import { mustExist } from '../../core/must-exist.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import { requireMatch } from '../admin-etag.ts'
import { compareFields, recordChange } from '../audit/record.ts'
import type { AdminCtx, Author, Store } from '../context.ts'
import { isMessageName, messageNames } from '../events/messages.ts'
import type { SettingsPatch } from './settings.admin.contract.ts'
import { lockStore, type StoreSettings } from './stores.sql.ts'
import { changeStore, closeStore } from './stores.ts'

export const showSettings = (store: Store) => {
  const money = (minor: number) => toWire(minor, store.currency)
  const moneyOrNull = (minor: number | null) => (minor === null ? null : money(minor))
  return {
    ...{ id: store.publicId, currency: store.currency, paymentProvider: store.paymentProvider },
    ...{ name: store.name, domain: store.domain, locale: store.locale, timezone: store.timezone, logo: store.logo },
    ...{ taxIncluded: store.taxIncluded, maxHeldUnits: store.maxHeldUnits, visitorLimit: store.visitorLimit },
    returnDays: store.returnDays,
    ...{ lowStockThreshold: store.lowStockThreshold, closed: store.isClosed },
    ...{ supportRefundLimit: moneyOrNull(store.supportRefundLimitMinor), taxId: store.taxId },
    invoices: { prefix: store.invoicePrefix, yearStartMonth: store.invoiceYearStart },
    ...{ contact: store.contact, address: store.address },
    shipping: { flat: money(store.shippingFlatMinor), freeAbove: moneyOrNull(store.shippingFreeAboveMinor) },
    cashOnDelivery: {
      ...{ enabled: store.cashOnDelivery, maxValue: moneyOrNull(store.codMaxValueMinor), maxUnits: store.codMaxUnits },
      ...{ maxOpenOrders: store.codMaxOpenOrders, verifiedPhone: store.codVerifiedPhone },
    },
    oneTimePasswords: {
      ...{ hourlyCap: store.otpHourlyCap, countries: [...store.otpCountries], clientLimit: store.otpClientLimit },
    },
    mail: {
      ...{ senderName: store.mailSenderName, replyTo: store.mailReplyTo, brandColor: store.brandColor },
      messages: Object.fromEntries(messageNames.map((name) => [name, !store.mailOff.includes(name)])),
    },
  }
}

/** From the database, because `ctx.store` may be a second old, and a change must be there for its author at once. */
export const readSettings = async ({ db, store }: AdminCtx) => showSettings(await readAgain(db, store.publicId))

export const changeSettings = ({ db, store, by, ifMatch }: AdminCtx, patch: SettingsPatch) =>
  db.tx(async (tx) =>
    changeStoreBy(tx, store, by, readPatch(patch, store.currency), {
      isClosed: patch.closed,
      check: (before) => requireMatch({ ifMatch }, showSettings(before)),
    }),
  )

type MoreSettings = { isClosed?: boolean | undefined; check?: (before: Store) => void }

/** Changes a store and adds what changed to the audit log. Returns the settings after it. */
export const changeStoreBy = async (
  tx: Tx,
  { id, publicId }: Pick<Store, 'id' | 'publicId'>,
  by: Author,
  settings: StoreSettings,
  { isClosed, check }: MoreSettings = {},
) => {
  // Locked before it is read, so that `check` and the audit log see what this change replaces.
  await lockStore(tx, id)
  const before = await readAgain(tx, publicId)
  check?.(before)
  await changeStore(tx, before, settings)
  if (isClosed !== undefined && isClosed !== before.isClosed) await closeStore(tx, before, isClosed)
  const after = showSettings(await readAgain(tx, publicId))
  const changes = compareFields(showSettings(before), after)
  if (Object.keys(changes).length > 0)
    recordChange(tx, { id }, by, { action: 'settings.updated', id: publicId, changes })
  return after
}

const readAgain = async (db: Queries, publicId: string) =>
  mustExist(await findStoreByPublicId(db, publicId), `store ${publicId}`)

/** Changes nothing. */
export const unchanged: StoreSettings = {
  ...{ name: null, domain: null, locale: null, timezone: null, logo: null, contact: {}, address: null },
  ...{ taxIncluded: null, shippingFlatMinor: null, shippingFreeAboveMinor: null, cashOnDelivery: null },
}

const readPatch = (patch: SettingsPatch, currency: string): StoreSettings => {
  const { shipping = {}, cashOnDelivery = {}, oneTimePasswords = {}, mail = {}, invoices = {} } = patch
  return {
    ...{ name: patch.name ?? null, domain: patch.domain ?? null, locale: patch.locale ?? null },
    ...{ timezone: patch.timezone ?? null, logo: patch.logo ?? null, contact: patch.contact ?? {} },
    ...{ address: patch.address ?? null, taxIncluded: patch.taxIncluded ?? null },
    shippingFlatMinor: shipping.flat === undefined ? null : readMoney('shipping/flat', shipping.flat, currency),
    shippingFreeAboveMinor: readLimit(shipping.freeAbove, (value) => readMoney('shipping/freeAbove', value, currency)),
    cashOnDelivery: cashOnDelivery.enabled ?? null,
    codMaxValueMinor: readLimit(cashOnDelivery.maxValue, (value) =>
      readMoney('cashOnDelivery/maxValue', value, currency),
    ),
    codMaxUnits: readLimit(cashOnDelivery.maxUnits),
    codMaxOpenOrders: readLimit(cashOnDelivery.maxOpenOrders),
    codVerifiedPhone: cashOnDelivery.verifiedPhone ?? null,
    maxHeldUnits: readLimit(patch.maxHeldUnits),
    otpHourlyCap: readLimit(oneTimePasswords.hourlyCap),
    otpCountries: oneTimePasswords.countries ?? null,
    otpClientLimit: oneTimePasswords.clientLimit ?? null,
    supportRefundLimitMinor: readLimit(patch.supportRefundLimit, (value) =>
      readMoney('supportRefundLimit', value, currency),
    ),
    ...{ taxId: patch.taxId?.trim() ?? null, invoicePrefix: invoices.prefix ?? null },
    invoiceYearStart: readLimit(invoices.yearStartMonth),
    returnDays: patch.returnDays ?? null,
    ...{ visitorLimit: patch.visitorLimit ?? null, lowStockThreshold: patch.lowStockThreshold ?? null },
    ...{ brandColor: mail.brandColor ?? null, mailSenderName: mail.senderName ?? null },
    mailReplyTo: mail.replyTo ?? null,
    ...readMessages(mail.messages ?? {}),
  }
}

/** Null removes a limit. */
const readLimit = (value: number | null | undefined, read = (number: number) => number) => {
  if (value === undefined) return null
  return value === null ? ('off' as const) : read(value)
}

const readMoney = (field: string, value: number, currency: string) => {
  const minor = toMinor(value, currency)
  if (minor === null) throw fail('BAD_REQUEST', `${field} must be an amount in ${currency}.`)
  return minor
}

const readMessages = (messages: Readonly<Record<string, boolean>>) => {
  const unknown = Object.keys(messages).find((name) => !isMessageName(name))
  if (unknown !== undefined) throw refuse('MESSAGE_UNKNOWN', { message: unknown, messages: messageNames })
  const named = (isOn: boolean) => Object.keys(messages).filter((name) => messages[name] === isOn)
  return { mailOff: named(false), mailOn: named(true) }
}
