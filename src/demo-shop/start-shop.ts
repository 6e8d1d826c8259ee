import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { DomainError } from '../core/domain-errors.ts'
import { errorCode, errorMessage } from '../core/thrown.ts'
import type { Db } from '../db/database.ts'
import { findStoreByPublicId } from '../features/access/directory.ts'
import type { Services, Store } from '../features/context.ts'
import { unchanged } from '../features/stores/settings.ts'
import { allowOrigin, changeStore } from '../features/stores/stores.ts'
import { demoShop, hasPage } from '../http/page-assets.ts'
import { mailFolderIn } from '../providers/mail/choose.ts'
import { createShopServer, type ShopOptions } from './shop.routes.ts'

type StartShop = {
  config: Config
  services: Services
  keys: { storeId: string; browserKey: string }
  codeFor: ShopOptions['codeFor']
  logger: Logger
}

/** The running shop, or the reason why it does not run, which does not stop the API. */
export type OpenedShop = { url: string; close(): Promise<void> } | { reason: string }

export const startShop = async (options: StartShop): Promise<OpenedShop> => {
  const { config, services, keys } = options
  const store = await findStoreByPublicId(services.db, keys.storeId)
  if (store === undefined) return { reason: 'the demo store was deleted' }
  if (!hasPage(demoShop)) return { reason: 'it is not part of this installation' }
  const server = createShopServer({
    services,
    store: { id: keys.storeId, browserKey: keys.browserKey },
    apiUrl: config.publicUrl,
    codeFor: options.codeFor,
    mailFolder: config.mail.smtpUrl === null ? mailFolderIn(config.dataDir) : null,
    logger: options.logger,
  })
  const close = () => server.close()
  try {
    await server.listen({ port: config.demoPort, host: config.host })
  } catch (error) {
    await close()
    return { reason: describeListenError(error, config.demoPort) }
  }
  const port = portOf(server)
  const url = `http://localhost:${port}`
  try {
    await setAddress(services.db, store, url)
    await allowOrigins(services.db, store, [url, `http://127.0.0.1:${port}`])
  } catch (error) {
    await close()
    throw error
  }
  return { url, close }
}

const portOf = ({ server }: ReturnType<typeof createShopServer>) => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the demo shop does not listen on a port')
  return address.port
}

const describeListenError = (error: unknown, port: number) =>
  errorCode(error) === 'EADDRINUSE' ? `port ${port} is in use; set VITRINE_DEMO_PORT to another` : errorMessage(error)

/** The admin page and mail link to the shop at the address of the store, unless a person has chosen another. */
const setAddress = async (db: Db, store: Store, url: string) => {
  const isStandIn = /\.example$|^http:\/\/localhost:/.test(store.domain)
  if (!isStandIn || store.domain === url) return
  try {
    await db.tx((tx) => changeStore(tx, store, { ...unchanged, domain: url }))
  } catch (error) {
    // Another demo store was at this address before.
    if (!(error instanceof DomainError && error.code === 'DOMAIN_TAKEN')) throw error
  }
}

/** The shop calls the API from its own origin, like any storefront, so the store must allow that origin. */
const allowOrigins = async (db: Db, store: Store, origins: readonly string[]) => {
  const missing = origins.filter((origin) => !store.origins.has(origin))
  if (missing.length === 0) return
  await db.tx(async (tx) => {
    for (const origin of missing) await allowOrigin(tx, store, origin)
  })
}
