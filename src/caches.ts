import type pg from 'pg'
import type { Logger } from 'pino'
import { channel, readAnnouncement } from './db/announce.ts'
import type { Db } from './db/database.ts'
import { listen } from './db/listen.ts'
import { maxReplicaAgeMs, type Replica } from './db/replica.ts'
import type { Directory } from './features/access/directory.ts'
import type { KeptCategoryNames } from './features/catalog/category-names.ts'
import { type StockFeed, startStockFeed } from './features/catalog/stock-feed.ts'
import { type AnswerCache, createAnswerCache } from './http/cached-answers.ts'

const catalogMaxAgeMs = 1_000
const catalogMaxBytes = 64 * 1024 * 1024

export type CachesOptions = {
  db: Db
  /** Not through a pooler, because the connection listens. */
  directConnection: pg.ClientConfig
  directory: Pick<Directory, 'invalidateStore' | 'invalidateAll'>
  categoryNames: Pick<KeptCategoryNames, 'drop' | 'dropAll'>
  replica: Replica | null
  logger: Logger
}

export type Caches = { answers: AnswerCache; listenerIsHealthy(): boolean; close(): Promise<void> }

/** Keeps what is cached as new as the database: changes are announced, and what is sold is read from the ledger of stock. */
export const openCaches = async ({
  db,
  directConnection,
  directory,
  categoryNames,
  replica,
  logger,
}: CachesOptions): Promise<Caches> => {
  const maxAgeMs = catalogMaxAgeMs - (replica === null ? 0 : maxReplicaAgeMs)
  const answers = createAnswerCache({ maxBytes: catalogMaxBytes, maxAgeMs })
  let stockFeed: StockFeed | null = null
  const clear = ({ isListening }: { isListening: boolean }) => {
    replica?.setListening(isListening)
    stockFeed?.reset()
    answers.invalidateAll()
    categoryNames.dropAll()
    directory.invalidateAll()
  }
  const listener = await listen({
    connection: directConnection,
    channel,
    onMessage: (payload) => {
      const announcement = readAnnouncement(payload)
      if (announcement === null) return
      replica?.noteChange(announcement.storeId)
      answers.invalidateStore(announcement.storeId)
      categoryNames.drop(announcement.storeId)
      if (announcement.kind === 'store') directory.invalidateStore(announcement.storeId)
    },
    onLost: (error) => {
      logger.warn({ err: error }, 'listening connection lost, caches cleared, reconnecting')
      clear({ isListening: false })
    },
    onReconnect: () => {
      logger.info('listening connection restored')
      clear({ isListening: true })
    },
  })
  // Answers from a replica may be older than the last look at the primary, so they are cached for a moment only.
  if (replica === null) {
    stockFeed = startStockFeed({
      ...{ db: db.forWork('keys'), answers, confirmListening: listener.confirm },
      onFailure: (error) => logger.warn({ err: error }, 'changes of stock not read, answers cached for a second only'),
    })
  }
  return {
    answers,
    listenerIsHealthy: listener.healthy,
    close: async () => {
      stockFeed?.stop()
      await listener.close()
    },
  }
}
