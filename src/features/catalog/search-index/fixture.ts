import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { newStore, type ServiceOptions, startTestService, type TestService } from '../../../../test/harness.ts'
import { countStoreWords } from '../word-counts.ts'
import { indexFileOf, indexFolderIn } from './files.ts'

/** So small a store has an index in these tests. */
export const minProducts = 5

/** A folder for the index files of one test. */
export const newDataDir = (t: TestContext) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'vitrine-index-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  return dataDir
}

export const startIndexed = async (t: TestContext, dataDir: string, options: ServiceOptions = {}) => {
  const service = await startTestService({ dataDir, searchIndexProducts: minProducts, ...options })
  t.after(() => service.close())
  return service
}

export type IndexedShop = Awaited<ReturnType<typeof newIndexedShop>>

/** A store whose words are counted: the count decides whether it gets an index. */
export const newIndexedShop = async (service: TestService, ...products: Record<string, unknown>[]) => {
  const shop = await newStore(service)
  for (let i = 0; i < products.length; i += 500) await shop.add(...products.slice(i, i + 500))
  const { id: storeId, defaultOutlet } = await shop.load()
  const outlet = { storeId, outletId: defaultOutlet.id }
  await countStoreWords(service.db, outlet)
  return { ...shop, outlet }
}

export const fileOf = ({ config }: TestService, { outlet }: Pick<IndexedShop, 'outlet'>) =>
  indexFileOf(indexFolderIn(config.dataDir), outlet)

/** Whether a search would be answered by the index now. */
export const isIndexed = ({ app }: TestService, { outlet }: Pick<IndexedShop, 'outlet'>) =>
  app.services.searchIndexes.ask(outlet, minProducts, () => true) !== undefined

export const until = async (isSo: () => boolean | Promise<boolean>) => {
  const began = Date.now()
  while (!(await isSo())) {
    if (Date.now() - began > 60_000) throw new Error('not within a minute')
    await pause(20)
  }
}

/** Searches as a shopper, again until the index has answered, and says whether it did. */
export const searchAt = async (service: TestService, { key }: Pick<IndexedShop, 'key'>, path: string) => {
  let fromDatabase = false
  const stop = service.db.onStatement((text) => {
    // `packed` in search.sql.ts, and suggestions from the database.
    if (text.includes('string_agg(l.seq') || text.includes('l.rank desc')) fromDatabase = true
  })
  const address = `${path}${path.includes('?') ? '&' : '?'}_=${Math.random()}`
  const { json, status, text } = await service.call(address, { headers: { 'x-store-key': key } })
  stop()
  if (status !== 200) throw new Error(text)
  return { json, byIndex: !fromDatabase }
}

export const searchByIndex = async (service: TestService, shop: IndexedShop, path: string) => {
  await until(() => isIndexed(service, shop))
  let found = await searchAt(service, shop, path)
  await until(async () => {
    if (!found.byIndex) found = await searchAt(service, shop, path)
    return found.byIndex
  })
  return found.json
}
