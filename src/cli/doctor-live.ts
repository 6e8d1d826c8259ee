import { existsSync } from 'node:fs'
import type { Config } from '../config.ts'
import { describeAmount } from '../core/money.ts'
import type { Db } from '../db/database.ts'
import type { Payments, Store } from '../features/context.ts'
import { listCarrierNames } from '../features/delivery/carrier-accounts.sql.ts'
import { callCarrier } from '../features/delivery/carriers.ts'
import { findRefusedAmounts, type RefusedAmounts } from '../features/doctor/amounts.ts'
import { countActiveKeys, countProductsInStock, readWebhookTimes } from '../features/doctor/going-live.sql.ts'
import { type AccountState, examinePaymentAccount } from '../features/payments/accounts.ts'
import { findStore, listStores } from '../features/stores/stores.ts'
import { mailFolderIn } from '../providers/mail/choose.ts'
import { cash } from '../providers/payment/cash.ts'
import type { PaymentProvider } from '../providers/payment/provider.ts'
import { mediaFolderIn } from '../providers/storage/folder.ts'
import { carrierCtx } from './carriers.ts'
import { type CheckResult, failure, fault, ok, warning } from './check-results.ts'
import { secretFileIn } from './database.ts'
import { paymentServices } from './payments.ts'

// The checks of `doctor --live`, in the order of docs/going-live.md.

export function* examineLiveSettings(config: Config): Generator<CheckResult> {
  yield config.production
    ? ok('production', 'NODE_ENV is production')
    : fault('production', 'NODE_ENV is not production; set NODE_ENV=production')
  yield examineSecret(config)
  yield config.publicUrl.startsWith('https://')
    ? ok('public url', config.publicUrl)
    : fault('public url', `${config.publicUrl} is not https; set VITRINE_PUBLIC_URL to the address of a proxy with TLS`)
  if (config.trustProxy === false) {
    yield warning('proxy', 'VITRINE_TRUST_PROXY is not set, so all visitors behind a proxy share one limit')
  }
  yield examineSms(config)
  yield examineMail(config)
  yield examineMedia(config)
  if (config.databaseUrl === null) {
    yield warning(
      'backups',
      `the database is in ${config.dataDir}; run "vitrine backup" regularly and copy the file to another machine`,
    )
  }
}

const examineSms = ({ sms }: Config): CheckResult => {
  switch (sms.sender) {
    case 'console':
      return fault('sms', 'one-time passwords are printed instead of sent; set VITRINE_SMS_SENDER')
    case 'none':
      return warning('sms', 'no sender, so shoppers cannot sign in by phone; set VITRINE_SMS_SENDER')
    default:
      return ok('sms', `one-time passwords are sent by ${sms.sender}`)
  }
}

/** Also part of a plain `doctor`. */
export const examineMail = ({ mail, production, dataDir }: Config): CheckResult => {
  if (mail.smtpUrl !== null) return ok('mail', `sent by ${new URL(mail.smtpUrl).host} from ${mail.from.address}`)
  return production
    ? warning('mail', 'no mail is sent; set VITRINE_SMTP_URL and VITRINE_MAIL_FROM')
    : ok('mail', `written to ${mailFolderIn(dataDir)}; VITRINE_SMTP_URL is not set`)
}

const examineMedia = ({ media, dataDir, databaseUrl }: Config): CheckResult => {
  if (media.bucket !== null) return ok('pictures', `stored in ${media.bucket.url}`)
  const folder = mediaFolderIn(dataDir)
  return databaseUrl === null
    ? ok('pictures', `stored in ${folder}`)
    : warning('pictures', `stored in ${folder} of this machine; several instances need VITRINE_MEDIA_BUCKET_URL`)
}

const examineSecret = (config: Config): CheckResult => {
  if (config.secrets !== null) return ok('secret', 'VITRINE_SECRET is set; keep a copy outside the database')
  const file = secretFileIn(config)
  if (!existsSync(file)) return fault('secret', 'VITRINE_SECRET is not set; set at least 32 random characters')
  return warning('secret', `generated in ${file}; back it up, because it encrypts the payment credentials`)
}

