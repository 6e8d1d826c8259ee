import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { createShopServer } from '../../src/demo-shop/shop.routes.ts'
import { findStoreByPublicId } from '../../src/features/access/directory.ts'
import type { Store } from '../../src/features/context.ts'
import { type DemoKeys, seedDemo } from '../../src/features/demo-store/demo-store.ts'
import { mailJobNames } from '../../src/features/events/messages.ts'
import { merchantJobName } from '../../src/features/merchant-jobs/merchant-jobs.ts'
import { allowOrigin } from '../../src/features/stores/stores.ts'
import { listJobKinds } from '../../src/job-kinds.ts'
import { createJobRunner } from '../../src/jobs/runner.ts'
import { createFolderSender } from '../../src/providers/mail/folder-sender.ts'
import { type ServiceOptions, startTestService, type TestService } from '../harness.ts'
import { browserArgs, findChromium } from './chromium.ts'

/** The demo store on a real service, the demo shop on its own origin, and shoppers with browsers. */
export type BrowserFixture = {
  service: TestService
  store: Store
  keys: DemoKeys
  /** Where the shop is. */
  url: string
  /** A shopper with a browser context of their own. `pageErrors` collects exceptions and console errors. */
  newShopper(options?: BrowserContextOptions): Promise<Shopper>
  shoppers: Shopper[]
}

export type Shopper = { context: BrowserContext; page: Page; newTab(): Promise<Page>; pageErrors: string[] }

/** A test in a real browser. It is skipped where there is no Chromium. `settings` are of the service. */
export const browserTest = (
  name: string,
  story: (fixture: BrowserFixture, t: TestContext) => Promise<void>,
  settings: () => ServiceOptions = () => ({}),
) =>
  test(name, { timeout: 300_000 }, async (t) => {
    const program = findChromium()
    if (program === undefined) {
      assert.notEqual(process.env.CHROMIUM, 'required', 'a Chromium is required here, and there is none')
      return t.skip('there is no Chromium on this machine; CHROMIUM=/path/to/one npm test runs this too')
    }
    const fixture = await openFixture(t, program, settings())
    try {
      await story(fixture, t)
    } catch (error) {
      t.diagnostic(`screenshots: ${await takePictures(fixture)}`)
      throw error
    }
  })

let browser: Promise<Browser> | undefined
let idle: NodeJS.Timeout | undefined

/** One browser for all tests of this process, closed after a second without one. */
const openBrowser = (executablePath: string) => {
  clearTimeout(idle)
  browser ??= chromium.launch({ executablePath, args: browserArgs })
  return browser
}

const leaveBrowser = (opened: Browser) => {
  idle = setTimeout(() => {
    browser = undefined
    opened.close()
  }, 1_000)
}

const openFixture = async (
  t: TestContext,
  executablePath: string,
  settings: ServiceOptions,
): Promise<BrowserFixture> => {
  const opened = await openBrowser(executablePath)
  const shoppers: Shopper[] = []
  // First, and before the browser may close: on a busy machine the rest of the cleanup takes longer than a second.
  t.after(async () => {
    await Promise.all(shoppers.map(({ context }) => context.close()))
    leaveBrowser(opened)
  })
  const port = await freePort()
  const mailFolder = mkdtempSync(join(tmpdir(), 'vitrine-mail-'))
  t.after(() => rmSync(mailFolder, { recursive: true }))
  const mailSender = createFolderSender(mailFolder, () => {})
  const dataDir = mkdtempSync(join(tmpdir(), 'vitrine-data-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const publicUrl = `http://localhost:${port}`
  const service = await startTestService({ port, publicUrl, mailSender, dataDir, ...settings })
  t.after(() => service.close())
  const keys = await service.db.tx(seedDemo)
  const store = await findStoreByPublicId(service.db, keys.storeId)
  assert.ok(store)
  runJobsOf(service, store, t)
  const server = createShopServer({
    services: service.app.services,
    store: { id: keys.storeId, browserKey: keys.browserKey },
    apiUrl: `http://localhost:${port}`,
    codeFor: (phone) => service.messages.findLast((sent) => sent.phone === phone)?.code,
    mailFolder,
    logger: service.app.server.log,
  })
  t.after(() => server.close())
  const url = (await server.listen({ port: 0, host: '127.0.0.1' })).replace('127.0.0.1', 'localhost')
  await service.db.tx((tx) => allowOrigin(tx, store, url))

  const newShopper = async (options: BrowserContextOptions = {}): Promise<Shopper> => {
    const context = await opened.newContext({ baseURL: url, locale: 'en-IN', reducedMotion: 'reduce', ...options })
    const pageErrors: string[] = []
    context.on('weberror', (error) => pageErrors.push(String(error.error())))
    context.on('console', (line) => line.type() === 'error' && pageErrors.push(`${line.text()} ${line.location().url}`))
    const newTab = async () => {
      const page = await context.newPage()
      page.setDefaultTimeout(60_000)
      return page
    }
    const shopper = { context, page: await newTab(), newTab, pageErrors }
    shoppers.push(shopper)
    return shopper
  }
  return { service, store, keys, url, newShopper, shoppers }
}

const jobNames: readonly string[] = [...Object.values(mailJobNames), 'webhook', merchantJobName]

/** Sends mail and webhooks, and does the jobs of merchants, of this store only: the database has those of other tests too. */
const runJobsOf = (service: TestService, store: Store, t: TestContext) => {
  const kinds = listJobKinds(service.app.services, service.db)
    .filter(({ name }) => jobNames.includes(name))
    .map((kind) => ({
      ...kind,
      findDue: async () => (await kind.findDue()).filter(({ storeId }) => storeId === store.id),
    }))
  const runner = createJobRunner({ kinds, onFailure: (name, err) => service.logger.warn({ err }, name), everyMs: 200 })
  runner.start()
  t.after(() => runner.stop())
}

/** After a failure: a screenshot of each open page, with its address and errors. */
const takePictures = async ({ shoppers }: BrowserFixture) => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-browser-'))
  const taken: string[] = []
  for (const { context, pageErrors } of shoppers) {
    for (const page of context.pages()) {
      const path = join(folder, `${taken.length}.png`)
      await page.screenshot({ path }).catch(() => {})
      taken.push(`${path} of ${page.url()} ${pageErrors.join(' | ')}`)
    }
  }
  return taken.join('; ')
}

const freePort = async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
