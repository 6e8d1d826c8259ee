import { type EmbeddedServer, openEmbedded } from '../src/db/embedded.ts'
import { fillCatalog } from './big-catalog.ts'
import { newDataDir, removeDataDir, type Service, startService } from './service.ts'

/** A service with a full store, ready to be asked. */
export type Shop = {
  products: number
  service: Service
  storeId: string
  headers: Record<string, string>
  /** How to reach its database while the service runs. */
  database: EmbeddedServer
  /** Page `deepPage` of the list, as a cursor that the page before it gave. */
  deepPage: number
  deepCursor: string
  close(): Promise<void>
}

const pageSize = 20
const deepestPage = 10_000

export const openShop = async (size: { products: number; smallStores: number }): Promise<Shop> => {
  const dataDir = newDataDir()
  const service = await startService(dataDir, { NODE_ENV: 'production', VITRINE_PUBLIC_URL: 'http://localhost' })
  const database = await openEmbedded({ dataDir, role: 'guest' })
  const close = async () => {
    await database.stop()
    await service.stop()
    removeDataDir(dataDir)
  }
  try {
    const made = service.vitrine('store', 'create', '--name', 'Bench', '--domain', 'b.example', '--currency', 'INR')
    const { storeId } = made as { storeId: string }
    const limit = ['--rate-limit', '1000000000']
    const { key } = service.vitrine('key', 'create', '--store', storeId, ...limit) as { key: string }
    const say = (text: string) => process.stderr.isTTY && process.stderr.write(`\r\x1b[Kfilling: ${text}`)
    await fillCatalog(database.connection, storeId, size, say)
    say('')
    const headers = { 'x-store-key': key }
    const deepPage = Math.min(deepestPage, Math.floor(size.products / pageSize))
    const deepCursor = await findCursor(service.url, headers, (deepPage - 1) * pageSize)
    return { products: size.products, service, storeId, headers, database, deepPage, deepCursor, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Follows the list page by page, as anybody has to, until so many products lie behind. */
const findCursor = async (url: string, headers: Record<string, string>, behind: number) => {
  let cursor = ''
  for (let left = behind; left > 0; ) {
    const limit = Math.min(left, 100)
    const address = `${url}/v1/products?limit=${limit}${cursor && `&cursor=${cursor}`}`
    cursor = (await fetch(address, { headers })).headers.get('x-next-cursor') ?? ''
    left -= limit
  }
  return cursor
}