/** One store, or every open one. */
export async function* examineLiveStores(
  config: Config,
  db: Db,
  storeId: string | undefined,
): AsyncGenerator<CheckResult> {
  const open = (await listStores(db)).filter(({ closedAt }) => closedAt === null).map(({ publicId }) => publicId)
  const chosen = storeId === undefined ? open : [storeId]
  if (chosen.length === 0) yield fault('stores', 'no store is open; create one with "vitrine store create"')
  for (const publicId of chosen) {
    try {
      yield* examineStore(config, db, await findStore(db, publicId))
    } catch (error) {
      yield failure('stores', error)
    }
  }
}

async function* examineStore(config: Config, db: Db, store: Store): AsyncGenerator<CheckResult> {
  yield* examineSelling(db, store)
  yield* examineLimits(store)
  // Without a secret no credentials can be read, and asking for one would create it.
  if (config.secrets === null && !existsSync(secretFileIn(config))) return
  const { payments } = paymentServices(db, config)
  yield* examinePayments(config, db, store, payments)
  yield* examineCarriers(config, db, store)
}

const changeWith = ({ publicId }: Store, options: string) => `"vitrine store set --store ${publicId} ${options}"`

async function* examineSelling(db: Db, store: Store): AsyncGenerator<CheckResult> {
  const { id, publicId, origins } = store
  const keys = await countActiveKeys(db, id)
  yield keys > 0
    ? ok('keys', `${publicId}: ${keys} active`)
    : fault('keys', `${publicId} has no active key; make one with "vitrine key create --store ${publicId}"`)
  const plain = [...origins].filter((origin) => !origin.startsWith('https://'))
  for (const origin of plain) {
    const advice = `remove it with "vitrine origin remove ${origin} --store ${publicId}"`
    yield fault('origins', `${publicId} allows ${origin}, which is not https; ${advice}`)
  }
  if (origins.size === 0) {
    const advice = `add the storefront with "vitrine origin add https://… --store ${publicId}"`
    yield warning('origins', `${publicId} allows no page to call it from a browser; ${advice}`)
  } else if (plain.length === 0) {
    yield ok('origins', `${publicId}: ${[...origins].join(', ')}`)
  }
  const products = await countProductsInStock(db, id)
  yield products > 0
    ? ok('products', `${publicId}: ${products} in stock`)
    : warning('products', `${publicId} has nothing in stock; add products with "vitrine catalog import"`)
}

function* examineLimits(store: Store): Generator<CheckResult> {
  const { publicId, cashOnDelivery, codMaxValueMinor, otpHourlyCap, otpCountries, currency } = store
  yield otpHourlyCap === null && otpCountries.length === 0
    ? warning(
        'otp',
        `${publicId} sends one-time passwords to all countries, without a limit; change it with ${changeWith(store, '--otp-countries IN --otp-hourly-cap 500')}`,
      )
    : ok(
        'otp',
        `${publicId}: ${otpHourlyCap ?? 'any number'} per hour, to ${otpCountries.join(', ') || 'all countries'}`,
      )
  if (!cashOnDelivery) return
  yield codMaxValueMinor === null
    ? warning(
        'cash',
        `${publicId} takes cash orders of any total; limit them with ${changeWith(store, '--cod-max-value …')}`,
      )
    : ok('cash', `${publicId}: orders up to ${describeAmount(codMaxValueMinor, currency)}`)
}

async function* examinePayments(config: Config, db: Db, store: Store, payments: Payments): AsyncGenerator<CheckResult> {
  const { id, publicId, paymentProvider: name } = store
  const provider = payments.providers.get(name)
  if (provider === undefined || provider.isForTesting) {
    const advice = changeWith(store, '--payment-provider … --payment-credentials FILE')
    const reason = provider === undefined ? 'does not exist' : 'moves no money'
    yield fault(
      'payment',
      `${publicId} takes payments through ${name}, which ${reason}; choose a provider with ${advice}`,
    )
    return
  }
  if (name === cash.name) {
    yield warning('payment', `${publicId} takes cash on delivery only`)
    return
  }
  yield examineProviderUrl(config, name) ?? ok('provider url', `${name}: ${urlOf(config, name)}`)
  yield describeAccount(store, await examinePaymentAccount(db, payments, store, provider))
  const refused = await findRefusedAmounts(db, payments, id)
  for (const found of refused) {
    yield { ...describeRefused(found), state: found.kind === 'currency' ? 'fault' : 'warning' }
  }
  if (refused.length === 0)
    yield ok('amounts', `${publicId}: there is no price in ${store.currency} that ${name} is known to refuse`)
  if (provider.webhook !== null) yield describeWebhook(config, store, provider, await readWebhookTimes(db, id, name))
}

