import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { OperatorError } from '../core/operator-error.ts'
import type { Db } from '../db/database.ts'
import type { Store } from '../features/context.ts'
import type { DemoKeys } from '../features/demo-store/demo-store.ts'
import { findStore, listStores } from '../features/stores/stores.ts'
import { printWarning } from './output.ts'

/** The file with the keys of the demo store, so that later starts can show them. */
export const demoFile = ({ dataDir }: Config) => join(dataDir, 'demo.json')

/** Null without a demo store. */
export const readDemo = (config: Config): DemoKeys | null => {
  const file = demoFile(config)
  if (config.production || config.databaseUrl !== null || !existsSync(file)) return null
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new OperatorError(`The file ${file} is damaged. Delete it; "vitrine key create" creates new keys.`, {
      cause: error,
    })
  }
}

/**
 * The store that a command uses: the one named with --store, or the only one. Where there are several and one is the
 * demo store, it is the demo store, with a message that says so.
 */
export const whichStore = async (db: Db, config: Config, { store }: { store?: string }): Promise<Store> => {
  const demo = store === undefined ? readDemo(config) : null
  const stores = demo === null ? [] : await listStores(db)
  const name = stores.find(({ publicId }) => publicId === demo?.storeId)?.name
  if (demo === null || name === undefined || stores.length === 1) return findStore(db, store)
  printWarning(`Using the demo store, ${name}. Choose another with --store.`)
  return findStore(db, demo.storeId)
}
