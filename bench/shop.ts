import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { loadConfig } from '../src/config.ts'
import { type EmbeddedServer, openEmbedded } from '../src/db/embedded.ts'
import { indexFolderIn } from '../src/features/catalog/search-index/files.ts'
import { openIndexReader } from '../src/features/catalog/search-index/read-index.ts'
import { fillCatalog } from './big-catalog.ts'
import { createStore, newDataDir, removeDataDir, type Service, startService } from './service.ts'

/** A service with a full store. */
export type Shop = {
  products: number
  service: Service
  storeId: string
  headers: Record<string, string>
  /** How to reach its database while the service runs. */
  database: EmbeddedServer
  /** The cursor of page `deepPage`, from the page before it. */
  deepPage: number
  deepCursor: string
  /** The slug of a product that is not among the newest. */
  someProduct: string
  /** Cursors of pages up to there. */
  cursors: readonly string[]
  close(): Promise<void>
}

const pageSize = 20
const deepestPage = 10_000

/** No bench signs in by code, so no message is sent. */
const asInProduction = {
  NODE_ENV: 'production',
  VITRINE_PUBLIC_URL: 'http://localhost',
  VITRINE_SMS_SENDER: 'http',
  VITRINE_SMS_URL: 'http://127.0.0.1:9/',
  VITRINE_SMS_SECRET: 'a secret that signs nothing, 32 characters',
}

type Size = { products: number; smallStores: number }

/** With `keep`, a folder, the catalog is filled only the first time, and stays. */
export const openShop = async (size: Size, keep?: string, settings: NodeJS.ProcessEnv = {}): Promise<Shop> => {
  const dataDir = keep ?? newDataDir()
  const service = await startService(dataDir, { ...asInProduction, ...settings }).catch((error) => {
    if (keep === undefined) removeDataDir(dataDir)
    throw error
  })
  const database = await openEmbedded({ dataDir, role: 'command' })
  const close = async () => {
    await database.stop()
    await service.stop()
    if (keep === undefined) removeDataDir(dataDir)
  }
  try {
    const { storeId, key } = readNote(dataDir) ?? (await fillShop(service, database, size))
    const headers = { 'x-store-key': key }
    await untilIndexed(service, headers, size.products)
    const deepPage = Math.min(deepestPage, Math.floor(size.products / pageSize))
    const cursors = await findCursors(service.url, headers, (deepPage - 1) * pageSize)
    const deepCursor = cursors.at(-1) as string
    const someProduct = `product-${Math.min(9_876, size.products)}`
    const list = { deepPage, deepCursor, cursors, someProduct }
    return { products: size.products, service, storeId, headers, database, ...list, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Written when the catalog is full, so that a folder with it can be used again. */
type Note = { storeId: string; key: string }
const noteIn = (dataDir: string) => join(dataDir, 'bench.json')
const readNote = (dataDir: string): Note | undefined =>
  existsSync(noteIn(dataDir)) ? JSON.parse(readFileSync(noteIn(dataDir), 'utf8')) : undefined

const fillShop = async (service: Service, database: EmbeddedServer, size: Size): Promise<Note> => {
  const { storeId, key } = createStore(service, 'Bench', 'cod')
  const say = (text: string) => process.stderr.isTTY && process.stderr.write(`\r\x1b[K${text && `filling: ${text}`}`)
  await fillCatalog(database.connection, storeId, size, say)
  await untilCounted(database)
  say('')
  writeFileSync(noteIn(service.dataDir), JSON.stringify({ storeId, key }))
  return { storeId, key }
}

/** Searches are quick when the service has counted the words. */
const untilCounted = async ({ connection }: EmbeddedServer) => {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    for (;;) {
      const { rows } = await client.query('select from search_count where due_at is not null')
      if (rows.length === 0) return
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  } finally {
    await client.end()
  }
}

/** The first search of a large store has its index made, unless it has one from before. */
export const untilIndexed = async (
  { url, dataDir, env }: Service,
  headers: Record<string, string>,
  products: number,
) => {
  const { searchIndexProducts } = loadConfig({ VITRINE_SEARCH_INDEX_PRODUCTS: env.VITRINE_SEARCH_INDEX_PRODUCTS })
  if (searchIndexProducts === 0 || products < searchIndexProducts) return
  for (;;) {
    await (await fetch(`${url}/v1/search?q=wa&_=${Math.random()}`, { headers })).arrayBuffer()
    const files = globSync(join(indexFolderIn(dataDir), '*.sqlite'))
    if (files.some(isReady)) return
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

const isReady = (path: string) => {
  try {
    const reader = openIndexReader(path)
    const isConfirmed = reader.confirmedAtMs() > 0
    reader.close()
    return isConfirmed
  } catch {
    // Its tables are not made yet.
    return false
  }
}

/** Follows the list page by page until this many products have been read. */
const findCursors = async (url: string, headers: Record<string, string>, behind: number) => {
  const cursors: string[] = []
  for (let left = behind; left > 0; ) {
    const limit = Math.min(left, 100)
    const cursor = cursors.at(-1) ?? ''
    const address = `${url}/v1/products?limit=${limit}${cursor && `&cursor=${cursor}`}`
    cursors.push((await fetch(address, { headers })).headers.get('x-next-cursor') ?? '')
    left -= limit
  }
  return cursors
}