const urlOf = ({ urls }: Config, provider: string) =>
  Object.entries(urls).find(([name]) => name === provider)?.[1] ?? ''

/** Plain HTTP is only accepted for this machine, so it is a test double. Null if the address is right. */
const examineProviderUrl = (config: Config, name: string): CheckResult | null => {
  const url = urlOf(config, name)
  const advice = `unset VITRINE_${name.toUpperCase()}_URL`
  return url.startsWith('http://')
    ? fault('provider url', `${url} is a test double of ${name} on this machine; ${advice}`)
    : null
}

const describeAccount = (store: Store, account: AccountState): CheckResult => {
  const { publicId, paymentProvider: name } = store
  const advice = `set them with ${changeWith(store, '--payment-credentials FILE')}`
  switch (account.state) {
    case 'unreadable':
      return fault('payment', `the credentials of ${publicId} at ${name} need another VITRINE_SECRET; ${advice}`)
    case 'incomplete':
      return fault('payment', `${publicId} lacks credentials at ${name}: ${account.missing.join(', ')}; ${advice}`)
    case 'refused':
      return fault(
        'payment',
        `${name} refused the credentials of ${publicId}: ${account.reason} Correct them: ${advice}`,
      )
    case 'unreachable':
      return fault('payment', `${name} did not answer for ${publicId}: ${account.reason} Try again later`)
    case 'accepted':
      return account.isTestAccount
        ? fault(
            'payment',
            `${publicId} uses test mode, where test cards pay for real goods; for live credentials, ${advice}`,
          )
        : ok('payment', `${publicId}: ${account.answer}`)
  }
}

/** Also part of a plain `doctor`. */
export const describeRefused = (found: RefusedAmounts): CheckResult => {
  const { publicId, paymentProvider, currency, reason } = found
  switch (found.kind) {
    case 'currency':
      return warning('amounts', `${publicId} cannot charge ${currency}: ${reason} Choose another provider`)
    case 'shipping': {
      const cost = describeAmount(found.amountMinor, currency)
      return warning(
        'amounts',
        `${publicId} has a shipping cost that ${paymentProvider} cannot charge, ${cost}: ${reason}`,
      )
    }
    case 'prices': {
      const some = found.products.map(({ slug, priceMinor }) => `${slug} (${describeAmount(priceMinor, currency)})`)
      const more = found.count - some.length
      const named = some.join(', ') + (more > 0 ? ` and ${more} more` : '')
      return warning('amounts', `${publicId} has prices that ${paymentProvider} cannot charge: ${named}. ${reason}`)
    }
  }
}

type WebhookTimes = { receivedAt: Date | null; changedAt: Date | null }

const describeWebhook = (
  { publicUrl }: Config,
  { publicId }: Store,
  { name, webhook }: PaymentProvider,
  { receivedAt, changedAt }: WebhookTimes,
): CheckResult => {
  if (receivedAt !== null && (changedAt === null || receivedAt >= changedAt)) {
    return ok('webhook', `${publicId}: the last one arrived at ${receivedAt.toISOString()}`)
  }
  // Events of test mode say nothing about the webhook of live mode.
  const since = receivedAt === null ? '' : ' since its credentials changed'
  const address =
    webhook?.storeIn === 'path'
      ? `${publicUrl}/webhook/${name}/${publicId}`
      : `${publicUrl}/webhook/${name} with the header X-Store-Id: ${publicId}`
  return warning('webhook', `${publicId} has received none${since}; enter ${address} at ${name} and make a payment`)
}

async function* examineCarriers(config: Config, db: Db, store: Store): AsyncGenerator<CheckResult> {
  for (const name of await listCarrierNames(db, store.id)) {
    const wrongUrl = examineProviderUrl(config, name)
    if (wrongUrl !== null) yield wrongUrl
    try {
      const answer = await callCarrier(carrierCtx(db, config, store), name, (carrier, account, signal) =>
        carrier.check(account, signal),
      )
      yield ok('carrier', `${store.publicId}: ${answer}`)
    } catch (error) {
      const { detail } = failure('carrier', error)
      yield fault('carrier', `${store.publicId}: ${detail}`)
    }
  }
}
