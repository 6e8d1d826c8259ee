import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { type Browser, chromium } from 'playwright-core'
import { browserArgs, findChromium } from '../test/browser/chromium.ts'
import { newDataDir, removeDataDir, type Service, startService } from './service.ts'

const help = `npm run bench:admin-page -- [--rounds 15] [--smoke]

Measures how soon the first screen of the admin page is useful on a slow phone: a Chromium slowed down four times, on a
line with 1.6 Mbit/s and 150 ms for every request. "First" has nothing in its cache, "later" has the files of the page.
The limit is an empty page of a bare node:http server in the same browser. Needs a Chromium.

  --rounds N  visits of each kind
  --smoke     one visit of each: shows in seconds that this still runs; its figures mean nothing`

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    smoke: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const print = (text: string) => void process.stdout.write(`${text}\n`)
const rounds = values.smoke ? 1 : Number(values.rounds)

const slowLine = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
}

/** A page on a slow phone. */
const openPhone = async (browser: Browser) => {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true })
  const page = await context.newPage()
  await page.addInitScript(watch)
  const slow = await context.newCDPSession(page)
  await slow.send('Network.enable')
  await slow.send('Network.emulateNetworkConditions', slowLine)
  await slow.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  return { context, page, slow }
}

/** What the person waits for: the heading of the empty page, and the counts of Today. */
const useful = 'h1.empty, .tasks[aria-busy=false] a'

/**
 * Runs in every page before its own scripts, and notes when the frame with the element is drawn. To wait for it with
 * Playwright would load Playwright's own script into the page, which takes a slow phone hundreds of milliseconds.
 */
const watch = `globalThis.usefulAt = new Promise((resolve) => {
  const look = () => {
    if (document.querySelector(${JSON.stringify(useful)}) === null) return
    observer.disconnect()
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now())))
  }
  const observer = new MutationObserver(look)
  observer.observe(document, { subtree: true, childList: true, attributeFilter: ['aria-busy'] })
})`

/** Milliseconds from the beginning of the navigation until the useful part is drawn. */
const measure = async ({ page, slow }: Awaited<ReturnType<typeof openPhone>>, url: string): Promise<number> => {
  await page.goto(url, { waitUntil: 'commit' })
  const { result } = await slow.send('Runtime.evaluate', {
    ...{ expression: 'usefulAt', awaitPromise: true, returnByValue: true },
  })
  return result.value
}

const medianOf = (figures: readonly number[]) =>
  [...figures].sort((one, other) => one - other)[figures.length >> 1] ?? 0

const startBare = async () => {
  const server = createServer((_, answer) => {
    answer.setHeader('content-type', 'text/html')
    answer.end('<!doctype html><title>Empty</title><h1 class=empty>Empty</h1>')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { url: `http://localhost:${(server.address() as AddressInfo).port}`, stop: () => void server.close() }
}

/** A link with which the owner of the demo store chooses a password, which signs in too. */
const newOwner = (service: Service) => {
  const options = ['--email', 'owner@bench.example', '--name', 'Owner', '--role', 'owner']
  return service.vitrine('staff', 'create', ...options) as { link: string }
}

const main = async () => {
  if (values.help) return print(help)
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('There is no Chromium on this machine. Name one in CHROMIUM.')
  const dataDir = newDataDir()
  const service = await startService(dataDir)
  const bare = await startBare()
  const browser = await chromium.launch({ executablePath, args: browserArgs })
  try {
    const phone = await openPhone(browser)
    const origin = service.url.replace('127.0.0.1', 'localhost')
    const token = new URL(newOwner(service).link).searchParams.get('token')
    const entered = await phone.context.request.post(`${origin}/admin/v1/password`, {
      headers: { origin },
      data: { token, password: 'a good password' },
    })
    if (!entered.ok()) throw new Error(await entered.text())
    const { stores } = (await entered.json()) as { stores: { id: string }[] }
    const today = `${origin}/admin/${stores[0]?.id}`
    // The first request bundles the page, and the first measurements warm the browser up.
    await measure(phone, today)
    const figures: Record<'limit' | 'first' | 'later', number[]> = { limit: [], first: [], later: [] }
    for (let round = 0; round < rounds; round++) {
      figures.limit.push(await measure(phone, bare.url))
      await phone.slow.send('Network.clearBrowserCache')
      figures.first.push(await measure(phone, today))
      figures.later.push(await measure(phone, today))
    }
    const limit = medianOf(figures.limit)
    print(`${'visit'.padEnd(8)}${'median ms'.padStart(12)}${'of the limit'.padStart(14)}`)
    for (const [name, all] of Object.entries(figures)) {
      const median = medianOf(all)
      print(`${name.padEnd(8)}${median.toFixed(0).padStart(12)}${(median / limit).toFixed(1).padStart(14)}`)
    }
  } finally {
    await browser.close()
    bare.stop()
    await service.stop()
    removeDataDir(dataDir)
  }
}

await main()
