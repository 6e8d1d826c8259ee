import { existsSync, statSync } from 'node:fs'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { mustExist } from '../../../core/must-exist.ts'
import type { Db } from '../../../db/database.ts'
import type { OutletRef } from '../catalog.sql.ts'
import { readListingChanges } from '../listing-change.sql.ts'
import { machineTimeMs } from './files.ts'
import { fillIndexFile, type IndexFile } from './fill-index.ts'
import { type Listed, readDatabaseState, readListed, readListings, readVersions } from './listed.sql.ts'
import { openWrittenIndex, type WrittenIndex } from './written-index.ts'

/** How many products are read at once. */
const batchSize = 1_000

/** Of so many at once it is only asked whether they have changed. */
const comparedSize = 5_000

/** Less than a third of the second in which a change must be found. */
const lookEveryMs = 250

/** Changes are noted for an hour. */
const maxGapMs = 30 * 60_000

/** Listings that were changed without a note are found after this time: by hand, or by a version that noted nothing. */
const compareEveryMs = 60 * 60_000

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
  const { db, outlet, path, isWanted, runAlone } = place
  const { identity: ofDatabase, server } = await readDatabaseState(db)
  const identity = `${ofDatabase}/${outlet.storeId}/${outlet.outletId}`
  const known = openWrittenIndex(path, identity)
  const filled = known === undefined ? await runAlone(() => fill(place, identity)) : undefined
  const index = known ?? mustExist(openWrittenIndex(path, identity), 'the index that was made')
  try {
    let follower: Follower | undefined
    while (isWanted()) {
      const before = follower
      const isNew = before === undefined && filled !== undefined
      const snapshot = isNew ? filled : await runAlone(() => compare(place, index, before))
      follower = follow(place, index, { snapshot, server })
      const untilMs = machineTimeMs() + compareEveryMs
      while (isWanted() && machineTimeMs() < untilMs && (await follower.look())) {
        await pause(lookEveryMs, undefined, { signal: place.signal })
      }
    }
  } finally {
    try {
      // Searches must not use a file that is not kept.
      if (existsSync(path)) index.confirm(0)
    } finally {
      index.close()
    }
  }
}

/** Reads all listings into a new file. The snapshot is older than what was read, so that no change is missed. */
const fill = async ({ db, outlet, path, signal, onReady }: Place, identity: string) => {
  const beganAtMs = machineTimeMs()
  const { snapshot } = await readDatabaseState(db)
  const file = fillIndexFile(path, identity)
  let products = 0
  try {
    for (let rows = await readListings(db, outlet, 0, batchSize); rows.length > 0; ) {
      signal.throwIfAborted()
      const next = readListings(db, outlet, rows.at(-1)?.seq ?? 0, batchSize)
      // The database reads the next products while these are added.
      const [more] = await Promise.all([next, addSoon(file, rows)])
      products += rows.length
      rows = more
    }
    file.finish()
  } catch (error) {
    file.abandon()
    throw error
  }
  onReady({ products, seconds: (machineTimeMs() - beganAtMs) / 1_000 })
  return snapshot
}

/** After the statement was sent. */
const addSoon = async (file: IndexFile, rows: readonly Listed[]) => {
  await turn()
  file.add(rows)
}

/**
 * Reads all listings whose version the index does not have. The snapshot is older than what was read, so that no change is
 * missed. Rests half as long as it has used a processor, which requests may need.
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
  let after = 0
  for (let isLast = false; !isLast; ) {
    signal.throwIfAborted()
    checkFile(path, file)
    const used = process.threadCpuUsage()
    const listed = await readVersions(db, outlet, after, comparedSize)
    isLast = listed.length < comparedSize
    const last = isLast ? Number.MAX_SAFE_INTEGER : (listed.at(-1)?.seq ?? after)
    const known = new Map(index.listVersions(after, last))
    const stale = listed.filter(({ seq, version }) => known.get(seq) !== version).map(({ seq }) => seq)
    for (const { seq } of listed) known.delete(seq)
    const changed = [...stale, ...known.keys()]
    await writeChanges({ db, outlet }, index, changed)
    written += changed.length
    after = last
    const { user, system } = process.threadCpuUsage(used)
    if (!isLast) await pause((user + system) / 2_000, undefined, { signal })
    await follower?.lookIfDue()
  }
  onReady({ products: written, seconds: (machineTimeMs() - beganAtMs) / 1_000 })
  return snapshot
}

/** Reads these products again. Those that are not listed any more are removed. */
const writeChanges = async ({ db, outlet }: Pick<Place, 'db' | 'outlet'>, index: WrittenIndex, changed: number[]) => {
  for (let i = 0; i < changed.length; i += batchSize) {
    const seqs = changed.slice(i, i + batchSize)
    index.write(seqs, await readListed(db, outlet, seqs))
  }
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
    await writeChanges({ db, outlet }, index, changed)
    index.confirm(beganAtMs)
    snapshot = seen
    seenAtMs = beganAtMs
    return true
  }
  const lookIfDue = async () => machineTimeMs() - seenAtMs < lookEveryMs || look()
  return { look, lookIfDue }
}
