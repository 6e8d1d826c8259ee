import type { Command } from 'commander'
import type { Config } from '../config.ts'
import { toMinor, toWire } from '../core/money.ts'
import { OperatorError } from '../core/operator-error.ts'
import type { Db, Tx } from '../db/database.ts'
import { listSignInWays } from '../features/access/sign-in-ways.ts'
import { commandLine } from '../features/audit/record.ts'
import { showStore } from '../features/catalog/store.ts'
import type { Payments, Store } from '../features/context.ts'
import { listCarrierNames } from '../features/delivery/carrier-accounts.sql.ts'
import { checkPaymentAccount, checkProviderName } from '../features/payments/accounts.ts'
import { changePaymentAccountBy } from '../features/payments/manage-accounts.ts'
import { knownProviders } from '../features/payments/providers.ts'
import { changeStoreBy } from '../features/stores/settings.ts'
import type { StoreSettings } from '../features/stores/stores.sql.ts'
import { createStore, findStore, listStores } from '../features/stores/stores.ts'
import { hasMailSender } from '../providers/mail/choose.ts'
import { type CarrierAccountOptions, prepareCarrierAccount } from './carriers.ts'
import { withDatabase, withReadableDatabase } from './database.ts'
import {
  collect,
  fields,
  type OutputOptions,
  printResult,
  printWarning,
  readYesNo,
  table,
  wholeNumber,
} from './output.ts'
import { paymentServices, readPaymentCredentials } from './payments.ts'
import { addCloseAndOpen } from './store-close.ts'
import {
  addInvoiceOptions,
  describeInvoices,
  type InvoiceOptions,
  readInvoiceSettings,
  showInvoiceSettings,
} from './store-invoices.ts'
import { addMailOptions, describeMail, type MailOptions, readMailSettings, showMailSettings } from './store-mail.ts'
import { addSetup } from './store-setup.ts'
import { whichStore } from './which-store.ts'

