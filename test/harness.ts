import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Logger, pino } from 'pino'
import { type App, type AppOptions, createApp } from '../src/app.ts'
import { type Config, loadConfig } from '../src/config.ts'
import { movableClock } from '../src/core/clock.ts'
import { randomText } from '../src/core/ids.ts'
import type { Db } from '../src/db/database.ts'
import { findStoreByPublicId } from '../src/features/access/directory.ts'
import { windowMs } from '../src/features/access/rate-limit.ts'
import { readProduct } from '../src/features/catalog/product-input.ts'
import { saveProducts } from '../src/features/catalog/save.ts'
import type { PasswordHasher } from '../src/features/context.ts'
import { createKey, createOutlet, createStore, type KeyRequest, plainKey } from '../src/features/stores/stores.ts'
import { createLogger } from '../src/logging.ts'
import type { Carrier } from '../src/providers/carrier/carrier.ts'
import type { MailSender, OutgoingMail } from '../src/providers/mail/sender.ts'
import type { PaymentProvider } from '../src/providers/payment/provider.ts'
import type { SmsMessage, SmsSender } from '../src/providers/sms/sender.ts'
import { connectionTo, makeBeside } from './databases.ts'
import type { PaymentDouble } from './doubles/payment-double.ts'
import { placeDouble } from './doubles/placed.ts'
import { keyedProvider } from './keyed-provider.ts'

/**
 * Tests call a real service with a real database by HTTP. The tests of a file share a service, because each test makes
 * its own store; a test that moves the clock or needs other settings starts its own service.
 */
export const databaseUrl = process.env.TEST_DATABASE_URL ?? ''

export const internalSecret = 'an internal secret that only tests know'

export type TestService = {
  app: App
  config: Config
  logger: Logger
  db: Db
  url: string
  clock: ReturnType<typeof movableClock>
  /** The log so far, line by line. */
  logLines: string[]
  /** Every message passed to the sender, including refused ones. */
  messages: SmsMessage[]
  /** Every mail that the mail job has sent. */
  mails: OutgoingMail[]
  /** The code in the last message to a phone (E.164). */
  codeFor(phone: string): string
  /** In place of the sandbox, where the tests run with one. */
  double: PaymentDouble | undefined
  call(path: string, options?: CallOptions): Promise<Answer>
  close(): Promise<void>
}

export type CallOptions = { method?: string; headers?: Record<string, string>; body?: string }

export type Answer = {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of the answer, and fails when it is missing.
  json: any
}

/** `sender` receives each message after it was recorded. */
export type ServiceOptions = Partial<Config> & {
  secrets?: readonly string[]
  sender?: SmsSender
  passwords?: PasswordHasher
  signIn?: AppOptions['signIn']
  /** In place of one that only records. */
  mailSender?: MailSender | null
  paymentProviders?: readonly PaymentProvider[]
  carriers?: readonly Carrier[]
  jobs?: AppOptions['jobs']
}

export const startTestService = async ({
  secrets,
  sender,
  passwords,
  signIn,
  mailSender,
  paymentProviders,
  carriers,
  // Jobs of a test that moves its clock would delete rows of other tests in the same database.
  jobs = null,
  ...settings
}: ServiceOptions = {}): Promise<TestService> => {
  assert.ok(databaseUrl, 'run the tests with "npm test", which brings a database')
  const clock = movableClock()
  const placed = await placeDouble(clock.now)
  const logLines: string[] = []
  const messages: SmsMessage[] = []
  const mails: OutgoingMail[] = []
  const config: Config = {
    ...loadConfig({ NODE_ENV: 'test', VITRINE_PUBLIC_URL: 'http://vitrine.test' }),
    port: 0,
    databasePoolSize: 5,
    // Services of many tests would share its folder.
    searchIndexProducts: 0,
    internalSecrets: [internalSecret],
    redisUrl: process.env.REDIS_URL ?? null,
    // Tests that run at the same time must not use up each other's limits.
    redisPrefix: randomText(16),
    logLevel: 'debug',
    ...(placed && { databaseUrl: placed.databaseUrl }),
    ...settings,
  }
  const logger = createLogger(config, { write: (line) => void logLines.push(line) } as pino.DestinationStream)
  const app = await createApp({
    config,
    connection: connectionTo(config.databaseUrl ?? databaseUrl),
    directConnection: { connectionString: config.databaseUrl ?? databaseUrl },
    secrets: secrets ?? ['a secret for tests that is long enough to be one'],
    logger,
    clock,
    jobs,
    // Tests load the machine and send hundreds of requests at once, which must not be shed.
    maxLoopDelayMs: 60_000,
    sms: {
      name: 'test',
      send: async (message) => {
        messages.push(message)
        await sender?.send(message)
      },
    },
    mail: mailSender === undefined ? recordMail(mails) : mailSender,
    ...(passwords === undefined ? {} : { passwords }),
    ...(signIn === undefined ? {} : { signIn }),
    paymentProviders: [keyedProvider, ...(placed ? [placed.provider] : []), ...(paymentProviders ?? [])],
    ...(carriers === undefined ? {} : { carriers }),
  })
  if (config.databaseUrl === null) app.jobs.runDue = refuseJobs
  const url = await app.server.listen({ port: config.port, host: '127.0.0.1' })
  return {
    app,
    config,
    logger,
    db: withoutLooks(app.db),
    url,
    clock,
    logLines,
    messages,
    mails,
    codeFor: (phone) => {
      const message = messages.findLast((sent) => sent.phone === phone)
      assert.ok(message, `no code was sent to ${phone}`)
      return message.code
    },
    call: (path, options) => callUrl(`${url}${path}`, options),
    double: placed?.double,
    close: async () => {
      await app.close()
      await placed?.leave()
    },
  }
}

