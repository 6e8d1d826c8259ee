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
    .description('Start the service; without DATABASE_URL also the embedded PostgreSQL')
    .addHelpText('after', '\nExamples:\n  vitrine start\n  PORT=8080 DATABASE_URL=postgres://me@db/shop vitrine start')
    .action(start)

/** Starts everything in order, undoes it in reverse on SIGINT or SIGTERM, and then exits 0. */
const start = async () => {
  const startedAt = performance.now()
  const undo: (() => Promise<void>)[] = []
  const stop = onceStopped(undo)
  try {
    const config = loadConfig(process.env)
    // Only this command needs the server, which takes longer to load than most commands take to run.
    const [{ createApp }, { rememberCodes }, { startShop }] = await Promise.all([
      import('../app.ts'),
      import('../demo-shop/development.ts'),
      import('../demo-shop/start-shop.ts'),
    ])
    const logger = createLogger(config, pino.destination({ sync: false }))
    const secrets = loadSecrets(config)
    const firstStart = config.databaseUrl === null && !existsSync(join(config.dataDir, 'postgres'))
    if (firstStart) print(`Making a database in ${config.dataDir} …`)
    const database = await openDatabase(config, {
      role: 'service',
      onTrouble: (message) => logger.error(message),
    })
    undo.push(database.close)
    stop.check()
    const applied = await migrate(database.directConnection)
    for (const name of firstStart ? [] : applied) print(`Applied migration ${name}`)
    const separated = await separateFiles(config, database)
    if (separated !== null) print(separated.sentence)
    stop.check()
    const demo = config.production ? null : await prepareDemo(config, database)
    // Codes that were really sent to a phone are nobody else's; those of the console are shown anyway.
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
    const startedMs = performance.now() - startedAt
    print(showBanner({ config, demo, shop, database: database.description, startedMs }))
    stop.ready()
  } catch (error) {
    // What went wrong first is what the operator must hear.
    await runAll(undo).catch(() => {})
    if (error instanceof StoppedEarly) process.exit(0)
    throw error
  }
}

class StoppedEarly extends Error {}

/** A signal during the start ends it after the step under way; one after it ends the service. */
const onceStopped = (undo: (() => Promise<void>)[]) => {
  let asked = false
  let running = false
  const end = async () => {
    print('Stopping: answering what is under way …')
    try {
      await runAll(undo)
      process.exit(0)
    } catch (error) {
      process.stderr.write(`${toError(error).stack}\n`)
      process.exit(1)
    }
  }
  const ask = () => {
    if (asked) return
    asked = true
    if (running) void end()
  }
  process.on('SIGINT', ask)
  process.on('SIGTERM', ask)
  return {
    check: () => {
      if (asked) throw new StoppedEarly()
    },
    ready: () => {
      running = true
      if (asked) void end()
    },
  }
}

/** All of them, also after one that failed: a database that is left open would outlive us. */
const runAll = async (undo: (() => Promise<void>)[]) => {
  const faults: unknown[] = []
  for (const step of undo.splice(0).reverse()) await step().catch((error) => faults.push(error))
  if (faults.length > 0) throw faults[0]
}

const listenOrExplain = async (app: App, { port, host }: Config) => {
  try {
    await app.server.listen({ port, host })
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EADDRINUSE') {
      throw new OperatorError(`Port ${port} is in use by another program. Choose another: PORT=${port + 10} npm start`)
    }
    if (code === 'EACCES') throw new OperatorError(`Port ${port} may only be used by root. Choose one above 1023.`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
      throw new OperatorError(`HOST=${host} is not an address of this machine.`)
    }
    throw error
  }
}

/** A service that cannot write the note serves as well; only commands have to be told its PORT. */
const noteAddress = (app: App, config: Config, logger: Logger): (() => Promise<void>) => {
  try {
    const [address] = app.server.addresses()
    const removeNote = noteService(config, typeof address === 'object' ? address.port : config.port)
    return async () => removeNote()
  } catch (error) {
    logger.info({ err: error }, `the address could not be noted in ${config.dataDir}`)
    return async () => {}
  }
}

/** The demo store of an embedded database: made at the first start, its keys kept so that later starts show them. */
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
