import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { startBare } from './bare.ts'
import { type Measured, median, requireWrk, sendLoad } from './load.ts'
import { newDataDir, removeDataDir } from './service.ts'
import { openShop } from './shop.ts'

const help = `npm run bench:workers -- [--workers 1,2,4] [--seconds 4] [--rounds 3] [--smoke]

Measures cached reads of services with several workers against bare node:http in as many processes that sends the same
bytes, in turns. Read the ratios; that of the processor time, of all processes together, also holds on a busy machine.
More workers than cores do not help, and wrk needs a core too. Needs wrk.

  --workers N,N  numbers of workers
  --seconds N    of each run
  --rounds N     runs of each, of which the median counts
  --smoke        everything once, with little data: shows in seconds that this still runs; its figures mean nothing`

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '1,2,4' },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    smoke: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const print = (text: string) => void process.stdout.write(`${text}\n`)
const { smoke } = values
const numbers = (smoke ? '2' : values.workers).split(',').map(Number)
const seconds = smoke ? 1 : Number(values.seconds)
const warmUpSeconds = smoke ? 1 : 5
const rounds = smoke ? 1 : Number(values.rounds)
const size = { products: 200, smallStores: 2 }

const main = async () => {
  if (values.help) return print(help)
  requireWrk()
  print(`${availableParallelism()} cores, ${rounds} rounds of ${seconds} s`)
  const dataDir = newDataDir()
  try {
    for (const workers of numbers) await measureWorkers(workers, dataDir)
  } finally {
    removeDataDir(dataDir)
  }
}

const measureWorkers = async (workers: number, dataDir: string) => {
  const { service, headers, someProduct, close } = await openShop(size, dataDir, { VITRINE_WORKERS: String(workers) })
  try {
    for (const path of ['/v1/products', `/v1/products/${someProduct}`]) {
      const load = { url: `${service.url}${path}`, headers, pid: service.pid, withChildren: true }
      const bare = await startBare(load, { workers })
      const runs: Record<'service' | 'bare', Measured[]> = { service: [], bare: [] }
      try {
        // Each process compiles what it runs often, which takes longer the more there are.
        await sendLoad(load, warmUpSeconds)
        for (let round = 0; round < rounds; round++) {
          runs.service.push(await sendLoad(load, seconds))
          runs.bare.push(await sendLoad({ ...bare.load, withChildren: true }, seconds))
        }
      } finally {
        await bare.stop()
      }
      report(workers, path, median(runs.service), median(runs.bare))
    }
  } finally {
    await close()
  }
}

const report = (workers: number, path: string, service: Measured, bare: Measured) => {
  if (service.errors > 0) throw new Error(`${service.errors} requests failed`)
  const ratio = (service.rate / bare.rate).toFixed(2)
  const rate = (run: Measured) => `${Math.round(run.rate).toLocaleString('en').padStart(7)} a second`
  const cpu = (run: Measured) => Math.round(run.cpuMicros)
  print(
    `${workers} worker${workers === 1 ? ' ' : 's'}  ${path.padEnd(26)} ${rate(service)}, p99 ${service.p99.toFixed(1)} ms; bare ${rate(bare)}; ratio ${ratio}; CPU ${cpu(service)} and ${cpu(bare)} µs a request, ratio ${(bare.cpuMicros / service.cpuMicros).toFixed(2)}`,
  )
}

await main()
