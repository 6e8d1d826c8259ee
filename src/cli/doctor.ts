import type { Command } from 'commander'
import { type Config, loadConfig } from '../config.ts'
import { systemClock } from '../core/clock.ts'
import { OperatorError } from '../core/operator-error.ts'
import { errorMessage } from '../core/thrown.ts'
import { connectDb, type Db } from '../db/database.ts'
import { inspectEmbedded } from '../db/embedded.ts'
import { connectOrExplain, examineSchema } from '../db/migrate.ts'
import { defaultLimit } from '../features/access/rate-limit.ts'
import { demoFilesOf } from '../features/demo-store/demo-store.ts'
import { findRefusedAmounts } from '../features/doctor/amounts.ts'
import { examineData, examineInvariants, findUnpayableStores } from '../features/doctor/doctor.ts'
import { filesFolderIn, folderOfStore } from '../features/downloads/files.ts'
import { examineFiles } from '../features/downloads/shared-files.ts'
import { knownProviders } from '../features/payments/providers.ts'
import { browserKeyLimit } from '../features/stores/stores.ts'
import { type CheckResult, failure, fault, ok, showResult, warning } from './check-results.ts'
import { type OpenDatabase, openDatabase } from './database.ts'
import { describeRefused, examineLiveSettings, examineLiveStores, examineMail } from './doctor-live.ts'
import { type OutputOptions, print, printResult } from './output.ts'

type DoctorOptions = OutputOptions & { live?: boolean; store?: string }

export const addDoctor = (program: Command) =>
  program
    .command('doctor')
    .description('Check the settings, the database and the data, and report problems')
    .option('--live', 'check also that the stores are ready for real payments; calls payment providers and carriers')
    .option('--store <id>', 'with --live: check this store only; default: every open store')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExits with 1 when a check fails.\n\nExamples:\n  vitrine doctor\n  vitrine doctor --live')
    .action(async (options: DoctorOptions) => {
      if (options.store !== undefined && !options.live) throw new OperatorError('--store needs --live.')
      const findings: CheckResult[] = []
      for await (const finding of examine(options)) {
        findings.push(finding)
        if (!options.json) print(showResult(finding))
      }
      const healthy = findings.every(({ state }) => state !== 'fault')
      printResult(options, { healthy, findings }, () => (healthy ? 'All is well.' : 'There are problems.'))
      if (!healthy) process.exitCode = 1
    })

async function* examine(options: DoctorOptions): AsyncGenerator<CheckResult> {
  yield ok('node', `${process.version} on ${process.platform} ${process.arch}`)
  let config: Config
  try {
    config = loadConfig(process.env)
    yield ok(
      'settings',
      config.production
        ? 'production'
        : `not production: one-time passwords are sent by ${config.sms.sender}, the demo store is allowed`,
    )
  } catch (error) {
    yield failure('settings', error)
    return
  }
  if (config.production && config.redisUrl === null) {
    yield warning('rate limit', 'REDIS_URL is not set, so each instance applies the limit separately')
  }
  if (config.redisUrl !== null) yield await examineRedis(config.redisUrl)
  if (options.live) yield* examineLiveSettings(config)
  else yield examineMail(config)
  yield* examineDatabase(config, options)
}

async function* examineDatabase(config: Config, options: DoctorOptions): AsyncGenerator<CheckResult> {
  if (config.databaseUrl === null) {
    const embedded = await inspectEmbedded(config.dataDir)
    yield ok('embedded', `package ${embedded.packageVersion}, folder ${embedded.clusterDir}, log ${embedded.logFile}`)
    if (embedded.clusterMajor === undefined) {
      yield ok('database', 'none yet; "vitrine start" creates it')
      return
    }
  }
  let database: OpenDatabase
  try {
    database = await openDatabase(config, { role: 'command' })
  } catch (error) {
    yield failure('database', error)
    return
  }
  try {
    yield* examineContents(config, database, options)
  } catch (error) {
    yield failure('database', error)
  } finally {
    await database.close()
  }
}

