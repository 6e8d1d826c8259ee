import pg from 'pg'
import { type EmbeddedServer, openEmbedded } from '../src/db/embedded.ts'
import { balanceLedgers } from '../test/put-on-hand.ts'
import { fillCatalog } from './big-catalog.ts'
import { findServer } from './buying-cpu.ts'
import { connections } from './load.ts'
import { createStore, newDataDir, removeDataDir, type Service, startService } from './service.ts'

/** A service with a store that has enough of every product for a whole run. */
export type SellingStore = {
  service: Service
  database: EmbeddedServer
  /** The process of the database server. */
  serverPid: number
  key: string
  store: { id: number; publicId: string; outletId: number; products: number }
  /** The credentials of the payment webhook, as in `Authorization`. */
  webhookLogin: string
  query(text: string, parameters?: unknown[]): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}

export const openSellingStore = async (products: number, settings: NodeJS.ProcessEnv = {}): Promise<SellingStore> => {
  const dataDir = newDataDir()
  // As many connections as the load has.
  const service = await startService(dataDir, { DATABASE_POOL_SIZE: String(connections), ...settings })
  const database = await openEmbedded({ dataDir, role: 'command' })
  const query = async (text: string, parameters: unknown[] = []) => {
    const client = new pg.Client(database.connection)
    await client.connect()
    try {
      return (await client.query(text, parameters)).rows as Record<string, unknown>[]
    } finally {
      await client.end()
    }
  }
  const close = async () => {
    await database.stop()
    await service.stop()
    removeDataDir(dataDir)
  }
  try {
    const { storeId, key, paymentWebhook } = createStore(service, 'Bench', 'sandbox')
    await fillCatalog(database.connection, storeId, { products, smallStores: 10 }, () => {})
    const [row] = await query('select id, default_outlet_id as "outletId" from store where public_id = $1', [storeId])
    const { id, outletId } = row as { id: number; outletId: number }
    await query('update stock set on_hand = 1000000 where store_id = $1', [id])
    await query(balanceLedgers)
    await query('update listing set in_stock = true where store_id = $1', [id])
    return {
      ...{ service, database, key, query, close },
      serverPid: await findServer(database.connection),
      store: { id, outletId, publicId: storeId, products },
      webhookLogin: `Basic ${Buffer.from(`${paymentWebhook.username}:${paymentWebhook.password}`).toString('base64')}`,
    }
  } catch (error) {
    await close()
    throw error
  }
}
