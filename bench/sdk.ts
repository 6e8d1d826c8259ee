import { parseArgs } from 'node:util'
import { createClient } from '../sdk/src/index.ts'
import { newDataDir, removeDataDir, startService } from './service.ts'

const help = `node bench/sdk.ts [--rounds 40] [--calls 300] [--limit 20]

What the client adds to a call: the same list of products through bare fetch and json(), and through the client, in
turns on one connection. Read the ratios: a noisy machine moves both sides. "by cpu" is the processor time of this
process alone, which the service has no part in.

  --rounds N  turns of each, of which the median counts
  --calls N   in each turn
  --limit N   products in a page`

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '40' },
    calls: { type: 'string', default: '300' },
    limit: { type: 'string', default: '20' },
    help: { type: 'boolean', default: false },
  },
})

const print = (text: string) => void process.stdout.write(`${text}\n`)

type Measured = { micros: number; cpuMicros: number }

const measure = async (calls: number, call: () => Promise<number>): Promise<Measured> => {
  const cpu = process.cpuUsage()
  const began = performance.now()
  for (let i = 0; i < calls; i++) {
    if ((await call()) !== limit) throw new Error('not the whole page came')
  }
  const { user, system } = process.cpuUsage(cpu)
  return { micros: ((performance.now() - began) * 1000) / calls, cpuMicros: (user + system) / calls }
}

const limit = Number(values.limit)

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

const compare = async (url: string, key: string) => {
  const headers = { accept: 'application/json', 'x-store-key': key }
  const shop = createClient({ url, storeKey: key })
  const sides = {
    'bare fetch': async () => {
      const response = await fetch(`${url}/v1/products?limit=${limit}`, { headers })
      return ((await response.json()) as unknown[]).length
    },
    client: async () => (await shop.listProducts({ limit })).items.length,
  }
  const calls = Number(values.calls)
  const results: Record<string, Measured[]> = { 'bare fetch': [], client: [] }
  for (const call of Object.values(sides)) await measure(calls * 5, call)
  for (let round = 0; round < Number(values.rounds); round++) {
    // Who comes first changes, so that neither side always runs behind the other's garbage.
    const order = Object.entries(sides)
    if (round % 2 === 1) order.reverse()
    for (const [name, call] of order) results[name]?.push(await measure(calls, call))
  }
  const [bare, client] = Object.values(results) as [Measured[], Measured[]]
  print(`pages of ${limit} products, ${values.rounds} turns of ${calls} calls`)
  for (const [name, runs] of Object.entries(results)) {
    const micros = median(runs.map((run) => run.micros))
    const cpu = median(runs.map((run) => run.cpuMicros))
    print(
      `${name.padEnd(12)} ${(1e6 / micros).toFixed(0).padStart(6)} calls/s ${micros.toFixed(1).padStart(7)} µs ${cpu.toFixed(1).padStart(7)} µs cpu`,
    )
  }
  const added = (pick: (run: Measured) => number) =>
    (median(client.map((run, i) => pick(run) / pick(bare[i] as Measured))) - 1) * 100
  print(
    `the client adds ${added((run) => run.micros).toFixed(1)} % by time, ${added((run) => run.cpuMicros).toFixed(1)} % by cpu`,
  )
}

await main()
