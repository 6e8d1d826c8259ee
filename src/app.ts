import underPressure from '@fastify/under-pressure'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { describeVitrine } from './contract.ts'
import { type Clock, systemClock } from './core/clock.ts'
import { fail } from './core/errors.ts'
import { deriveSigner } from './core/secrets.ts'
import { shortenText } from './core/text.ts'
import { channel, readAnnouncement } from './db/announce.ts'
import { connectDb, type Db } from './db/database.ts'
import { listen } from './db/listen.ts'
import { accessJobs, guestJobs } from './features/access/access.jobs.ts'
import { createDirectory } from './features/access/directory.ts'
import { createGate } from './features/access/gate.ts'
import { createBoundLookup } from './features/access/lookups.ts'
import { createLocalCounter } from './features/access/rate-limit.ts'
import { crossOrigin } from './features/access/storefront.contract.ts'
import { webhookDoor } from './features/access/webhooks.ts'
import { accountJobs } from './features/accounts/accounts.jobs.ts'
import { mergeRoutes } from './features/accounts/merge.routes.ts'
import { createPasswordHasher } from './features/accounts/passwords.ts'
import { profileRoutes } from './features/accounts/profile.routes.ts'
import { signInRoutes } from './features/accounts/sign-in.routes.ts'
import { cartJobs } from './features/cart/cart.jobs.ts'
import { cartRoutes } from './features/cart/cart.routes.ts'
import { catalogRoutes, filterRoutes, storeRoutes } from './features/catalog/catalog.routes.ts'
import { checkoutRoutes } from './features/checkout/checkout.routes.ts'
import type { PasswordHasher, Services } from './features/context.ts'
import { deliveryJobs } from './features/delivery/delivery.jobs.ts'
import { deliveryRoutes } from './features/delivery/delivery.routes.ts'
import { registerDemoImages } from './features/demo-store/demo-store.routes.ts'
import { demoFilesOf } from './features/demo-store/demo-store.ts'
import { downloadRoutes, registerDownloadLinks } from './features/downloads/downloads.routes.ts'
import { createStoreFiles, filesFolderIn } from './features/downloads/files.ts'
import { healthRoutes } from './features/health/health.routes.ts'
import { createMetrics } from './features/health/metrics.ts'
import { createMonitoringDoor } from './features/health/monitoring-door.ts'
import { orderRoutes } from './features/orders/orders.routes.ts'
import { createOrderWaits } from './features/orders/waiting.ts'
import { cancelRoutes } from './features/payments/cancel.routes.ts'
import { paymentJobs } from './features/payments/payment.jobs.ts'
import { paymentRoutes, paymentWebhookRoutes } from './features/payments/payments.routes.ts'
import { createPayments } from './features/payments/providers.ts'
import { registerSandboxPage } from './features/payments/sandbox.routes.ts'
import { wishlistJobs } from './features/wishlist/wishlist.jobs.ts'
import { wishlistRoutes } from './features/wishlist/wishlist.routes.ts'
import { createAnswerCache } from './http/cached-answers.ts'
import { createClientAddress } from './http/client-address.ts'
import { allowCrossOrigin } from './http/cors.ts'
import { registerDocsScripts, registerFrontDoor } from './http/docs.ts'
import { createFastLane } from './http/fast-lane.ts'
import { registerGuide } from './http/guide.ts'
import { createOperations, type Operations } from './http/operations.ts'
import { registerRoutes } from './http/register.ts'
import { logRequestsTo, observeRequests, pathOf } from './http/request-notes.ts'
import { createServer, hasBadAddress } from './http/server.ts'
import type { JobKind } from './jobs/job-kind.ts'
import { createJobRunner, type JobRunner } from './jobs/runner.ts'
import type { PaymentProvider } from './providers/payment/provider.ts'
import { chooseSmsSender } from './providers/sms/choose.ts'
import type { SmsSender } from './providers/sms/sender.ts'

export type AppOptions = {
  config: Config
  /** How to reach the database: through a pooler or not, and without one for listening. */
  connection: pg.PoolConfig
  directConnection: pg.ClientConfig
  secrets: readonly string[]
  logger: Logger
  clock?: Clock
  /** In place of the sender that the settings name. */
  sms?: SmsSender
  passwords?: PasswordHasher
  /** Besides those that are built in, or in their place. */
  paymentProviders?: readonly PaymentProvider[]
  /** How far behind the process may be before it sends callers away. */
  longestLoopDelayMs?: number
  /** `everyMs`: how often jobs look for work, in place of their own intervals. Null: they do not run by themselves. */
  jobs?: { everyMs?: number } | null
}

export type App = {
  server: FastifyInstance
  services: Services
  jobs: JobRunner
  /** Every endpoint, for callers that do not come by HTTP (decision 0031). */
  operations: Operations
  /** The whole pool, without a share: for tests. */
  db: Db
  /** Stops taking requests, answers those under way (for ten seconds at most) and lets go of everything. */
  close(): Promise<void>
}

