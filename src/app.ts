import { setTimeout as setDelay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createCatalogCaches, openCaches } from './caches.ts'
import type { Config } from './config.ts'
import { describeAdmin, describeVitrine } from './contract.ts'
import { type Clock, systemClock } from './core/clock.ts'
import { deriveCipher } from './core/encryption.ts'
import { later } from './core/later.ts'
import { deriveSigner } from './core/secrets.ts'
import { startTracing } from './core/tracing.ts'
import { connectDb, type Db } from './db/database.ts'
import type { DbConnection } from './db/options.ts'
import { openReplica } from './db/replica.ts'
import { createDirectory } from './features/access/directory.ts'
import { createKnownSessions } from './features/access/known-sessions.ts'
import { createLookupLimit, createSubjectLimit, type LookupPlaces } from './features/access/lookups.ts'
import { createLocalCounter, type RateCounter } from './features/access/rate-limit.ts'
import { listSignInWays } from './features/access/sign-in-ways.ts'
import { crossOrigin } from './features/access/storefront.contract.ts'
import { createStorefrontDoor } from './features/access/storefront-door.ts'
import { webhookDoor } from './features/access/webhooks.ts'
import { createPasswordHasher } from './features/accounts/passwords.ts'
import { keepCategoryFacets } from './features/catalog/category-facets.ts'
import { keepSearchWords } from './features/catalog/kept-words.ts'
import { indexFolderIn } from './features/catalog/search-index/files.ts'
import { startIndexKeeper } from './features/catalog/search-index/index-keeper.ts'
import { openSearchIndexes } from './features/catalog/search-index/search-indexes.ts'
import type { PasswordHasher, Services, SignInWay } from './features/context.ts'
import { createCarriers } from './features/delivery/carriers.ts'
import { registerDemoImages } from './features/demo-store/demo-store.routes.ts'
import { demoFilesOf } from './features/demo-store/demo-store.ts'
import { registerDownloadLinks } from './features/downloads/downloads.routes.ts'
import { createStoreFiles, filesFolderIn } from './features/downloads/files.ts'
import { createMetrics, type Metrics } from './features/health/metrics.ts'
import { createMonitoringDoor } from './features/health/monitoring-door.ts'
import { registerMediaFiles } from './features/media/media.routes.ts'
import { createImageQueue } from './features/media/media.ts'
import { createOrderWaits } from './features/orders/waiting.ts'
import { createOutgoingWebhooks } from './features/outgoing-webhooks/outgoing-webhooks.ts'
import { createShowEvent } from './features/outgoing-webhooks/show-event.ts'
import { createPayments } from './features/payments/providers.ts'
import { registerSandboxPage } from './features/payments/sandbox.routes.ts'
import { createAdminDoor } from './features/staff/admin-door.ts'
import { registerAdminPage } from './http/admin-page.ts'
import { createClientAddress } from './http/client-address.ts'
import { allowCrossOrigin } from './http/cors.ts'
import { registerDocsScripts, registerFrontDoor } from './http/docs.ts'
import { logServerError } from './http/errors.ts'
import { createFastLane } from './http/fast-lane.ts'
import { createFindRead, type FindRead } from './http/fast-reads.ts'
import { registerGuide } from './http/guide.ts'
import { createOperations, type Operations } from './http/operations.ts'
import { registerRoutes } from './http/register.ts'
import { logRequestsTo, observeRequests } from './http/request-log.ts'
import { createRequestSpans } from './http/request-spans.ts'
import { createServer } from './http/server.ts'
import { shedLoad } from './http/shed-load.ts'
import { refuseUnknownRoutes } from './http/unknown-routes.ts'
import { listJobKinds } from './job-kinds.ts'
import { createJobRunner, type JobRunner } from './jobs/runner.ts'
import type { Carrier } from './providers/carrier/carrier.ts'
import { chooseMailSender } from './providers/mail/choose.ts'
import type { MailSender } from './providers/mail/sender.ts'
import type { PaymentProvider } from './providers/payment/provider.ts'
import { chooseSmsSender } from './providers/sms/choose.ts'
import type { SmsSender } from './providers/sms/sender.ts'
import { chooseStorage } from './providers/storage/choose.ts'
import { traceMail, traceSms } from './providers/traced-senders.ts'
import { listRoutes } from './routes.ts'

