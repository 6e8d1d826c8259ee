import type { Logger } from 'pino'
import { type App, type AppOptions, createApp } from '../app.ts'
import type { Config } from '../config.ts'
import { rememberCodes } from '../demo-shop/development.ts'
import { startShop } from '../demo-shop/start-shop.ts'
import type { DemoKeys } from '../features/demo-store/demo-store.ts'
import { chooseSmsSender } from '../providers/sms/choose.ts'
import type { SmsSender } from '../providers/sms/sender.ts'
import { listenOrExplain } from './listen.ts'
import type { SentCode, ShopState } from './messages.ts'

/** What exists before the service opens. */
export type Prepared = Pick<AppOptions, 'connection' | 'directConnection' | 'secrets'> & {
  config: Config
  logger: Logger
  /** Null without the demo store. */
  demo: DemoKeys | null
}

/** What a worker shares with the others of its instance. */
export type Shared = NonNullable<AppOptions['shared']> & {
  /** Tells the process of the demo shop. */
  tellCode(code: SentCode): void
}

export type OpenedService = {
  app: App
  port: number
  shop: ShopState | null
  /** A code that another worker has sent. */
  rememberCode(code: SentCode): void
  close(): Promise<void>
}

/** The whole service in this process. */
export const openService = async (prepared: Prepared): Promise<OpenedService> => {
  const codes = codesOf(prepared)
  const app = await createApp({ ...prepared, ...(codes && { sms: codes.sender }) })
  try {
    await listenOrExplain(app, prepared.config)
    const shop = await openShop(app, codes, prepared)
    return { app, port: portOf(app), ...shop }
  } catch (error) {
    await app.close()
    throw error
  }
}

/** The part that answers requests. */
export const openServing = async (prepared: Prepared, shared: Shared): Promise<OpenedService> => {
  const sender = senderOf(prepared)
  const sms = sender && { sms: tellingCodes(sender, shared.tellCode) }
  const app = await createApp({ ...prepared, shared, jobs: null, ...sms })
  await listenOrExplain(app, prepared.config)
  return { app, port: portOf(app), shop: null, rememberCode: () => {}, close: app.close }
}

/** The part that runs the jobs of all workers, and the demo shop. */
export const openBackground = async (prepared: Prepared, shared: Shared): Promise<OpenedService> => {
  const codes = codesOf(prepared)
  const app = await createApp({ ...prepared, shared })
  return { app, port: 0, ...(await openShop(app, codes, prepared)) }
}

/** The demo shop shows only codes that the log shows too, never codes that were sent to a real phone. */
const senderOf = ({ config, demo }: Prepared) =>
  demo !== null && config.sms.sender === 'console' ? chooseSmsSender(config) : null

const codesOf = (prepared: Prepared) => {
  const sender = senderOf(prepared)
  return sender && rememberCodes(sender)
}

const tellingCodes = (sender: SmsSender, tell: (code: SentCode) => void): SmsSender => ({
  name: sender.name,
  send: async (message) => {
    await sender.send(message)
    const { storeId, phone, code } = message
    tell({ storeId, phone, code })
  },
})

const openShop = async (app: App, codes: ReturnType<typeof codesOf>, { config, demo, logger }: Prepared) => {
  const codeFor = codes && demo && ((phone: string) => codes.codeFor(demo.storeId, phone))
  const shop = demo && (await startShop({ config, services: app.services, keys: demo, codeFor, logger }))
  return {
    shop: shop && ('url' in shop ? { url: shop.url } : shop),
    rememberCode: (code: SentCode) => codes?.remember(code),
    close: async () => {
      if (shop !== null && 'close' in shop) await shop.close()
      await app.close()
    },
  }
}

const portOf = ({ server }: App) => {
  const [address] = server.addresses()
  if (typeof address !== 'object') throw new Error('the server does not listen')
  return address.port
}
