import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type Logger, pino } from 'pino'
import type { App } from '../app.ts'
import { type Config, loadConfig } from '../config.ts'
import { systemClock } from '../core/clock.ts'
import { OperatorError } from '../core/operator-error.ts'
import { errorCode, toError } from '../core/thrown.ts'
import { connectDb } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { findStoreByPublicId } from '../features/access/directory.ts'
import type { Services } from '../features/context.ts'
import { makeDemoSignIn } from '../features/demo-store/demo-owner.ts'
import { type DemoKeys, seedDemoIfEmpty } from '../features/demo-store/demo-store.ts'
import { createLogger } from '../logging.ts'
import { chooseSmsSender } from '../providers/sms/choose.ts'
import { showBanner } from './banner.ts'
import { loadSecrets, type OpenDatabase, openDatabase } from './database.ts'
import { print } from './output.ts'
import { separateFiles } from './separate-files.ts'
import { noteService } from './service-note.ts'
import { demoFile, readDemo } from './which-store.ts'

export const addStart = (program: Command) =>
  program
    .command('start')
    .description('Start the service and, without DATABASE_URL, the embedded PostgreSQL')
    .addHelpText('after', '\nExamples:\n  vitrine start\n  PORT=8080 DATABASE_URL=postgres://me@db/shop vitrine start')
    .action(start)

/** Starts everything in order. On SIGINT or SIGTERM, stops it in reverse order and exits with 0. */
const start = async () => {
  const startedAt = performance.now()
  const undo: (() => Promise<void>)[] = []
  const stop = onceStopped(undo)
  try {
    const config = loadConfig(process.env)
    // Loaded here, because loading the server takes longer than most other commands take to run.
    const [{ createApp }, { rememberCodes }, { startShop }] = await Promise.all([
      import('../app.ts'),
      import('../demo-shop/development.ts'),
      import('../demo-shop/start-shop.ts'),
    ])
    const logger = createLogger(config, pino.destination({ sync: false }))
    const secrets = loadSecrets(config)
    const firstStart = config.databaseUrl === null && !existsSync(join(config.dataDir, 'postgres'))
    if (firstStart) print(`Creating a database in ${config.dataDir} …`)
    const database = await openDatabase(config, {
      role: 'service',
      onUnexpectedExit: (message) => logger.error(message),
    })
    undo.push(database.close)
    stop.check()
    const applied = await migrate(database.directConnection)
    for (const name of firstStart ? [] : applied) print(`Applied migration ${name}`)
    const separated = await separateFiles(config, database)
    if (separated !== null) print(separated.sentence)
    stop.check()
    const demo = config.production ? null : await prepareDemo(config, database)
    // The demo shop shows only codes that the log shows too, never codes that were sent to a real phone.
    const codes = demo !== null && config.sms.sender === 'console' ? rememberCodes(chooseSmsSender(config)) : null
    const app = await createApp({
      ...database,
      config,
      secrets,
      logger,
      ...(codes === null ? {} : { sms: codes.sender }),
    })
    undo.push(app.close)
    stop.check()
    await listenOrExplain(app, config)
    undo.push(noteAddress(app, config, logger))
    const { services } = app
    const codeFor = codes && demo && ((phone: string) => codes.codeFor(demo.storeId, phone))
    const shop = demo && (await startShop({ config, services, keys: demo, codeFor, logger }))
    if (shop !== null && 'close' in shop) undo.push(shop.close)
    const adminUrl = demo && (await demoSignIn(services, demo))
    const startedMs = performance.now() - startedAt
    print(showBanner({ config, demo, shop, adminUrl, database: database.description, startedMs }))
    stop.ready()
  } catch (error) {
    // The first error is the cause; errors of stopping would hide it.
    await runAll(undo).catch(() => {})
    if (error instanceof StoppedEarly) process.exit(0)
    throw error
  }
}

class StoppedEarly extends Error {}

/** A signal during the start takes effect after the current step; a later one stops the service. */
const onceStopped = (undo: (() => Promise<void>)[]) => {
  let isRequested = false
  let running = false
  const end = async () => {
    print('Stopping: finishing open requests …')
    try {
      await runAll(undo)
      process.exit(0)
    } catch (error) {
      process.stderr.write(`${toError(error).stack}\n`)
      process.exit(1)
    }
  }
  const requestStop = () => {
    if (isRequested) return
    isRequested = true
    if (running) void end()
  }
  process.on('SIGINT', requestStop)
  process.on('SIGTERM', requestStop)
  return {
    check: () => {
      if (isRequested) throw new StoppedEarly()
    },
    ready: () => {
      running = true
      if (isRequested) void end()
    },
  }
}

/** Runs all steps, even after one failed: an embedded database that is not stopped would outlive this process. */
const runAll = async (undo: (() => Promise<void>)[]) => {
  const errors: unknown[] = []
  for (const step of undo.splice(0).reverse()) await step().catch((error) => errors.push(error))
  if (errors.length > 0) throw errors[0]
}

const listenOrExplain = async (app: App, { port, host }: Config) => {
  try {
    await app.server.listen({ port, host })
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EADDRINUSE') {
      throw new OperatorError(`Port ${port} is in use by another program. Choose another: PORT=${port + 10} npm start`)
    }
    if (code === 'EACCES') throw new OperatorError(`Only root may use port ${port}. Choose one above 1023.`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
      throw new OperatorError(`HOST=${host} is not an address of this machine.`)
    }
    throw error
  }
}

/** Without the note the service works; commands then need the same PORT to find it. */
const noteAddress = (app: App, config: Config, logger: Logger): (() => Promise<void>) => {
  try {
    const [address] = app.server.addresses()
    const removeNote = noteService(config, typeof address === 'object' ? address.port : config.port)
    return async () => removeNote()
  } catch (error) {
    logger.warn(
      { err: error },
      `cannot write service.json in ${config.dataDir}; commands need PORT to find this service`,
    )
    return async () => {}
  }
}

/** Null if the demo store was deleted. */
const demoSignIn = async (services: Services, { storeId }: DemoKeys) => {
  const store = await findStoreByPublicId(services.db, storeId)
  return store === undefined ? null : makeDemoSignIn(services, store)
}

/** The demo store of an embedded database. The first start creates it and stores its keys, which later starts show. */
const prepareDemo = async (config: Config, database: OpenDatabase): Promise<DemoKeys | null> => {
  if (config.databaseUrl !== null) return null
  const db = connectDb({ connection: database.connection, poolSize: 1, clock: systemClock })
  try {
    const made = await seedDemoIfEmpty(db)
    if (made !== null) writeFileSync(demoFile(config), JSON.stringify(made, null, 2), { mode: 0o600 })
    return made ?? readDemo(config)
  } finally {
    await db.close()
  }
}
