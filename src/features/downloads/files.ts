import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { isAbsolute, join, sep } from 'node:path'
import { errorCode } from '../../core/thrown.ts'

export type FoundFile = { handle: FileHandle; size: number }

/** The files that stores sell, each store's in a folder of its own, by the public id of the store. */
export type StoreFiles = {
  /** Undefined when the store has no such file. Whoever opens it closes it. */
  open(storeId: string, name: string): Promise<FoundFile | undefined>
  /** In bytes, without reading the file; undefined when the store has no such file. */
  sizeOf(storeId: string, name: string): Promise<number | undefined>
}

/** Where the files lie in the data folder. */
export const filesFolderIn = (dataDir: string) => join(dataDir, 'files')
export const folderOfStore = (folder: string, storeId: string) => join(folder, storeId)

/** A folder whose files belong to some stores without lying in theirs: those of the demo, outside of production. */
export type CommonFolder = { folder: string; isFor(storeId: string): Promise<boolean> }

export const createStoreFiles = (folder: string, common: CommonFolder | null = null): StoreFiles => {
  const openFile = async (storeId: string, name: string) => {
    if (!isFolderName(storeId)) return undefined
    const own = await openInside(folderOfStore(folder, storeId), name)
    if (own !== undefined || common === null || !(await common.isFor(storeId))) return own
    return openInside(common.folder, name)
  }
  return {
    open: openFile,
    sizeOf: async (storeId, name) => {
      const found = await openFile(storeId, name)
      await found?.handle.close()
      return found?.size
    },
  }
}

/** The id of a store is ours and never anything else; a folder is chosen by it, so that is not taken on trust. */
const isFolderName = (storeId: string) => /^store_\w+$/.test(storeId)

const isPlainPath = (name: string) =>
  name !== '' &&
  !isAbsolute(name) &&
  !/[\0\\]/.test(name) &&
  name.split('/').every((part) => part !== '' && part !== '.' && part !== '..')

/** A name may lead into folders inside, and never out, also not by a symbolic link. */
const openInside = async (folder: string, name: string): Promise<FoundFile | undefined> => {
  const path = await findInside(folder, name)
  if (path === undefined) return undefined
  try {
    // Opened without waiting: a pipe that somebody put there would wait for a writer for ever.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stat = await handle.stat()
    if (stat.isFile()) return { handle, size: stat.size }
    await handle.close()
    return undefined
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

/** Where a name really leads, with all links followed; undefined when that is nowhere, or outside of the folder. */
export const findInside = async (folder: string, name: string): Promise<string | undefined> => {
  if (!isPlainPath(name)) return undefined
  try {
    const inside = `${await realpath(folder)}${sep}`
    const path = await realpath(join(folder, name))
    return path.startsWith(inside) ? path : undefined
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

const isAbsent = (error: unknown) => {
  const code = errorCode(error)
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG'
}

/** A name that any system can keep a file under, as a header: plain letters first, all letters for those who know. */
export const dispositionOf = (name: string) => {
  const letters = [...name.normalize()]
    .map((letter) => (/[\p{Cc}\p{Cf}\p{Cs}<>:"/\\|?*]/u.test(letter) ? '_' : letter))
    .slice(0, 150)
  // Some systems refuse names that begin or end with blanks or dots.
  const isInside = (letter: string) => !/[\s.]/.test(letter)
  const safe = letters.slice(letters.findIndex(isInside), letters.findLastIndex(isInside) + 1).join('')
  const kept = safe === '' ? 'download' : safe
  const plain = kept.replaceAll(/[^\x20-\x7e]/g, '_')
  const encoded = encodeURIComponent(kept).replaceAll(/['()*!]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
