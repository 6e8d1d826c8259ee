import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from './core/clock.ts'
import { connectDb } from './db/database.ts'
import type { KeeperMessage, KeeperSetup } from './features/catalog/search-index/index-keeper.ts'
import { keepIndexes } from './features/catalog/search-index/keep-indexes.ts'

// The thread that keeps the index files of an instance, with a connection of its own (decision 0059).
const { folder, connection }: KeeperSetup = workerData
const stop = new AbortController()
const onStop = () => stop.abort()
parentPort?.on('message', onStop)
const db = connectDb({ connection, poolSize: 1, clock: systemClock })
try {
  await keepIndexes({
    ...{ folder, db: db.forWork('jobs'), signal: stop.signal },
    log: (level, fields, message) => parentPort?.postMessage({ level, fields, message } satisfies KeeperMessage),
  })
} finally {
  parentPort?.off('message', onStop)
  await db.close()
}