/** A service with a database of its own, for tests that compare rows: jobs of other tests must not change them. */
export const startServiceApart = async (options: ServiceOptions = {}): Promise<TestService> => {
  const database = await makeBeside(databaseUrl)
  const service = await startTestService({ ...options, databaseUrl: database.url })
  const close = async () => {
    await service.close()
    await database.drop()
  }
  return { ...service, close }
}

/** Jobs work on all stores, including those of other tests in the same database. `serviceAlone` has its own. */
const refuseJobs = async () => assert.fail('run jobs on a service with its own database: serviceAlone')

const recordMail = (mails: OutgoingMail[]): MailSender => ({
  name: 'smtp',
  send: async (mail) => {
    mails.push(mail)
    return { answer: '250 recorded' }
  },
  close: async () => {},
})

export const callUrl = async (
  url: string,
  { method = 'GET', headers = {}, body }: CallOptions = {},
): Promise<Answer> => {
  const response = await fetch(url, { method, headers, redirect: 'manual', ...(body === undefined ? {} : { body }) })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined }
}

/** A service for the length of one test. */
export const serviceFor = async (t: TestContext, options?: ServiceOptions) => {
  const service = await startTestService(options)
  t.after(() => service.close())
  return service
}

/** Moves to the beginning of a minute, or of another time by which limits count, so that a test does not cross its end. */
export const startWindow = ({ clock }: Pick<TestService, 'clock'>, lengthMs = windowMs) =>
  clock.advance(lengthMs - (clock.now() % lengthMs))

export type TestStore = Awaited<ReturnType<typeof newStore>>

export type StoreOptions = { currency?: string; origins?: string[]; rateLimit?: number }

/** A new store with its keys, and functions that fill it and call the service with its key. */
export const newStore = async (service: TestService, options: StoreOptions = {}) => {
  const { db } = service
  const mark = randomText(12)
  const made = await db.tx((tx) =>
    createStore(tx, {
      name: 'Test shop',
      domain: `shop.${mark}.example`,
      currency: options.currency ?? 'INR',
      locale: 'en-IN',
      timezone: 'Asia/Kolkata',
      origins: options.origins ?? [],
      outletName: 'Main',
      paymentProvider: 'sandbox',
    }),
  )
  const load = async () => {
    const store = await findStoreByPublicId(db, made.storeId)
    assert.ok(store)
    return store
  }
  const newKey = async (request: Partial<KeyRequest> = {}) => {
    const { id } = await load()
    return db.tx((tx) => createKey(tx, id, { ...plainKey, kind: 'server', ...request }))
  }
  const { key } = await newKey({ rateLimit: options.rateLimit ?? 1_000_000 })
  return {
    ...made,
    /** The store's domain, which no other store has. */
    domain: `https://shop.${mark}.example`,
    /** Addresses that are written for shop.example, aimed at the domain of this store. */
    aim: (texts: readonly string[]) =>
      texts.map((text) => text.replaceAll(/(?<!evil)(\.|。|%2e)example/gi, `$1${mark}.example`)),
    /** A server key that no test runs out of. */
    key,
    load,
    newKey,
    newOutlet: async (name: string) => {
      const store = await load()
      return (await db.tx((tx) => createOutlet(tx, store, name))).outletId
    },
    /** Saves products written as in an import file, oldest first. */
    add: async (...files: Record<string, unknown>[]) => {
      const store = await load()
      const products = files.map((file) => {
        const product = readProduct(file, store.currency)
        assert.ok(!Array.isArray(product), JSON.stringify(product))
        return product
      })
      await db.tx((tx) => saveProducts(tx, store, products))
    },
    /** Calls as this store. */
    get: (path: string, headers: Record<string, string> = {}) =>
      service.call(path, { headers: { 'x-store-key': key, ...headers } }),
  }
}

/** Waits for a change that reaches other instances by notification. On a busy machine it may take more than a second. */
export const withinASecond = async (holds: () => Promise<boolean>) => {
  for (let attempts = 0; attempts < 300; attempts++) {
    if (await holds()) return true
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return holds()
}

/** Tests count the statements of requests. Those by which caches learn of sales come at any time (decision 0055). */
const withoutLooks = (db: Db): Db => ({
  ...db,
  onStatement: (listener) =>
    db.onStatement((text) => {
      if (!text.includes('pg_current_snapshot')) listener(text)
    }),
})

/** Every error has this shape and nothing else. */
export const assertError = (answer: Answer, status: number, code: string) => {
  assert.equal(answer.status, status, answer.text)
  assert.deepEqual(Object.keys(answer.json ?? {}).sort(), ['code', 'error'], answer.text)
  assert.equal(answer.json.code, code)
  assert.ok(answer.json.error.length > 0)
}
