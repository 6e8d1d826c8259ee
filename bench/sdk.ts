import { parseArgs } from 'node:util'
import { type Client, createClient } from '../sdk/src/index.ts'
import { newDataDir, removeDataDir, startService } from './service.ts'

const help = `npm run bench:sdk -- [--rounds 200] [--calls 60] [--limit 20] [--smoke]

What the client adds to a call: the same answers through bare fetch and json(), through fetch with a time limit, which
the client always has, and through the client, in turns on one connection. Read the ratios: a noisy machine moves all
sides. "by cpu" is the processor time of this process alone, which the service has no part in.

  --rounds N  turns of each, of which the median counts
  --calls N   in each turn
  --limit N   products in a page
  --smoke     a few calls of each: shows in seconds that this still runs; its figures mean nothing`

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    calls: { type: 'string', default: '60' },
    limit: { type: 'string', default: '20' },
    smoke: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const print = (text: string) => void process.stdout.write(`${text}\n`)

type Measured = { micros: number; cpuMicros: number }

const measure = async (calls: number, call: Side): Promise<Measured> => {
  const cpu = process.cpuUsage()
  const began = performance.now()
  for (let i = 0; i < calls; i++) {
    if (!(await call())) throw new Error('something else came')
  }
  const { user, system } = process.cpuUsage(cpu)
  return { micros: ((performance.now() - began) * 1000) / calls, cpuMicros: (user + system) / calls }
}

const limit = Number(values.limit)
const rounds = values.smoke ? 3 : Number(values.rounds)
const calls = values.smoke ? 5 : Number(values.calls)

const median = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

const main = async () => {
  if (values.help) return print(help)
  const dataDir = newDataDir()
  try {
    const service = await startService(dataDir)
    try {
      const { key } = service.vitrine('key', 'create', '--rate-limit', '1000000000') as { key: string }
      await compare(service.url, key)
    } finally {
      await service.stop()
    }
  } finally {
    removeDataDir(dataDir)
  }
}

type Side = () => Promise<boolean>

/** The fastest call, which is cached, and one that reads the database. */
const compare = async (url: string, key: string) => {
  const shop = createClient({ url, storeKey: key })
  const [product] = (await shop.listProducts({ limit: 1, inStock: true })).items
  const cart = await shop.addToCart({ productId: product?.id ?? '', variantId: await variantOf(shop, product?.slug) })
  const headers = { accept: 'application/json', 'x-store-key': key }
  const asGuest = { ...headers, 'x-guest-token': (await shop.guestToken()) ?? '' }
  const get = async <Body>(path: string, init: RequestInit) =>
    (await (await fetch(`${url}${path}`, init)).json()) as Body
  const isPage = (products: unknown[]) => products.length === limit
  const list = `/v1/products?limit=${limit}`
  await compareSides(`a list of ${limit} products`, {
    'bare fetch': async () => isPage(await get(list, { headers })),
    'with a limit': async () => isPage(await get(list, { headers, signal: AbortSignal.timeout(30_000) })),
    client: async () => isPage((await shop.listProducts({ limit })).items),
  })
  const isCart = ({ id }: { id: string }) => id === cart.id
  await compareSides("a guest's cart", {
    'bare fetch': async () => isCart(await get(`/v1/cart/${cart.id}`, { headers: asGuest })),
    'with a limit': async () =>
      isCart(await get(`/v1/cart/${cart.id}`, { headers: asGuest, signal: AbortSignal.timeout(30_000) })),
    client: async () => isCart(await shop.showCart({ cartId: cart.id })),
  })
}

const variantOf = async (shop: Client, idOrSlug = '') => (await shop.showProduct({ idOrSlug })).variants[0]?.id ?? ''

const compareSides = async (title: string, sides: Record<string, Side>) => {
  const results: Record<string, Measured[]> = Object.fromEntries(Object.keys(sides).map((name) => [name, []]))
  for (const call of Object.values(sides)) await measure(calls * 5, call)
  for (let round = 0; round < rounds; round++) {
    // The order alternates, so that neither side always pays for the other's garbage.
    const order = Object.entries(sides)
    if (round % 2 === 1) order.reverse()
    for (const [name, call] of order) results[name]?.push(await measure(calls, call))
  }
  print(`${title}, ${rounds} turns of ${calls} calls`)
  const bare = results['bare fetch'] ?? []
  for (const [name, runs] of Object.entries(results)) {
    const micros = median(runs.map((run) => run.micros))
    const cpu = median(runs.map((run) => run.cpuMicros))
    const added = (pick: (run: Measured) => number) =>
      `${((median(runs.map((run, i) => pick(run) / pick(bare[i] as Measured))) - 1) * 100).toFixed(1)} %`.padStart(7)
    print(
      `  ${name.padEnd(13)}${(1e6 / micros).toFixed(0).padStart(6)} calls/s ${micros.toFixed(1).padStart(7)} µs ${cpu.toFixed(1).padStart(7)} µs cpu` +
        `   adds ${added((run) => run.micros)} by time ${added((run) => run.cpuMicros)} by cpu`,
    )
  }
}

await main()