export type AppOptions = {
  config: Config
  connection: DbConnection
  /** Without a pooler, because `listen` needs its own session. */
  directConnection: DbConnection
  secrets: readonly string[]
  logger: Logger
  clock?: Clock
  /** Replaces the sender of the settings. */
  sms?: SmsSender
  mail?: MailSender | null
  /** Replaces the ways that the settings allow. */
  signIn?: readonly SignInWay[]
  passwords?: PasswordHasher
  /** Adds to the built-in providers, or replaces those of the same name. */
  paymentProviders?: readonly PaymentProvider[]
  carriers?: readonly Carrier[]
  /** Event loop delay above which requests are refused with 503. */
  maxLoopDelayMs?: number
  /** `everyMs` replaces the poll interval of every job. With null, no job is started. */
  jobs?: { everyMs?: number } | null
  /** What a worker shares with the other workers of its instance. */
  shared?: {
    counter: RateCounter
    lookups: LookupPlaces
    /** Tells the process that runs the jobs. */
    runSoon(job: string, storeId: number | undefined): void
    /** The metrics of all workers, this one included. */
    gatherMetrics(): Promise<readonly object[][]>
  }
}

export type App = {
  server: FastifyInstance
  services: Services
  jobs: JobRunner
  /** Every endpoint, for callers that do not use HTTP (decision 0031). */
  operations: Operations
  metrics: Metrics
  /** The whole pool without limits, for tests. */
  db: Db
  /** Reports that it stops and still answers for `stopDelayMs`, completes what is in progress within ten seconds, and releases all resources. */
  close(): Promise<void>
}

const drainMs = 10_000

