import { existsSync, lstatSync, mkdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Keeps compiled modules on disk, so that later starts are faster. Anyone who can write to that folder can run code as
 * this user. So it is never the shared temporary folder that Node would choose, but one beside the source or in the
 * data folder that only this user can write to. Without such a folder, modules are compiled at each start.
 */
export const enablePrivateCompileCache = () => {
  const folder = cacheFolders().find(isPrivate)
  if (folder !== undefined) enableCompileCache(folder)
}

const cacheFolders = () => {
  const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
  const dataDir = process.env.VITRINE_DATA_DIR || '.vitrine'
  return [join(root, 'node_modules'), dataDir]
    .filter((folder) => existsSync(folder))
    .map((folder) => join(folder, '.vitrine-compiled'))
}

/** Creates the folder if it does not exist. A folder that others can access, or a symbolic link, is not private. */
export const isPrivate = (folder: string) => {
  try {
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
    const found = lstatSync(folder)
    return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0
  } catch {
    return false
  }
}