export const addStore = (program: Command) => {
  const store = program.command('store').description('Create, show, change, close and open stores')

  store
    .command('create')
    .description('Create a store with an outlet, a server key and a browser key; secrets are shown only once')
    .requiredOption('--name <name>', 'name that shoppers see')
    .requiredOption('--domain <domain>', 'domain or origin of the storefront, such as shop.example')
    .requiredOption('--currency <code>', 'ISO 4217, such as INR')
    .option('--locale <locale>', 'such as en-IN', 'en')
    .option('--timezone <zone>', 'such as Asia/Kolkata', 'UTC')
    .option('--origin <origin>', 'origin that may call from a browser; repeatable', collect, [])
    .option('--outlet <name>', 'name of the first outlet', 'Main')
    .option('--payment-provider <name>', 'payment provider; required in production, default elsewhere: sandbox')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      "\nExample:\n  vitrine store create --name 'Blue Door' --domain bluedoor.example --currency EUR \\\n    --origin https://bluedoor.example --origin http://localhost:5173",
    )
    .action((options: CreateOptions) =>
      withDatabase(async (db, config) => {
        const paymentProvider = chooseProvider(options, db, config)
        const made = await db.tx((tx) =>
          createStore(tx, { ...options, paymentProvider, origins: options.origin, outletName: options.outlet }),
        )
        printResult(options, made, () =>
          fields({
            store: made.storeId,
            outlet: made.outletId,
            'server key': made.serverKey,
            'browser key': made.browserKey,
            'payment webhook': `${made.paymentWebhook.username} / ${made.paymentWebhook.password}`,
            'logistics key': made.logisticsKey,
            '': 'Save these now: only hashes are stored, and they are not shown again.',
          }).concat(config.production ? otpHint(made.storeId) : ''),
        )
      }),
    )

  store
    .command('list')
    .description('List the stores')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine store list')
    .action((options: OutputOptions) =>
      withReadableDatabase(async (db) => {
        const stores = (await listStores(db)).map(({ publicId, ...rest }) => ({ id: publicId, ...rest }))
        const rows = stores.map(({ id, name, domain, currency, closedAt }) => [
          ...[id, name, domain, currency, closedAt === null ? 'open' : 'closed'],
        ])
        printResult(options, stores, () =>
          rows.length === 0 ? 'There is no store yet.' : table(['store', 'name', 'domain', 'currency', 'state'], rows),
        )
      }),
    )

  store
    .command('show')
    .description('Show a store and its settings')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine store show --json')
    .action((options: OutputOptions & { store?: string }) =>
      withReadableDatabase(async (db, config) => {
        const found = await whichStore(db, config, options)
        await printStore(options, found, db, config)
      }),
    )

  addInvoiceOptions(addMailOptions(store.command('set')))
    .description('Change settings of a store; settings that are not given stay unchanged')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--name <name>', 'name that shoppers see')
    .option('--domain <domain>', 'domain or origin of the storefront')
    .option('--locale <locale>', 'such as en-IN')
    .option('--timezone <zone>', 'such as Asia/Kolkata')
    .option('--logo <url>', 'URL of an image')
    .option('--email <email>', 'contact email for shoppers')
    .option('--phone <phone>', 'contact phone number for shoppers')
    .option('--tax-included <yes|no>', 'whether prices include tax')
    .option('--shipping-flat <amount>', 'flat shipping cost')
    .option('--shipping-free-above <amount|never>', 'subtotal from which shipping is free')
    .option('--cash-on-delivery <yes|no>', 'whether customers can pay cash on delivery')
    .option('--cod-max-value <amount|none|default>', "maximum total of a cash order; default: the currency's own limit")
    .option('--cod-max-units <number|none>', 'maximum units in a cash order')
    .option('--cod-max-open-orders <number|none>', 'maximum undelivered cash orders per customer')
    .option('--cod-verified-phone <yes|no>', 'whether cash on delivery requires a verified phone number')
    .option('--max-held-units <number|none>', 'maximum units in all unpaid orders of one customer')
    .option('--payment-provider <name>', 'payment provider')
    .option(
      '--payment-credentials <file>',
      'JSON file with the credentials for the provider, stored encrypted; - reads standard input',
    )
    .option(
      '--payment-credential <name=value>',
      'a single credential, for testing only: other users can see the command line; repeatable',
      collect,
      [],
    )
    .option('--carrier <name>', 'carrier that the store books parcels with: shiprocket')
    .option(
      '--carrier-credentials <file>',
      'JSON file with the credentials for the carrier, stored encrypted; - reads standard input',
    )
    .option('--no-check', 'store the credentials without trying them')
    .option('--otp-hourly-cap <number|none>', 'maximum one-time passwords per hour')
    .option('--otp-countries <codes|all>', 'countries whose phones get one-time passwords, such as IN,US')
    .option('--visitor-limit <number>', 'maximum requests per minute of one visitor with browser keys')
    .option('--otp-client-limit <number>', 'maximum one-time passwords per hour that one client may request')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  vitrine store set --shipping-flat 79 --shipping-free-above 999\n  vitrine store set --payment-credentials credentials.json\n  vitrine store set --carrier shiprocket --carrier-credentials shiprocket.json',
    )
    .action((options: SetOptions) =>
      withDatabase(async (db, config) => {
        const before = await whichStore(db, config, options)
        const credentials = await readPaymentCredentials(options, config)
        await tryAccount(db, paymentsFor(options, db, config), before, options, credentials)
        const saveCarrier = await prepareCarrierAccount(options, db, config, before)
        await db.tx(async (tx) => {
          await changeStoreBy(tx, before, commandLine, readSettings(options, before.currency))
          await changeAccount(tx, paymentsFor(options, db, config), before, options, credentials)
          await saveCarrier?.(tx)
        })
        await printStore(options, await findStore(db, before.publicId), db, config)
      }),
    )

  addCloseAndOpen(store)
  addSetup(store)
}

/** Anyone can make a store send messages, and the operator pays for them. */
const otpHint = (storeId: string) =>
  `\n\nOne-time passwords go to all countries, without a limit. Limit their cost:\n  vitrine store set --store ${storeId} --otp-countries IN,US --otp-hourly-cap 500`

type CreateOptions = OutputOptions & {
  name: string
  domain: string
  currency: string
  locale: string
  timezone: string
  origin: string[]
  outlet: string
  paymentProvider?: string
}

type SetOptions = OutputOptions &
  CarrierAccountOptions &
  InvoiceOptions &
  MailOptions & { store?: string; paymentCredential: string[] } & Partial<
    Record<
      | 'name'
      | 'domain'
      | 'locale'
      | 'timezone'
      | 'logo'
      | 'email'
      | 'phone'
      | 'taxIncluded'
      | 'shippingFlat'
      | 'shippingFreeAbove'
      | 'cashOnDelivery'
      | 'codMaxValue'
      | 'codMaxUnits'
      | 'codMaxOpenOrders'
      | 'codVerifiedPhone'
      | 'maxHeldUnits'
      | 'paymentProvider'
      | 'paymentCredentials'
      | 'otpHourlyCap'
      | 'otpCountries'
      | 'otpClientLimit'
      | 'visitorLimit',
      string
    >
  >

