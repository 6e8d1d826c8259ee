import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { errorCode, errorMessage } from '../core/thrown.ts'
import type { Db } from '../db/database.ts'
import { findStoreByPublicId } from '../features/access/directory.ts'
import type { Services, Store } from '../features/context.ts'
import { allowOrigin } from '../features/stores/stores.ts'
import { hasShop } from './assets.ts'
import { createShopServer, type ShopOptions } from './shop.routes.ts'

type StartShop = {
  config: Config
  services: Services
  keys: { storeId: string; browserKey: string }
  codeFor: ShopOptions['codeFor']
  logger: Logger
}

/** Where the shop is, or why it is not there. A shop that cannot be served is no reason not to serve the API. */
export type OpenedShop = { url: string; close(): Promise<void> } | { trouble: string }

export const startShop = async (options: StartShop): Promise<OpenedShop> => {
  const { config, services, keys } = options
  const store = await findStoreByPublicId(services.db, keys.storeId)
  if (store === undefined) return { trouble: 'the demo store is gone' }
  if (!hasShop()) return { trouble: 'it is not part of this installation' }
  const server = createShopServer({
    services,
    store: { id: keys.storeId, browserKey: keys.browserKey },
    apiUrl: config.publicUrl,
    codeFor: options.codeFor,
    logger: options.logger,
  })
  const close = () => server.close()
  try {
    await server.listen({ port: config.demoPort, host: config.host })
  } catch (error) {
    await close()
    return { trouble: describeTrouble(error, config.demoPort) }
  }
  const port = portOf(server)
  try {
    await allowOrigins(services.db, store, [`http://localhost:${port}`, `http://127.0.0.1:${port}`])
  } catch (error) {
    await close()
    throw error
  }
  return { url: `http://localhost:${port}`, close }
}

const portOf = ({ server }: ReturnType<typeof createShopServer>) => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the demo shop listens on no port')
  return address.port
}

const describeTrouble = (error: unknown, port: number) =>
  errorCode(error) === 'EADDRINUSE' ? `port ${port} is in use; set VITRINE_DEMO_PORT to another` : errorMessage(error)

/** The shop calls the API from its own origin, like any other storefront, so that origin must be one of the store's. */
const allowOrigins = async (db: Db, store: Store, origins: readonly string[]) => {
  const missing = origins.filter((origin) => !store.origins.has(origin))
  if (missing.length === 0) return
  await db.tx(async (tx) => {
    for (const origin of missing) await allowOrigin(tx, store, origin)
  })
}
