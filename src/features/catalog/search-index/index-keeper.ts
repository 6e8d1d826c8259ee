import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Db } from '../../../db/database.ts'
import type { DbConnection } from '../../../db/options.ts'
import { type IndexLog, listWanted } from './keep-indexes.ts'

/** How often it is asked whether an index is wanted, while none is kept. */
const everyMs = 500
/** After a failure it waits. */
const pauseMs = 60_000
/** How long the thread may take to finish what it writes. */
const stopMs = 2_000

export type KeeperSetup = { folder: string; connection: DbConnection }

export type KeeperMessage = { level: 'info' | 'warn'; fields: object; message: string }

type Options = KeeperSetup & { db: Db; log: IndexLog }

export type IndexKeeper = { close(): Promise<void> }

/** The bundle of the package has it too. A checkout runs the source. */
const program = () => new URL(`../../../indexer${extname(import.meta.url)}`, import.meta.url)

/** Keeps index files in a thread of its own, which runs only while searches ask for them. */
export const startIndexKeeper = ({ folder, connection, db, log }: Options): IndexKeeper => {
  let thread: Worker | undefined
  let ended: Promise<void> = Promise.resolve()
  let notBeforeMs = 0

  const start = () => {
    const setup: KeeperSetup = { folder, connection }
    const worker = new Worker(program(), { workerData: setup, resourceLimits: { maxOldGenerationSizeMb: 256 } })
    thread = worker
    worker.unref()
    worker.on('message', ({ level, fields, message }: KeeperMessage) => log(level, fields, message))
    worker.on('error', (error) => {
      notBeforeMs = performance.now() + pauseMs
      log('warn', { err: error }, 'search indexes not kept, the database is searched; trying again in a minute')
    })
    ended = new Promise((resolve) => {
      worker.once('exit', () => {
        thread = undefined
        resolve()
      })
    })
  }
  const check = async () => {
    if (thread !== undefined || performance.now() < notBeforeMs || listWanted(folder).length === 0) return
    // Its servers number their transactions each for itself.
    if (!(await db.isDistributed())) start()
  }
  let timer: NodeJS.Timeout | undefined
  const next = () => {
    timer = setTimeout(async () => {
      await check().catch((error) => {
        notBeforeMs = performance.now() + pauseMs
        log('warn', { err: error }, 'search indexes not kept, the database is searched; trying again in a minute')
      })
      if (timer !== undefined) next()
    }, everyMs)
    timer.unref()
  }
  next()
  return {
    close: async () => {
      clearTimeout(timer)
      timer = undefined
      const running = thread
      if (running === undefined) return
      running.ref()
      running.postMessage('stop')
      const limit = setTimeout(() => running.terminate(), stopMs)
      await ended
      clearTimeout(limit)
    },
  }
}