async function* examineContents(
  config: Config,
  database: OpenDatabase,
  options: DoctorOptions,
): AsyncGenerator<CheckResult> {
  const client = await connectOrExplain(database.directConnection)
  const { pending, newer, oldestVersion } = await examineSchema(client).finally(() => client.end())
  if (pending.length > 0) {
    yield fault('migrations', describePending(pending, oldestVersion))
    return
  }
  yield ok(
    'migrations',
    newer.length === 0 ? 'up to date' : `a newer version works beside this one: ${newer.join(', ')}`,
  )
  const db = connectDb({
    connection: database.directConnection,
    poolSize: 1,
    clock: systemClock,
    statementTimeoutMs: 600_000,
  })
  try {
    const { facts, staleListings, openForCodes, slowKeys, duplicateDomains } = await examineData(db)
    yield ok('database', `PostgreSQL ${facts.version}, ${facts.stores} stores, ${facts.products} products`)
    yield facts.encoding === 'UTF8' ? ok('text', 'UTF8') : fault('text', `encoding ${facts.encoding}; must be UTF8`)
    yield staleListings === 0
      ? ok('listings', 'match the products')
      : fault('listings', `${staleListings} rows differ from the products`)
    // The checks of a store name these too.
    if (config.production && !options.live && openForCodes.length > 0)
      yield warning('otp', describeOpenForCodes(openForCodes))
    if (config.production && slowKeys.length > 0) yield warning('keys', describeSlowKeys(slowKeys))
    for (const { publicId, domain, owner } of duplicateDomains) {
      const advice = `change it with "vitrine store set --store ${publicId} --domain …"`
      yield warning('stores', `${publicId} has the same domain as ${owner}, ${domain}; ${advice}`)
    }
    const payments = { providers: knownProviders(db), production: config.production }
    for (const { publicId, name, paymentProvider } of await findUnpayableStores(db, payments)) {
      const reason = `payments through ${paymentProvider} do not work here, and cash on delivery is off`
      yield warning('stores', `customers cannot check out in ${publicId} (${name}): ${reason}`)
    }
    if (!options.live) for (const found of await findRefusedAmounts(db, payments)) yield describeRefused(found)
    const { orders, findings } = await examineInvariants(db)
    if (findings.length === 0) yield ok('invariants', `hold for ${orders} orders`)
    for (const { sentence } of findings) yield fault('invariants', sentence)
    yield* examineDownloads(config, db)
    if (options.live) yield* examineLiveStores(config, db, options.store)
  } finally {
    await db.close()
  }
}

const describePending = (pending: readonly string[], oldestVersion: string | null) =>
  `not applied yet: ${pending.join(', ')}; stop instances older than ${oldestVersion}, then run "vitrine migrate"`

type Counted = { id: string; count: number }

const describeOpenForCodes = (stores: readonly Counted[]) =>
  `${nameSome(stores)}: one-time passwords go to all countries, without a limit; set --otp-countries or --otp-hourly-cap with "vitrine store set"`

const describeSlowKeys = (keys: readonly Counted[]) =>
  `${nameSome(keys)}: ${defaultLimit} requests per minute for all shoppers together; raise it with "vitrine key set ID --rate-limit ${browserKeyLimit}"`

/** The first few by name, and how many more there are. */
const nameSome = (found: readonly Counted[]) => {
  const more = (found[0]?.count ?? 0) - found.length
  return found.map(({ id }) => id).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

const maxFilesShown = 20

async function* examineDownloads(config: Config, db: Db): AsyncGenerator<CheckResult> {
  const folder = filesFolderIn(config.dataDir)
  const { named, missing, folderExists, isShared } = await examineFiles(db, folder, demoFilesOf(config.production, db))
  if (isShared) {
    yield fault('files', `the files in ${folder} are not separated by store yet; run "vitrine migrate"`)
    return
  }
  if (missing.length === 0) {
    yield ok('files', named === 0 ? 'no product has a file' : `all ${named} files of products exist`)
    return
  }
  // On another machine than the service, a command reaches the same database but may not have the folder.
  if (!folderExists) {
    yield warning('files', `products have ${named} files, but this machine has no folder ${folder}`)
    return
  }
  for (const { storeId, name } of missing.slice(0, maxFilesShown)) {
    yield fault('files', `"${name}" is on sale but missing from ${folderOfStore(folder, storeId)}`)
  }
  if (missing.length > maxFilesShown) yield fault('files', `${missing.length - maxFilesShown} more are missing`)
}

const examineRedis = async (url: string): Promise<CheckResult> => {
  const { createClient } = await import('@redis/client')
  const client = createClient({ url, socket: { connectTimeout: 2_000, reconnectStrategy: false } })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.ping()
    return ok('redis', 'reachable')
  } catch (error) {
    return fault('redis', `REDIS_URL cannot be reached: ${errorMessage(error)}`)
  } finally {
    client.destroy()
  }
}