/** The composition root: the only place where implementations are chosen and wired together. */
export const createApp = async (options: AppOptions): Promise<App> => {
  const { config, logger, clock = systemClock, shared } = options
  const traced = startTracing(config.version)
  const db = connectDb({
    connection: options.connection,
    poolSize: config.databasePoolSize,
    clock,
    plansOnce: true,
    traced,
    onIdleError: (error) => logger.warn({ err: error }, 'idle database connection lost; the pool opens a new one'),
    // Only called after a commit, when the runner below exists.
    onSignal: (job, storeId) => (shared ?? jobs).runSoon(job, storeId),
  })
  const replica = openReplica({ ...config, clock, primary: db.forWork('health'), log: logger })
  const catalog = createCatalogCaches(replica)
  const counter = await createCounter(options)
  const chosenMail = options.mail === undefined ? chooseMailSender(config) : options.mail
  const mail = chosenMail && traceMail(chosenMail)
  let webhooksGivenUp = 0
  let mailsGivenUp = 0
  const limitLookups = createLookupLimit(clock.now, shared?.lookups)
  const categoryFacets = keepCategoryFacets()
  const searchWords = keepSearchWords()
  const indexFolder = indexFolderIn(config.dataDir)
  const searchIndexes = openSearchIndexes({
    ...{ folder: indexFolder, minProducts: config.searchIndexProducts },
    onFailure: (error) => logger.warn({ err: error }, 'search index not read, the database is searched'),
  })
  const services: Services = {
    // For work whose store is not known yet. Code that learns the store continues with `db.forStore`.
    db: db.forWork('public'),
    clock,
    counter,
    limitLookups,
    limitSubjects: createSubjectLimit(limitLookups, clock.now, shared?.counter),
    readsFor: replica?.readsFor ?? ((own) => own),
    cachedProducts: catalog.products,
    knownSessions: createKnownSessions(),
    categoryFacets,
    searchWords,
    searchIndexes,
    cursors: deriveSigner(options.secrets, 'cursor'),
    guestTokens: deriveSigner(options.secrets, 'guest'),
    otpHashes: deriveSigner(options.secrets, 'otp'),
    sms: traceSms(options.sms ?? chooseSmsSender(config, { clock })),
    mail,
    mailFrom: config.mail.from,
    onMailGivenUp: (ids) => {
      mailsGivenUp++
      logger.warn(ids, 'mail given up')
    },
    mailSeal: deriveCipher(options.secrets, 'mail'),
    staffSeal: deriveCipher(options.secrets, 'staff'),
    signIn: options.signIn ?? listSignInWays({ sms: config.sms.sender !== 'none', mail: mail !== null }),
    passwords: options.passwords ?? createPasswordHasher(),
    payments: createPayments({
      ...config,
      db: db.forWork('public'),
      clock,
      secrets: options.secrets,
      more: options.paymentProviders ?? [],
    }),
    carriers: createCarriers({ ...config, clock, secrets: options.secrets, more: options.carriers ?? [] }),
    webhooks: createOutgoingWebhooks({
      ...config,
      secrets: options.secrets,
      showEvent: createShowEvent(config.publicUrl),
      onGivenUp: (ids) => {
        webhooksGivenUp++
        logger.warn(ids, 'webhook delivery given up')
      },
      onSwitchedOff: (endpoint) => logger.warn(endpoint, 'webhook endpoint switched off'),
      onEnded: (ended) => {
        webhooksGivenUp += ended.endedDeliveries
        logger.warn(ended, 'webhook deliveries ended: their endpoint is off')
      },
    }),
    media: {
      storage: chooseStorage(config),
      storeLimitBytes: config.media.storeLimitBytes,
      runInTurn: createImageQueue(),
    },
    publicUrl: config.publicUrl,
    mediaUrl: config.media.publicUrl ?? config.publicUrl,
  }
  const directory = createDirectory({ db: db.forWork('keys'), counter, limitLookups })
  const { directConnection } = options
  const caches = await openCaches({
    ...{ db, directory, categoryFacets, searchWords, replica, catalog, searchIndexes, logger, directConnection },
  })
  // Of several workers, the one that does the background work keeps the indexes of all.
  const isKeeper = config.searchIndexProducts > 0 && (shared === undefined || options.jobs !== null)
  const indexKeeper = isKeeper
    ? startIndexKeeper({
        ...{ folder: indexFolder, connection: options.connection, db: db.forWork('jobs') },
        log: (level, fields, message) => logger[level](fields, message),
      })
    : null
  const { answers } = catalog
  const jobs: JobRunner = createJobRunner({
    kinds: listJobKinds(services, db),
    onFailure: (name, error, fields) => {
      const { step } = fields
      const message = step === undefined ? `${name} job failed` : `${name} job: ${step} failed`
      logger.warn({ err: error, job: name, ...fields }, message)
    },
    everyMs: options.jobs?.everyMs,
  })
  const metrics = createMetrics({
    ...{ db, answers, webhooksGivenUp: () => webhooksGivenUp, mailsGivenUp: () => mailsGivenUp },
    jobs: { stats: jobs.stats, now: clock.now },
    listenerIsHealthy: caches.listenerIsHealthy,
    providerCalls: () => [...services.payments.circuits.counts(), ...services.carriers.circuits.counts()],
    gather: shared?.gatherMetrics,
  })
  const observing = {
    seriesOf: metrics.seriesOf,
    logRequest: logRequestsTo(logger),
    logsAll: logger.isLevelEnabled('debug'),
  }
  const ownOrigins = ownOriginsOf(config)
  const clientAddressOf = createClientAddress(config.trustProxy, (peer) =>
    logger.warn(
      { peer },
      'X-Forwarded-For ignored: add this proxy to VITRINE_TRUST_PROXY, or all its visitors share one rate limit',
    ),
  )
  const storefrontDoor = createStorefrontDoor({
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

  const spans = createRequestSpans(config.incomingTrace)
  const startedAtMs = Date.now()
  let draining = false
  let findRead: FindRead = () => undefined
  const server = createServer({
    logger,
    trustProxy: config.trustProxy,
    around: spans?.run,
    fastLane: createFastLane({
      prefix: `${crossOrigin.prefix}/`,
      exposedHeaders: crossOrigin.responseHeaders,
      recognise: storefrontDoor.recognise,
      answers: spans?.noting(answers) ?? answers,
      findRead: (url) => findRead(url),
      logFailure: (failed) => logServerError(logger, { method: 'GET', ...failed }),
      isDraining: () => draining,
      ...observing,
    }),
  })
  observeRequests(server, observing)
  spans?.observe(server)
  // During shutdown, each answer is the last on its connection.
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (draining) reply.header('connection', 'close')
    done(null, payload)
  })
  // First, so that pages of other origins can read refusals too.
  allowCrossOrigin(
    server,
    crossOrigin,
    (origin, request) => ownOrigins.has(origin) || directory.isKnownOrigin(origin, clientAddressOf(request)),
  )
  const isOverloaded = shedLoad(server, options.maxLoopDelayMs)
  refuseUnknownRoutes(server, ({ headers, raw }, setHeader) =>
    storefrontDoor.countUnknownRoute({ headers, clientAddress: clientAddressOf(raw) }, setHeader),
  )
  const routes = listRoutes({
    ...{ services, waits, downloads, simulated, secureCookies: config.production },
    onStatusCheckFailed: (error, ids) => logger.warn({ err: error, ...ids }, 'payment status check failed'),
    onLinkFailed: (error) => logger.warn({ err: error }, 'a link for a forgotten password was not sent'),
    monitoring: {
      health: {
        db: db.forWork('health'),
        version: config.version,
        startedAtMs,
        listenerIsHealthy: caches.listenerIsHealthy,
        isDraining: () => draining,
      },
      metrics,
      describe: later(() => describeVitrine(config.version)),
      describeAdmin: later(() => describeAdmin(config.version)),
    },
  })
  const operations = createOperations(routes, [
    storefrontDoor.door,
    webhookDoor,
    createMonitoringDoor(config),
    createAdminDoor({ services, directory, ownOrigins, secureCookies: config.production }),
  ])
  registerRoutes(server, operations.all, { answers, clientAddressOf, maxUploads: config.maxUploads })
  if (spans === null) findRead = createFindRead(operations.all, answers, isOverloaded)
  registerFrontDoor(server)
  registerDocsScripts(server)
  registerAdminPage(server)
  registerGuide(server, { publicUrl: config.publicUrl, demoUrl: demoUrlOf(config) })
  registerDemoImages(server)
  registerDownloadLinks(server, downloads)
  registerMediaFiles(server, services.media.storage)
  if (!config.production) registerSandboxPage(server, services)

  if (options.jobs !== null) jobs.start()

  const close = async () => {
    draining = true
    waits.close()
    const stopped = jobs.stop()
    // Load balancers learn from /health that it stops. Until then they send requests, also on connections they hold open.
    if (server.server.listening) await setDelay(config.stopDelayMs)
    const drainTimer = setTimeout(() => server.server.closeAllConnections(), drainMs)
    // Fastify closes the connections that are idle now. Those that become idle later would stay open for long.
    const idleTimer = setInterval(() => server.server.closeIdleConnections(), 50)
    await server.close()
    clearTimeout(drainTimer)
    clearInterval(idleTimer)
    await Promise.all([caches.close(), counter.close(), indexKeeper?.close(), stopped])
    searchIndexes.close()
    await services.mail?.close()
    await Promise.all([db.close(), replica?.close()])
  }
  let closed: Promise<void> | undefined
  return {
    server,
    services,
    jobs,
    operations,
    metrics,
    db,
    close: () => {
      closed ??= close()
      return closed
    },
  }
}

const createCounter = async ({ config, logger, shared }: AppOptions): Promise<RateCounter> => {
  if (config.redisUrl === null) return shared?.counter ?? createLocalCounter()
  // Loaded only when needed, because most instances run without Redis.
  const { createRedisCounter } = await import('./features/access/redis-counter.ts')
  return createRedisCounter({
    url: config.redisUrl,
    prefix: config.redisPrefix,
    onError: (error) =>
      logger.warn({ err: error }, 'Redis unavailable: rate limits are counted per instance until it recovers'),
    onRecovery: () => logger.info('Redis available: rate limits are counted across all instances again'),
  })
}

/** Where `start` serves the demo shop. Null with port 0, because the port is not known before it listens. */
const demoUrlOf = ({ production, demoPort }: Config) =>
  production || demoPort === 0 ? null : `http://localhost:${demoPort}`

/** The origins of the pages that this service serves itself. */
const ownOriginsOf = (config: Config) => {
  const local = [`http://localhost:${config.port}`, `http://127.0.0.1:${config.port}`]
  return new Set([new URL(config.publicUrl).origin, ...(config.production ? [] : local)])
}