const catalogMaxAgeMs = 1_000
const catalogMaxBytes = 64 * 1024 * 1024
const drainMs = 10_000

/** The one place where concrete things are put together. */
export const createApp = async (options: AppOptions): Promise<App> => {
  const { config, logger, clock = systemClock } = options
  const db = connectDb({
    connection: options.connection,
    poolSize: config.databasePoolSize,
    clock,
    onIdleError: (error) => logger.warn({ err: error }, 'a database connection broke'),
  })
  const counter = await createCounter(config, logger)
  const services: Services = {
    // For work whose store is not known yet. Code that learns the store continues with `db.forStore`.
    db: db.forWork('public'),
    clock,
    counter,
    boundLookup: createBoundLookup(clock.now),
    cursors: deriveSigner(options.secrets, 'cursor'),
    guestTokens: deriveSigner(options.secrets, 'guest'),
    otpHashes: deriveSigner(options.secrets, 'otp'),
    sms: options.sms ?? chooseSmsSender(config, { clock }),
    passwords: options.passwords ?? createPasswordHasher(),
    payments: createPayments({
      ...config,
      db: db.forWork('public'),
      secrets: options.secrets,
      more: options.paymentProviders ?? [],
    }),
    publicUrl: config.publicUrl,
  }
  const directory = createDirectory({ db: db.forWork('keys'), counter, boundLookup: services.boundLookup })
  const answers = createAnswerCache({ maxBytes: catalogMaxBytes, maxAgeMs: catalogMaxAgeMs })
  const forgetAll = () => {
    answers.forgetAll()
    directory.forgetAll()
  }
  const listener = await listen({
    connection: options.directConnection,
    channel,
    onMessage: (payload) => {
      const news = readAnnouncement(payload)
      if (news === null) return
      answers.forgetStore(news.storeId)
      if (news.kind === 'store') directory.forgetStore(news.storeId)
    },
    onLost: (error) => {
      logger.warn({ err: error }, 'the listening connection was lost, so everything remembered is forgotten')
      forgetAll()
    },
    onBack: forgetAll,
  })
  const jobs = createJobRunner({
    kinds: listJobKinds(services, db),
    onFailure: (name, error, fields) => logger.warn({ err: error, job: name, ...fields }, `${name} job failed`),
    everyMs: options.jobs?.everyMs,
  })
  const metrics = createMetrics({ db, answers, jobs: { figures: jobs.figures, now: clock.now } })
  const observing = {
    seriesOf: metrics.seriesOf,
    logRequest: logRequestsTo(logger),
    logsAll: logger.isLevelEnabled('debug'),
  }
  const ownOrigins = ownOriginsOf(config)
  const clientAddressOf = createClientAddress(config.trustProxy, (peer) =>
    logger.warn(
      { peer },
      'X-Forwarded-For is ignored: name this proxy in VITRINE_TRUST_PROXY, or its visitors share one limit',
    ),
  )
  const gate = createGate({
    services,
    directory,
    internalSecrets: config.internalSecrets,
    ownOrigins,
    clientAddressOf,
  })

  const waits = createOrderWaits(db.forWork('waits'))
  const downloads = {
    db: services.db,
    clock,
    links: deriveSigner(options.secrets, 'download'),
    files: createStoreFiles(filesFolderIn(config.dataDir), demoFilesOf(config.production, db.forWork('public'))),
  }
  const simulated = config.production ? null : deriveSigner(options.secrets, 'simulate')

  const startedAtMs = Date.now()
  let draining = false
  const server = createServer({
    logger,
    trustProxy: config.trustProxy,
    fastLane: createFastLane({
      prefix: `${crossOrigin.prefix}/`,
      exposedHeaders: crossOrigin.responseHeaders,
      recognise: gate.recognise,
      answers,
      logFailure: (id, error) => logger.error({ req: id, err: error }, 'request failed'),
      isDraining: () => draining,
      ...observing,
    }),
  })
  observeRequests(server, observing)
  // What is answered while stopping is the last on its connection, and the caller must not send another after it.
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (draining) reply.header('connection', 'close')
    done(null, payload)
  })
  // Before any refusal, so that a page can read that one too.
  allowCrossOrigin(
    server,
    crossOrigin,
    (origin, request) => ownOrigins.has(origin) || directory.isKnownOrigin(origin, clientAddressOf(request)),
  )
  await shedLoad(server, options.longestLoopDelayMs)
  refuseUnknownRoutes(server, ({ headers, raw }, setHeader) =>
    gate.countUnknownRoute({ headers, clientAddress: clientAddressOf(raw) }, setHeader),
  )
  const operations = createOperations(
    [
      ...catalogRoutes,
      ...filterRoutes,
      ...storeRoutes,
      ...cartRoutes,
      ...mergeRoutes,
      ...signInRoutes,
      ...wishlistRoutes,
      ...profileRoutes,
      ...checkoutRoutes,
      ...orderRoutes(waits),
      ...cancelRoutes,
      ...paymentRoutes(services, (error) => logger.warn({ err: error }, 'a payment provider did not answer')),
      ...paymentWebhookRoutes(services),
      ...downloadRoutes(downloads),
      ...deliveryRoutes({ ...services, simulated }),
      ...healthRoutes({
        health: {
          db: db.forWork('health'),
          version: config.version,
          startedAtMs,
          listenerIsHealthy: listener.healthy,
          isDraining: () => draining,
        },
        metrics,
        description: describeVitrine(config.version),
      }),
    ],
    [gate.door, webhookDoor, createMonitoringDoor(config)],
  )
  registerRoutes(server, operations.all, { answers, clientAddressOf })
  registerFrontDoor(server)
  registerDocsScripts(server)
  registerGuide(server, { publicUrl: config.publicUrl, demoUrl: demoUrlOf(config) })
  registerDemoImages(server)
  registerDownloadLinks(server, downloads)
  if (!config.production) registerSandboxPage(server, services)

  if (options.jobs !== null) jobs.start()

  const close = async () => {
    draining = true
    waits.close()
    const stopped = jobs.stop()
    const impatience = setTimeout(() => server.server.closeAllConnections(), drainMs)
    // Fastify closes what is idle now; a connection that gets its last answer later would be kept alive for long.
    const tidying = setInterval(() => server.server.closeIdleConnections(), 50)
    await server.close()
    clearTimeout(impatience)
    clearInterval(tidying)
    await Promise.all([listener.close(), counter.close(), stopped])
    await db.close()
  }
  let closed: Promise<void> | undefined
  return {
    server,
    services,
    jobs,
    operations,
    db,
    close: () => {
      closed ??= close()
      return closed
    },
  }
}

