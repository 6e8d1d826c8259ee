import { createWriteStream, mkdtempSync, openAsBlob, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openEmbedded } from '../src/db/embedded.ts'
import { fillCatalog } from './big-catalog.ts'
import { productLines } from './import.ts'
import { type Latency, readFor } from './latency.ts'
import { createStore, newDataDir, peakMegabytes, removeDataDir, type Service, startService } from './service.ts'

const help = `npm run bench:import -- [--products 100000] [--seconds 15] [--smoke]

Measures what shoppers notice of an import by HTTP into their own shop: a shopper reads lists, searches and products
from the database, one read after another, first while nothing else happens and then until the import has ended. Read the
ratio of the two p99.

  --products N   products in the file
  --seconds N    of the quiet run
  --smoke        a small file, to see that it works`

const { values } = parseArgs({
  options: {
    products: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '15' },
    smoke: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const print = (text: string) => void process.stdout.write(`${text}\n`)
const products = values.smoke ? 500 : Number(values.products)
const seconds = values.smoke ? 1 : Number(values.seconds)
const existing = values.smoke ? 500 : 10_000
const paths = ['/v1/products?limit=20', '/v1/products?limit=20&search=word7', '/v1/categories']

const main = async () => {
  if (values.help) return print(help)
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-bench-'))
  const dataDir = newDataDir()
  const service = await startService(dataDir)
  try {
    const { storeId, key } = createStore(service, 'Bench', 'cod')
    const database = await openEmbedded({ dataDir, role: 'command' })
    await fillCatalog(database.connection, storeId, { products: existing, smallStores: 10 }, () => {})
    await database.stop()
    const file = join(folder, 'products.jsonl')
    await pipeline(Readable.from(productLines(products)), createWriteStream(file))
    await readFor(service, key, 1, { paths })
    const quiet = await readFor(service, key, seconds, { paths })
    const began = performance.now()
    const job = await startImport(service, storeId, file)
    let hasEnded = false
    const ended = job.untilEnded().finally(() => {
      hasEnded = true
    })
    const importing = await readFor(service, key, { hasEnded: () => hasEnded }, { paths })
    await ended
    report(quiet, importing, (performance.now() - began) / 1000)
    print(`peak memory of the service: ${peakMegabytes(service.pid).toFixed(0)} MB`)
  } finally {
    await service.stop()
    removeDataDir(dataDir)
    rmSync(folder, { recursive: true })
  }
}

type Job = { id: string; status: string; faults: unknown[] }

const startImport = async (service: Service, storeId: string, file: string) => {
  const { token } = service.vitrine('token', 'create', '--store', storeId, '--role', 'manager') as { token: string }
  const headers = { authorization: `Bearer ${token}` }
  const url = `${service.url}/admin/v1/stores/${storeId}/jobs`
  const form = new FormData()
  form.set('type', 'import')
  form.set('file', await openAsBlob(file), 'products.jsonl')
  const answer = await fetch(url, { method: 'POST', headers, body: form })
  if (!answer.ok) throw new Error(`the import was refused: ${await answer.text()}`)
  const { id } = (await answer.json()) as Job
  const untilEnded = async () => {
    for (;;) {
      const { status, faults } = (await (await fetch(`${url}/${id}`, { headers })).json()) as Job
      if (status === 'done') return
      if (status === 'failed') throw new Error(`the import failed: ${JSON.stringify(faults)}`)
      await sleep(500)
    }
  }
  return { untilEnded }
}

const report = (quiet: Latency, importing: Latency, took: number) => {
  const columns = ['p50 ms', 'p99 ms', 'reads', 'faults', 'unhealthy']
  print(['shopper'.padEnd(14), ...columns.map((heading) => heading.padStart(10))].join(''))
  for (const [name, { p50, p99, reads, faults, unhealthy }] of Object.entries({ quiet, importing })) {
    const figures = [p50.toFixed(2), p99.toFixed(2), reads, faults, unhealthy]
    print(name.padEnd(14) + figures.map((figure) => `${figure}`.padStart(10)).join(''))
  }
  print(`p99 during the import: ${(importing.p99 / quiet.p99).toFixed(2)} times the quiet one`)
  print(`${products} products in ${took.toFixed(1)} s, ${(products / took).toFixed(0)} a second`)
}

await main()
