import pg from 'pg'
import { Failure } from '../core/errors.ts'
import { connectDb, type Db, type Queries } from './database.ts'
import type { DbOptions } from './options.ts'

/** How often the replica is compared with the primary, while reads are asked for. */
const compareMs = 200
/** How old the data of a replica may be. Answers are cached for the rest of a second (app.ts). */
export const maxReplicaAgeMs = 400
/** After the last read, comparing goes on for this time. */
const idleMs = 2_000
/** A replica that cannot be reached is tried again after this time. */
const retryMs = 1_000
/** A read that takes longer on the replica is repeated on the primary. */
const readTimeoutMs = 2_000

export type ReplicaOptions = Pick<DbOptions, 'clock'> & {
  /** Null: there is no replica. */
  databaseReadUrl: string | null
  databasePrepare: boolean
  databasePoolSize: number
  primary: Queries
  log: { info(message: string): void; warn(fields: object, message: string): void }
}

export type Replica = {
  /** The database for reads of a store that may be `maxReplicaAgeMs` old, but include every change noticed so far. */
  readsFor(db: Db, storeId: number): Db
  /** A change of a store was announced: the replica is used for it again when it has replayed the change. */
  noteChange(storeId: number): void
  /** Announcements may have been missed, or are missed from now on. */
  setListening(isListening: boolean): void
  close(): Promise<void>
}

/**
 * Reads from a standby, for work that can do with data of a moment ago (decision 0048). The position of the log is read on
 * the primary, then on the replica. Once the replica has replayed it, its data are at least as new as the moment at which
 * it was read on the primary. The replica is used while this moment is recent, and not before the last change of the store
 * that was announced. Everything else is read from the primary, so a replica that lags, hangs or dies costs only speed.
 */
export const openReplica = ({ databaseReadUrl, primary, log, ...options }: ReplicaOptions): Replica | null => {
  if (databaseReadUrl === null) return null
  const limits = { query_timeout: readTimeoutMs, connectionTimeoutMillis: readTimeoutMs }
  const db = connectDb({
    connection: { connectionString: databaseReadUrl, prepare: options.databasePrepare, ...limits },
    ...{ poolSize: options.databasePoolSize, clock: options.clock },
    ...{ plansOnce: true, statementTimeoutMs: readTimeoutMs, maxWaitMs: readTimeoutMs },
  })
  const changedAt = new Map<number, number>()
  let allChangedAt = 0
  let isListening = true
  /** The replica has all that was committed on the primary at this time. */
  let equalAt = Number.NEGATIVE_INFINITY
  /** Positions of the primary's log that the replica has not replayed yet, with the times at which they were read. */
  let awaited: { lsn: bigint; at: number }[] = []
  let askedAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let isComparing = false
  let isClosed = false
  let wasUsed = false

  const compare = async () => {
    isComparing = true
    let nextMs = compareMs
    try {
      const at = performance.now()
      // Not the position that is on disk: with `synchronous_commit = off` a commit is announced before it is there.
      const { lsn } = await primary.one<{ lsn: string }>`select pg_current_wal_insert_lsn()::text as lsn`
      awaited.push({ lsn: parseLsn(lsn), at })
      const { replayed } = await db.one<{ replayed: string | null }>`
        select case when pg_is_in_recovery() then pg_last_wal_replay_lsn()::text end as replayed`
      const replayedLsn = replayed === null ? -1n : parseLsn(replayed)
      equalAt = awaited.findLast((position) => position.lsn <= replayedLsn)?.at ?? equalAt
      awaited = awaited.filter((position) => position.at > equalAt && at - position.at < maxReplicaAgeMs)
      tell(isRecent())
    } catch (error) {
      nextMs = retryMs
      tell(false, error)
    }
    for (const [storeId, at] of changedAt) if (at <= equalAt) changedAt.delete(storeId)
    isComparing = false
    if (!isClosed && performance.now() - askedAt < idleMs) timer = setTimeout(compare, nextMs)
    else timer = undefined
  }
  const tell = (isUsed: boolean, error?: unknown) => {
    if (isUsed && !wasUsed) log.info('the replica is up to date: catalog reads use it')
    if (!isUsed && wasUsed)
      log.warn({ err: error }, 'the replica is late or unavailable: catalog reads use the primary')
    wasUsed = isUsed
  }
  const isRecent = () => isListening && performance.now() - equalAt < maxReplicaAgeMs
  const mayRead = (storeId: number) => {
    askedAt = performance.now()
    if (timer === undefined && !isComparing && !isClosed) void compare()
    return isRecent() && equalAt > allChangedAt && equalAt > (changedAt.get(storeId) ?? 0)
  }
  return {
    readsFor: (own, storeId) => {
      if (!mayRead(storeId)) return own
      const replica = db.forStore(storeId)
      const reads: Reads = { isAway: false, mayRead: () => mayRead(storeId) }
      return { ...own, ...eitherOf(replica, own, reads), fresh: eitherOf(replica.fresh, own.fresh, reads) }
    },
    noteChange: (storeId) => void changedAt.set(storeId, performance.now()),
    setListening: (listens) => {
      isListening = listens
      allChangedAt = performance.now()
    },
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await db.close()
    },
  }
}

/** A position such as `0/16B3748`: two numbers of 32 bits. */
const parseLsn = (text: string) => {
  const [high = '', low = ''] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

/**
 * The reads of a request. Once one of them was answered by the primary, so are all that follow: they must not see older
 * data, nor wait again for a replica that has refused one. Each is checked, because a slow request could otherwise cache
 * what it reads last as newer than it is.
 */
type Reads = { isAway: boolean; mayRead: () => boolean }

/** What the replica cannot answer is asked of the primary: also a statement that was in the way of its replay. */
const eitherOf = (replica: Queries, primary: Queries, reads: Reads): Queries => {
  const either = async <Result>(ask: (queries: Queries) => Promise<Result>) => {
    reads.isAway ||= !reads.mayRead()
    if (reads.isAway) return ask(primary)
    try {
      return await ask(replica)
    } catch (error) {
      const isRefused = error instanceof Failure && error.code === 'SERVICE_UNAVAILABLE'
      if (!isRefused && !(error instanceof pg.DatabaseError)) throw error
      reads.isAway = true
      return ask(primary)
    }
  }
  return {
    many: (...statement) => either((queries) => queries.many(...statement)),
    one: (...statement) => either((queries) => queries.one(...statement)),
    maybeOne: (...statement) => either((queries) => queries.maybeOne(...statement)),
    run: (...statement) => primary.run(...statement),
    isDistributed: () => primary.isDistributed(),
  }
}
