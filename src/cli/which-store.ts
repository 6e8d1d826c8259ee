import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { OperatorError } from '../core/operator-error.ts'
import type { Db } from '../db/database.ts'
import type { Store } from '../features/context.ts'
import type { DemoKeys } from '../features/demo-store/demo-store.ts'
import { findStore, listStores } from '../features/stores/stores.ts'
import { printWarning } from './output.ts'

/** Where an embedded database keeps the keys of its demo store, so that later starts can show them. */
export const demoFile = ({ dataDir }: Config) => join(dataDir, 'demo.json')

/** Null where there is no demo store. */
export const readDemo = (config: Config): DemoKeys | null => {
  const file = demoFile(config)
  if (config.production || config.databaseUrl !== null || !existsSync(file)) return null
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new OperatorError(`The file ${file} is damaged. Remove it; "vitrine key create" makes new keys.`, {
      cause: error,
    })
  }
}

/**
 * The store that a command is about: the one that is named, or the only one. Of several, where things are tried out, it
 * is the demo store, and the operator is told so.
 */
export const whichStore = async (db: Db, config: Config, { store }: { store?: string }): Promise<Store> => {
  const demo = store === undefined ? readDemo(config) : null
  const stores = demo === null ? [] : await listStores(db)
  const name = stores.find(({ publicId }) => publicId === demo?.storeId)?.name
  if (demo === null || name === undefined || stores.length === 1) return findStore(db, store)
  printWarning(`For the demo store, ${name}. --store names another.`)
  return findStore(db, demo.storeId)
}
