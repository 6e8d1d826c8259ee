import { existsSync, lstatSync, mkdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Later starts find the modules that an earlier one compiled. Whoever can write into that folder runs code as this
 * user, so it is never the shared temporary folder that Node would choose: it lies beside the source or in the data
 * folder, and must be this user's alone. Without such a folder modules are compiled at each start.
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

/** Makes the folder if there is none. One that others may write to, or that is a link, is not used. */
export const isPrivate = (folder: string) => {
  try {
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
    const found = lstatSync(folder)
    return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0
  } catch {
    return false
  }
}
