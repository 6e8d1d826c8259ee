import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type Logger, pino } from 'pino'
import { type Config, loadConfig } from '../config.ts'
import { systemClock } from '../core/clock.ts'
import { toError } from '../core/thrown.ts'
import { connectDb } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { findStoreByPublicId } from '../features/access/directory.ts'
import { makeDemoSignIn } from '../features/demo-store/demo-owner.ts'
import { seedDemoIfEmpty } from '../features/demo-store/demo-store.ts'
import { createLogger } from '../logging.ts'
import { releaseMemory } from '../service/release-memory.ts'
import { showBanner } from './banner.ts'
import { loadSecrets, type OpenDatabase, openDatabase } from './database.ts'
import { print } from './output.ts'
import { completeRestore } from './restore-steps.ts'
import { separateFiles } from './separate-files.ts'
import { noteService } from './service-note.ts'
import { demoFile, readDemo } from './which-store.ts'

export const addStart = (program: Command) =>
  program
    .command('start')
    .description('Start the service and, without DATABASE_URL, the embedded PostgreSQL')
    .option('--workers <n>', 'processes that answer requests; auto: one for each core (default: VITRINE_WORKERS or 1)')
    .addHelpText(
      'after',
      '\nExamples:\n  vitrine start\n  vitrine start --workers auto\n  PORT=8080 DATABASE_URL=postgres://me@db/shop vitrine start',
    )
    .action(start)

/** Starts everything in order. On SIGINT or SIGTERM, stops it in reverse order and exits with 0. */
const start = async ({ workers: asked }: { workers?: string }) => {
  const startedAt = performance.now()
  const undo: (() => Promise<void>)[] = []
  const stop = onceStopped(undo)
  try {
    const config = loadConfig(asked === undefined ? process.env : { ...process.env, VITRINE_WORKERS: asked })
    const logger = createLogger(config, pino.destination({ sync: false }))
    const secrets = loadSecrets(config)
    const firstStart = config.databaseUrl === null && !existsSync(join(config.dataDir, 'postgres'))
    if (firstStart) print(`Creating a database in ${config.dataDir} …`)
    // Loaded meanwhile, because loading the server takes longer than most other commands take to run.
    const loading = config.workers > 1 ? loadWorkers() : loadService()
    const database = await openDatabase(config, {
      role: 'service',
      onUnexpectedExit: (message) => logger.error(message),
    })
    undo.push(database.close)
    stop.check()
    await completeRestore(config, database)
    const applied = await migrate(database.directConnection, { onProgress: firstStart ? () => {} : print })
    for (const name of firstStart ? [] : applied) print(`Applied migration ${name}`)
    const separated = await separateFiles(config, database)
    if (separated !== null) print(separated.sentence)
    stop.check()
    const demo = config.production ? null : await prepareDemo(config, database)
    const { connection, directConnection } = database
    const open = await loading
    const opened = await open({ config, logger, secrets, connection, directConnection, demo: demo?.keys ?? null })
    undo.push(opened.close)
    stop.check()
    undo.push(noteAddress(opened.port, config, logger))
    releaseMemory()
    const startedMs = performance.now() - startedAt
    const { keys = null, adminUrl = null } = demo ?? {}
    print(showBanner({ config, demo: keys, adminUrl, shop: opened.shop, database: database.description, startedMs }))
    stop.ready()
  } catch (error) {
    // The first error is the cause; errors of stopping would hide it.
    await runAll(undo).catch(() => {})
    if (error instanceof StoppedEarly) process.exit(0)
    throw error
  }
}

const loadWorkers = async () => (await import('../service/supervisor.ts')).superviseWorkers
const loadService = async () => (await import('../service/open-service.ts')).openService

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

/** Without the note the service works; commands then need the same PORT to find it. */
const noteAddress = (port: number, config: Config, logger: Logger): (() => Promise<void>) => {
  try {
    const removeNote = noteService(config, port)
    return async () => removeNote()
  } catch (error) {
    logger.warn(
      { err: error },
      `cannot write service.json in ${config.dataDir}; commands need PORT to find this service`,
    )
    return async () => {}
  }
}

/** The demo store of an embedded database. The first start creates it and stores its keys, which later starts show. */
const prepareDemo = async (config: Config, database: OpenDatabase) => {
  if (config.databaseUrl !== null) return null
  const db = connectDb({ connection: database.connection, poolSize: 1, clock: systemClock })
  try {
    const made = await seedDemoIfEmpty(db)
    if (made !== null) writeFileSync(demoFile(config), JSON.stringify(made, null, 2), { mode: 0o600 })
    const keys = made ?? readDemo(config)
    // The store may have been deleted since.
    const store = keys && (await findStoreByPublicId(db, keys.storeId))
    return keys && { keys, adminUrl: store ? await makeDemoSignIn({ db, publicUrl: config.publicUrl }, store) : null }
  } finally {
    await db.close()
  }
}
