import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorCode } from '../../core/thrown.ts'
import type { FileKey, FileStorage } from './storage.ts'

export const mediaFolderIn = (dataDir: string) => join(dataDir, 'media')

/** Files in a folder of this machine, one folder for each store. */
export const createFolderStorage = (folder: string): FileStorage => {
  const pathOf = (key: FileKey) => {
    // Keys are made by us. Checked anyway, because they choose a file.
    if (!/^\w+\/[\w-]+\.\w+$/.test(key)) throw new Error(`${key} is not the key of a file`)
    return join(folder, key)
  }
  return {
    name: 'folder',
    put: async (key, bytes) => {
      const path = pathOf(key)
      const draft = `${path}.${randomUUID()}.part`
      await mkdir(dirname(path), { recursive: true })
      try {
        await writeThrough(draft, bytes)
        // In two steps, so that nobody reads half of it.
        await rename(draft, path)
      } finally {
        await rm(draft, { force: true })
      }
    },
    open: async (key) => {
      try {
        const handle = await open(pathOf(key), 'r')
        const { size } = await handle.stat()
        return { stream: createReadStream('', { fd: handle }), bytes: size }
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return undefined
        throw error
      }
    },
    remove: (key) => rm(pathOf(key), { force: true }),
  }
}

/** Synced to the disk, so that a power failure after the rename cannot leave an empty file. */
const writeThrough = async (path: string, bytes: Uint8Array) => {
  const handle = await open(path, 'wx', 0o644)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
