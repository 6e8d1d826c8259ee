import { randomUUID } from 'node:crypto'
import { constants, existsSync, realpathSync } from 'node:fs'
import { copyFile, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type { Db, Queries, Tx } from '../../db/database.ts'
import { findStoreId } from '../access/access.sql.ts'
import { type CommonFolder, createStoreFiles, findInside, folderOfStore } from './files.ts'
import { listNamedFiles, listSharedFiles, lockSharedFiles, type NamedFile } from './shared-files.sql.ts'

/** Marks a folder whose shared files have been copied, so that files directly in it are never read again. */
const doneMark = '.by-store'
const draftPrefix = '.copying-'

export type Separated = { copied: number; missing: number }

/**
 * Until version 0.1.0 all stores shared the folder `files`. This copies the files that each store used into the folder
 * of that store, once; null if there is nothing to do. Each copy is atomic and existing files are kept, so an
 * interrupted run is repeated safely. The operator may delete the originals.
 */
export const separateSharedFiles = async (
  db: Db,
  folder: string,
  otherSources: readonly string[] = [],
): Promise<Separated | null> => {
  const isDone = () => existsSync(join(folder, doneMark))
  if (isDone()) return null
  const sources = [folder, ...otherSources].filter(existsSync)
  if (sources.length === 0) return null
  return db.tx(async (tx) => {
    await lockSharedFiles(tx)
    const named = isDone() ? [] : await listSharedFiles(tx)
    if (named.length === 0) return null
    await mkdir(folder, { recursive: true })
    await removeDrafts(folder)
    let [copied, missing] = [0, 0]
    for (const file of named) {
      const outcome = await copyToStore(tx, folder, sources, file)
      if (outcome === 'copied') copied++
      if (outcome === 'missing') missing++
    }
    await writeFile(join(folder, doneMark), 'Files of each store are in the folder of that store.\n')
    return { copied, missing }
  })
}

/** Removes the leftovers of an interrupted run. Safe, because only the holder of the lock copies. */
const removeDrafts = async (folder: string) => {
  for (const name of await readdir(folder)) if (name.startsWith(draftPrefix)) await rm(join(folder, name))
}

const copyToStore = async (tx: Tx, folder: string, sources: readonly string[], { storeId, name }: NamedFile) => {
  if ((await createStoreFiles(folder).sizeOf(storeId, name)) !== undefined) return 'there'
  const source = await findSource(tx, sources, { storeId, name })
  if (source === undefined) return 'missing'
  const target = join(folderOfStore(folder, storeId), name)
  const draft = join(folder, `${draftPrefix}${randomUUID()}`)
  await mkdir(dirname(target), { recursive: true })
  await copyFile(source, draft, constants.COPYFILE_FICLONE)
  await writeThrough(draft)
  await rename(draft, target)
  return 'copied'
}

/** Syncs to disk, so that a power failure after the rename cannot leave an empty file. */
const writeThrough = async (path: string) => {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const findSource = async (tx: Tx, sources: readonly string[], { storeId, name }: NamedFile) => {
  for (const source of sources) {
    const path = await findInside(source, name)
    if (path === undefined || (await isOfAnotherStore(tx, relative(realpathSync(source), path), storeId))) continue
    if ((await stat(path)).isFile()) return path
  }
  return undefined
}

/** The shared folder now contains the folders of the stores, and an old name may point into one of them. */
const isOfAnotherStore = async (tx: Tx, path: string, storeId: string) => {
  // Some file systems ignore case.
  const [first = ''] = path.toLowerCase().split(sep)
  return first !== storeId && (await findStoreId(tx, first)) !== undefined
}

export type FilesReport = {
  named: number
  missing: readonly NamedFile[]
  folderExists: boolean
  /** Whether shared files still have to be copied. */
  isShared: boolean
}

/** Finds files that are for sale, or were bought, and are missing from the folder of their store. */
export const examineFiles = async (
  db: Queries,
  folder: string,
  common: CommonFolder | null = null,
): Promise<FilesReport> => {
  const named = await listNamedFiles(db)
  const files = createStoreFiles(folder, common)
  const missing: NamedFile[] = []
  for (const file of named) {
    if ((await files.sizeOf(file.storeId, file.name)) === undefined) missing.push(file)
  }
  const folderExists = existsSync(folder)
  const isShared = folderExists && !existsSync(join(folder, doneMark)) && (await listSharedFiles(db)).length > 0
  return { named: named.length, missing, folderExists, isShared }
}
