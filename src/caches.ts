import type pg from 'pg'
import type { Logger } from 'pino'
import { channel, readAnnouncement } from './db/announce.ts'
import type { Db } from './db/database.ts'
import { listen } from './db/listen.ts'
import { maxReplicaAgeMs, type Replica } from './db/replica.ts'
import type { Directory } from './features/access/directory.ts'
import type { KeptCategoryFacets } from './features/catalog/category-facets.ts'
import type { KeptSearchWords } from './features/catalog/kept-words.ts'
import type { OpenIndexes } from './features/catalog/search-index/search-indexes.ts'
import { type FeedCaches, type StockFeed, startStockFeed } from './features/catalog/stock-feed.ts'
import { type AnswerCache, createAnswerCache } from './http/cached-answers.ts'
import { createProductCache, type ProductCache } from './http/cached-products.ts'

const catalogMaxAgeMs = 1_000
const catalogMaxBytes = 64 * 1024 * 1024
const productsMaxBytes = 16 * 1024 * 1024

export type CachesOptions = {
  db: Db
  /** Not through a pooler, because the connection listens. */
  directConnection: pg.ClientConfig
  directory: Pick<Directory, 'invalidateStore' | 'invalidateAll'>
  categoryFacets: Pick<KeptCategoryFacets, 'drop' | 'dropAll'>
  searchWords: Pick<KeptSearchWords, 'drop' | 'dropAll'>
  replica: Replica | null
  catalog: CatalogCaches
  searchIndexes: Pick<OpenIndexes, 'noteChange' | 'noteChanges'>
  logger: Logger
}

export type CatalogCaches = { answers: AnswerCache; products: ProductCache }

export const createCatalogCaches = (replica: Replica | null): CatalogCaches => {
  const maxAgeMs = catalogMaxAgeMs - (replica === null ? 0 : maxReplicaAgeMs)
  return {
    answers: createAnswerCache({ maxBytes: catalogMaxBytes, maxAgeMs }),
    products: createProductCache({ maxBytes: productsMaxBytes, maxAgeMs }),
  }
}

/** All learn of the same changes. */
const joinCaches = ({
  catalog: { answers, products },
  searchIndexes,
}: Pick<CachesOptions, 'catalog' | 'searchIndexes'>): FeedCaches => ({
  invalidateProducts: (store, changed) => {
    products.invalidateProducts(store, changed)
    answers.invalidateProducts(store, changed)
  },
  invalidateStore: (store) => {
    products.invalidateStore(store)
    answers.invalidateStore(store)
    searchIndexes.noteChange(store)
  },
  invalidateAll: () => {
    products.invalidateAll()
    answers.invalidateAll()
    searchIndexes.noteChanges()
  },
  confirm: (sinceMs, untilMs) => {
    products.confirm(sinceMs, untilMs)
    answers.confirm(sinceMs, untilMs)
  },
  asked: answers.asked,
})

export type Caches = { listenerIsHealthy(): boolean; close(): Promise<void> }

/** Keeps what is cached as new as the database: changes are announced, and what is sold is read from the ledger of stock. */
export const openCaches = async ({
  db,
  directConnection,
  directory,
  categoryFacets,
  searchWords,
  replica,
  catalog,
  searchIndexes,
  logger,
}: CachesOptions): Promise<Caches> => {
  const caches = joinCaches({ catalog, searchIndexes })
  let stockFeed: StockFeed | null = null
  const clear = ({ isListening }: { isListening: boolean }) => {
    replica?.setListening(isListening)
    stockFeed?.reset()
    caches.invalidateAll()
    categoryFacets.dropAll()
    searchWords.dropAll()
    directory.invalidateAll()
  }
  const listener = await listen({
    connection: directConnection,
    channel,
    onMessage: (payload) => {
      const announcement = readAnnouncement(payload)
      if (announcement === null) return
      replica?.noteChange(announcement.storeId)
      caches.invalidateStore(announcement.storeId)
      categoryFacets.drop(announcement.storeId)
      searchWords.drop(announcement.storeId)
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
      ...{ db: db.forWork('keys'), caches, confirmListening: listener.confirm },
      onFailure: (error) => logger.warn({ err: error }, 'changes of stock not read, answers cached for a second only'),
    })
  }
  return {
    listenerIsHealthy: listener.healthy,
    close: async () => {
      stockFeed?.stop()
      await listener.close()
    },
  }
}
