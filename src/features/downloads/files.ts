import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { isAbsolute, join, sep } from 'node:path'

export type FoundFile = { handle: FileHandle; size: number }

/** Where the files that stores sell lie. */
export type FileShelf = {
  /** Undefined when there is no such file in any of the folders. Whoever opens it closes it. */
  open(name: string): Promise<FoundFile | undefined>
  has(name: string): Promise<boolean>
}

/** The first folder that has it counts. A name may lead into folders inside, and never out, also not by a link. */
export const createFileShelf = (folders: readonly string[]): FileShelf => {
  const openFile = async (name: string): Promise<FoundFile | undefined> => {
    if (!isPlainPath(name)) return undefined
    for (const folder of folders) {
      const found = await openInside(folder, name)
      if (found !== undefined) return found
    }
    return undefined
  }
  return {
    open: openFile,
    has: async (name) => {
      const found = await openFile(name)
      await found?.handle.close()
      return found !== undefined
    },
  }
}

const isPlainPath = (name: string) =>
  name !== '' &&
  !isAbsolute(name) &&
  !/[\0\\]/.test(name) &&
  name.split('/').every((part) => part !== '' && part !== '.' && part !== '..')

const openInside = async (folder: string, name: string): Promise<FoundFile | undefined> => {
  try {
    const inside = `${await realpath(folder)}${sep}`
    const path = await realpath(join(folder, name))
    if (!path.startsWith(inside)) return undefined
    // Opened without waiting: a pipe that somebody put there would wait for a writer for ever.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stat = await handle.stat()
    if (stat.isFile()) return { handle, size: stat.size }
    await handle.close()
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return undefined
    throw error
  }
}

/** A name that any system can keep a file under, as a header: plain letters first, all letters for those who know. */
export const dispositionOf = (name: string) => {
  const safe = [...name.normalize()]
    .map((letter) => (/[\p{Cc}\p{Cf}\p{Cs}<>:"/\\|?*]/u.test(letter) ? '_' : letter))
    .slice(0, 150)
    .join('')
    .replace(/^[\s.]+|[\s.]+$/g, '')
  const kept = safe === '' ? 'download' : safe
  const plain = kept.replaceAll(/[^\x20-\x7e]/g, '_')
  const encoded = encodeURIComponent(kept).replaceAll(/['()*!]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