const readSettings = (options: SetOptions, currency: string): StoreSettings => ({
  name: options.name ?? null,
  domain: options.domain ?? null,
  locale: options.locale ?? null,
  timezone: options.timezone ?? null,
  logo: options.logo ?? null,
  contact: {
    ...(options.email === undefined ? {} : { email: options.email }),
    ...(options.phone === undefined ? {} : { phone: options.phone }),
  },
  address: null,
  taxIncluded: yesNoOrNull('--tax-included', options.taxIncluded),
  shippingFlatMinor: readAmount('--shipping-flat', options.shippingFlat, currency),
  shippingFreeAboveMinor:
    options.shippingFreeAbove === 'never'
      ? 'off'
      : readAmount('--shipping-free-above', options.shippingFreeAbove, currency),
  cashOnDelivery: yesNoOrNull('--cash-on-delivery', options.cashOnDelivery),
  codMaxValueMinor: readCashLimit(options.codMaxValue, currency),
  codMaxUnits: readCap('--cod-max-units', options.codMaxUnits),
  codMaxOpenOrders: readCap('--cod-max-open-orders', options.codMaxOpenOrders),
  codVerifiedPhone: yesNoOrNull('--cod-verified-phone', options.codVerifiedPhone),
  maxHeldUnits: readCap('--max-held-units', options.maxHeldUnits),
  ...readInvoiceSettings(options, currency),
  paymentProvider: options.paymentProvider ?? null,
  otpHourlyCap: readCap('--otp-hourly-cap', options.otpHourlyCap),
  otpCountries: readCountries(options.otpCountries),
  otpClientLimit: readCount('--otp-client-limit', options.otpClientLimit),
  visitorLimit: readCount('--visitor-limit', options.visitorLimit),
  ...readMailSettings(options),
})

/** In production a store needs a real payment provider. */
const chooseProvider = (options: CreateOptions, db: Db, config: Config): string => {
  const { paymentProvider = config.production ? undefined : 'sandbox' } = options
  if (paymentProvider === 'sandbox' && !config.production) return paymentProvider
  const { payments } = paymentServices(db, config)
  if (paymentProvider === undefined) {
    const real = [...payments.providers.values()].filter(({ isForTesting }) => !isForTesting).map(({ name }) => name)
    throw new OperatorError(`Choose a payment provider with --payment-provider: ${real.join(', ')}.`)
  }
  checkProviderName(payments, paymentProvider)
  return paymentProvider
}

/** Null unless payment settings change, because this loads the secrets and may create them. */
const paymentsFor = (options: SetOptions, db: Db, config: Config): Payments | null =>
  options.paymentProvider === undefined &&
  options.paymentCredentials === undefined &&
  options.paymentCredential.length === 0
    ? null
    : paymentServices(db, config).payments

/** A harmless call, and what the provider answered. Only if credentials or the provider change. */
const tryAccount = async (
  db: Db,
  payments: Payments | null,
  store: Store,
  options: SetOptions,
  credentials: Record<string, string>,
) => {
  if (payments === null || !options.check) return
  const provider = options.paymentProvider ?? store.paymentProvider
  const answer = await checkPaymentAccount(db, payments, store, { provider, credentials })
  // On the error output, so that the JSON on the standard output stays alone.
  if (answer !== null) printWarning(answer)
}

const changeAccount = async (
  tx: Tx,
  payments: Payments | null,
  store: Store,
  options: SetOptions,
  credentials: Record<string, string>,
) => {
  if (payments === null) return
  await changePaymentAccountBy(tx, payments, store, commandLine, {
    provider: options.paymentProvider ?? store.paymentProvider,
    ...{ credentials, isChecked: options.check === true },
  })
}

const yesNoOrNull = (name: string, text: string | undefined) => (text === undefined ? null : readYesNo(name, text))

const readAmount = (name: string, text: string | undefined, currency: string) => {
  if (text === undefined) return null
  const minor = text.trim() === '' ? null : toMinor(Number(text), currency)
  if (minor === null) throw new OperatorError(`${name} must be an amount in ${currency}, not "${text}".`)
  return minor
}