/** Every kind of job. `runDue` runs them in this order, and guests can only go after their carts and wishlists. */
export const listJobKinds = (services: Services, db: Db): JobKind<unknown>[] => {
  const cleanup = db.forWork('cleanup')
  return [
    ...paymentJobs({ ...services, db: db.forWork('jobs') }, cleanup),
    ...deliveryJobs(cleanup),
    ...accountJobs(cleanup),
    ...accessJobs(cleanup),
    ...cartJobs(cleanup),
    ...wishlistJobs(cleanup),
    ...guestJobs(cleanup),
  ]
}

const createCounter = async (config: Config, logger: Logger) => {
  if (config.redisUrl === null) return createLocalCounter()
  // Most run without a Redis, and need not wait for its client to load.
  const { createRedisCounter } = await import('./features/access/redis-counter.ts')
  return createRedisCounter({
    url: config.redisUrl,
    onError: (error) =>
      logger.warn({ err: error }, 'Redis unavailable: rate limits are counted per instance until it recovers'),
    onRecovery: () => logger.info('Redis is back: requests are counted for all instances again'),
  })
}

/** Where `start` puts the demo shop. With port 0 nobody knows before it listens. */
const demoUrlOf = ({ production, demoPort }: Config) =>
  production || demoPort === 0 ? null : `http://localhost:${demoPort}`

/** The origins of the pages that this service serves itself. */
const ownOriginsOf = (config: Config) => {
  const local = [`http://localhost:${config.port}`, `http://127.0.0.1:${config.port}`]
  return new Set([new URL(config.publicUrl).origin, ...(config.production ? [] : local)])
}

type CountUnknown = (request: FastifyRequest, setHeader: (name: string, value: string) => unknown) => Promise<void>

/** Decided before a body is read, because nothing in it could make the route exist. */
const refuseUnknownRoutes = (server: FastifyInstance, count: CountUnknown) => {
  const refuse = async (request: FastifyRequest, reply: FastifyReply) => {
    if (request.originalUrl.startsWith('/v1')) {
      await count(request, (name, value) => reply.header(name, value))
    }
    throw hasBadAddress(request.raw)
      ? fail('BAD_REQUEST', 'The address is not valid.')
      : fail('NOT_FOUND', `There is no ${request.method} ${shortenText(pathOf(request.originalUrl), 200)}.`)
  }
  server.addHook('onRequest', (request, reply, done) => {
    if (request.is404) refuse(request, reply).catch(done)
    else done()
  })
}

/**
 * A process whose turns take half a second on average says so at once, instead of letting everyone wait. Requests that
 * block it for less than a second each would otherwise pile up unseen.
 */
const shedLoad = async (server: FastifyInstance, longestLoopDelayMs = 500) => {
  await server.register(underPressure, {
    maxEventLoopDelay: longestLoopDelayMs,
    exposeStatusRoute: false,
    pressureHandler: (_request, _reply, _type, delayMs) => {
      // under-pressure reports Infinity before its first sample.
      if (delayMs === Number.POSITIVE_INFINITY) return
      throw fail('SERVICE_UNAVAILABLE', undefined, { headers: { 'retry-after': '2' } })
    },
  })
}
