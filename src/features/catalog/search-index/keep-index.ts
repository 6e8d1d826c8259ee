import { existsSync, statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../../../db/database.ts'
import type { OutletRef } from '../catalog.sql.ts'
import { readListingChanges } from '../listing-change.sql.ts'
import { machineTimeMs } from './files.ts'
import { readDatabaseState, readListed, readVersions } from './listed.sql.ts'
import { openWrittenIndex, type WrittenIndex } from './written-index.ts'

/** How many products are read at once. */
const batchSize = 1_000

/** So many batches are written in one transaction. */
const writtenTogether = 40

/** Less than a third of the second in which a change must be found. */
const lookEveryMs = 250

/** Changes are noted for an hour. */
const maxGapMs = 30 * 60_000

/** Listings that were changed without a note are found after this time: by hand, or by a version that noted nothing. */
const compareEveryMs = 60 * 60_000

/** With so many new products the index is merged when they are in. */
const manyWritten = 10_000

type Place = {
  db: Db
  outlet: OutletRef
  path: string
  signal: AbortSignal
  isWanted(): boolean
  /** Called when the index can be used. */
  onReady(built: { products: number; seconds: number }): void
  runAlone<Result>(work: () => Promise<Result>): Promise<Result>
}

/** Keeps the index file of an outlet like the database, for as long as it is wanted. */
export const keepIndex = async (place: Place): Promise<void> => {
  const { db, outlet, path, signal, isWanted, runAlone } = place
  const { identity, server } = await readDatabaseState(db)
  const index = openWrittenIndex(path, `${identity}/${outlet.storeId}/${outlet.outletId}`)
  try {
    let follower: Follower | undefined
    while (isWanted()) {
      const before = follower
      const snapshot = await runAlone(() => compare(place, index, before))
      follower = follow(place, index, { snapshot, server })
      const untilMs = machineTimeMs() + compareEveryMs
      while (isWanted() && machineTimeMs() < untilMs && (await follower.look())) {
        await pause(lookEveryMs, undefined, { signal })
      }
    }
  } finally {
    // Searches must not use a file that is not kept.
    if (existsSync(path)) index.confirm(0)
    index.close()
  }
}

/**
 * Reads all listings whose version the index does not have, into an empty file all of them. The snapshot is older than what
 * was read, so that no change is missed. Rests half as long as it has used a processor, which requests may need.
 */
const compare = async (
  { db, outlet, path, signal, onReady }: Place,
  index: WrittenIndex,
  follower: Follower | undefined,
) => {
  const beganAtMs = machineTimeMs()
  const { snapshot } = await readDatabaseState(db)
  const file = fileAt(path)
  let written = 0
  let batches = 0
  let after = 0
  for (let isLast = false; !isLast; ) {
    signal.throwIfAborted()
    checkFile(path, file)
    const used = process.threadCpuUsage()
    if (follower === undefined && !index.isOpen()) index.begin()
    const listed = await readVersions(db, outlet, after, batchSize)
    isLast = listed.length < batchSize
    const last = isLast ? Number.MAX_SAFE_INTEGER : (listed.at(-1)?.seq ?? after)
    const known = new Map(index.listVersions(after, last))
    const stale = listed.filter(({ seq, version }) => known.get(seq) !== version).map(({ seq }) => seq)
    for (const { seq } of listed) known.delete(seq)
    const changed = [...stale, ...known.keys()]
    const rows = stale.length === 0 ? [] : await readListed(db, outlet, stale)
    if (changed.length > 0) index.write(changed, rows)
    written += changed.length
    // While searches use it, they must see changes at once.
    if (follower === undefined && (isLast || ++batches % writtenTogether === 0)) index.commit()
    after = last
    const { user, system } = process.threadCpuUsage(used)
    if (!isLast) await pause((user + system) / 2_000, undefined, { signal })
    await follower?.lookIfDue()
  }
  if (written >= manyWritten) index.optimize()
  onReady({ products: written, seconds: (machineTimeMs() - beganAtMs) / 1_000 })
  return snapshot
}

/** Tells a file from another of the same name. */
const fileAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.ino

const checkFile = (path: string, file: number | undefined) => {
  if (fileAt(path) !== file) throw new Error('the index file was removed')
}

type Follower = ReturnType<typeof follow>

/** Writes what has changed since a snapshot. */
const follow = ({ db, outlet, path }: Place, index: WrittenIndex, from: { snapshot: string; server: string }) => {
  const file = fileAt(path)
  let { snapshot } = from
  let seenAtMs = machineTimeMs()
  /** False if all must be compared again. */
  const look = async (): Promise<boolean> => {
    const beganAtMs = machineTimeMs()
    if (beganAtMs - seenAtMs > maxGapMs) return false
    checkFile(path, file)
    const { snapshot: seen, server, changed, isCut } = await readListingChanges(db, outlet.storeId, snapshot)
    if (server !== from.server) throw new Error('another database server answers than before')
    if (isCut) return false
    for (let i = 0; i < changed.length; i += batchSize) {
      const seqs = changed.slice(i, i + batchSize)
      index.write(seqs, await readListed(db, outlet, seqs))
    }
    index.confirm(beganAtMs)
    snapshot = seen
    seenAtMs = beganAtMs
    return true
  }
  const lookIfDue = async () => machineTimeMs() - seenAtMs < lookEveryMs || look()
  return { look, lookIfDue }
}
