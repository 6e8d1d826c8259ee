import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestService } from '../../test/harness.ts'
import { openShop as openStocked } from '../features/checkout/fixture.ts'
import { rememberCodes } from './development.ts'
import { createShopServer } from './shop.routes.ts'

/** The demo shop of a new store, on its own port. */
export const openDemoShop = async (service: TestService, t: { after(undo: () => unknown): void }) => {
  const stocked = await openStocked(service)
  const { storeId } = stocked.shop
  const { codeFor, sender } = rememberCodes({ name: 'none', send: async () => {} })
  const dataFolder = mkdtempSync(join(tmpdir(), 'vitrine-demo-shop-'))
  t.after(() => rmSync(dataFolder, { recursive: true }))
  const mailFolder = join(dataFolder, 'mail')
  const server = createShopServer({
    services: service.app.services,
    store: { id: storeId, browserKey: 'vpk_<script>' },
    apiUrl: service.url,
    codeFor: (phone) => codeFor(storeId, phone),
    mailFolder,
    logger: service.app.server.log,
  })
  t.after(() => server.close())
  const url = await server.listen({ port: 0, host: '127.0.0.1' })
  return { ...stocked, storeId, url, sender, server, mailFolder }
}
