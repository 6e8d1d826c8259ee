import type { Db } from '../../db/database.ts'
import type { AnswerCache } from '../../http/cached-answers.ts'
import { maxChanges, readStockChanges, readStockSnapshot, type SoldProduct } from './stock-feed.sql.ts'

/** A sale is seen after this time and a read, and within the second of `catalogMaxAgeMs` in any case. */
const everyMs = 350
/** After a longer pause it begins anew, instead of reading everything that was sold meanwhile. */
const maxPauseMs = 5_000

type FeedOptions = {
  db: Db
  answers: Pick<AnswerCache, 'invalidateProducts' | 'invalidateStore' | 'invalidateAll' | 'confirm' | 'asked'>
  /** Resolves when all announcements so far have arrived. */
  confirmListening(): Promise<void>
  onFailure(error: unknown): void
}

export type StockFeed = {
  /** Nothing is known about earlier answers, for example because the connection to the database was lost. */
  reset(): void
  stop(): void
}

/**
 * Tells the cache which products were sold. Sales announce nothing, because `notify` takes a lock at commit that all
 * transactions share (decision 0012). Instead the entries that they have made in the ledger are read several times a
 * second, while answers are asked for. As long as that works, and announcements arrive, cached answers whose products
 * did not change are as good as new (decision 0055).
 */
export const startStockFeed = ({ db, answers, confirmListening, onFailure }: FeedOptions): StockFeed => {
  let snapshot: string | null = null
  /** When the first of the snapshots was taken. */
  let sinceMs = 0
  let seenAtMs = 0
  let asked = 0
  let turns = 0
  let isFailing = false

  const drop = (changed: readonly SoldProduct[]) => {
    if (changed.length > maxChanges) return answers.invalidateAll()
    for (const [storeId, all] of Map.groupBy(changed, (one) => one.storeId)) {
      if (all.some(({ turned }) => turned)) answers.invalidateStore(storeId)
      else answers.invalidateProducts(storeId, new Set(all.map(({ productId }) => productId)))
    }
  }
  const begin = async () => {
    const first = await readStockSnapshot(db)
    sinceMs = performance.now()
    return first
  }
  const goOn = async (since: string) => {
    const { snapshot: seen, changed } = await readStockChanges(db, since)
    drop(changed)
    return seen
  }
  const look = async () => {
    const beganAtMs = performance.now()
    const turn = turns
    if (beganAtMs - seenAtMs > maxPauseMs) snapshot = null
    try {
      // Its servers number their transactions each for itself, so answers are cached for a second there.
      if (await db.isDistributed()) return
      const [seen] = await Promise.all([snapshot === null ? begin() : goOn(snapshot), confirmListening()])
      if (turn !== turns) return
      snapshot = seen
      seenAtMs = beganAtMs
      answers.confirm(sinceMs, beganAtMs)
      isFailing = false
    } catch (error) {
      // The next look begins where the last one ended.
      if (!isFailing) onFailure(error)
      isFailing = true
    }
  }
  const isAskedFor = () => {
    const before = asked
    asked = answers.asked()
    return asked !== before
  }

  let timer: NodeJS.Timeout | undefined
  const next = () => {
    timer = setTimeout(async () => {
      if (isAskedFor()) await look()
      if (timer !== undefined) next()
    }, everyMs)
    timer.unref()
  }
  next()
  return {
    reset: () => {
      turns++
      snapshot = null
    },
    stop: () => {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