const readCap = (name: string, text: string | undefined) => (text === 'none' ? 'off' : readCount(name, text))

const readCount = (name: string, text: string | undefined) =>
  text === undefined ? null : wholeNumber(name, text, { min: 1, max: 1_000_000_000 })

const readCashLimit = (text: string | undefined, currency: string): number | 'off' | 'default' | null => {
  if (text === 'none') return 'off'
  if (text === 'default') return 'default'
  const minor = readAmount('--cod-max-value', text, currency)
  if (minor === 0)
    throw new OperatorError('--cod-max-value must be more than 0. To refuse cash, use --cash-on-delivery no.')
  return minor
}

const readCountries = (text: string | undefined) => {
  if (text === undefined) return null
  return text === 'all' ? [] : [...new Set(text.split(',').map((country) => country.trim().toUpperCase()))]
}

const printStore = async (options: OutputOptions, store: Store, db: Db, config: Config) => {
  const { publicUrl, production } = config
  const payments = { providers: knownProviders(db), production }
  const otp = { hourlyCap: store.otpHourlyCap, countries: store.otpCountries, clientLimit: store.otpClientLimit }
  const { paymentProvider, visitorLimit } = store
  const limits = showLimits(store)
  const shown = {
    ...showStore({
      store,
      publicUrl,
      payments,
      signIn: listSignInWays({ sms: config.sms.sender !== 'none', mail: hasMailSender(config) }),
    }),
    origins: [...store.origins],
    ...{ paymentProvider, otp, visitorLimit, ...limits, ...showMailSettings(store), ...showInvoiceSettings(store) },
    carriers: await listCarrierNames(db, store.id),
    closed: store.isClosed,
  }
  printResult(options, shown, () =>
    fields({
      store: shown.id,
      state: shown.closed ? 'closed' : 'open',
      name: shown.name,
      domain: shown.domain,
      currency: shown.currency,
      locale: shown.locale,
      timezone: shown.timezone,
      contact: [shown.contact.email, shown.contact.phone].filter(Boolean).join(', ') || 'none',
      logo: shown.logo || 'none',
      'brand colour': shown.brandColor || 'default',
      outlets: shown.outlets.map(({ id, name }) => `${id} (${name})`).join(', '),
      origins: shown.origins.join(', '),
      shipping: `${shown.shipping.flat}, ${shown.shipping.freeAbove === null ? 'never free' : `free from ${shown.shipping.freeAbove}`}`,
      'tax included': shown.taxIncluded ? 'yes' : 'no',
      payment: showPayment(shown.paymentMethods, paymentProvider),
      carriers: shown.carriers.join(', ') || 'none',
      'cash orders': [
        `total up to ${limits.cashOnDelivery.maxValue === null ? 'any amount' : `${limits.cashOnDelivery.maxValue} ${shown.currency}`}`,
        `${limits.cashOnDelivery.maxUnits ?? 'any number of'} units`,
        `${limits.cashOnDelivery.maxOpenOrders ?? 'any number'} open per customer`,
        ...(limits.cashOnDelivery.verifiedPhone ? ['only with a verified phone number'] : []),
      ].join(', '),
      'held units': `${limits.maxHeldUnits ?? 'any number'} in unpaid orders per customer`,
      'one-time passwords': `${otp.hourlyCap ?? 'any number'} per hour, to ${otp.countries.join(', ') || 'all countries'}; ${otp.clientLimit} per hour and client`,
      visitors: `${visitorLimit} requests per minute each`,
      mail: describeMail(store),
      ...describeInvoices(store),
      'low stock': `${shown.lowStock} units or fewer`,
    }),
  )
}

/** Null means no limit. */
const showLimits = (store: Store) => ({
  cashOnDelivery: {
    maxValue: store.codMaxValueMinor === null ? null : toWire(store.codMaxValueMinor, store.currency),
    maxUnits: store.codMaxUnits,
    maxOpenOrders: store.codMaxOpenOrders,
    verifiedPhone: store.codVerifiedPhone,
  },
  maxHeldUnits: store.maxHeldUnits,
})

const showPayment = (methods: readonly string[], provider: string) => {
  if (methods.length === 0) return `none: ${provider} does not work here, and cash on delivery is off`
  return methods.map((method) => (method === 'online' ? `online through ${provider}` : 'cash on delivery')).join(', ')
}
