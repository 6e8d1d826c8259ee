import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, openAsBlob, rmSync, statSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createStore, peakMegabytes, program, type Service } from './service.ts'

/** Times `vitrine catalog import` of a file of JSON lines into a new store: first all new, then all unchanged. */
export const measureImport = async (service: Service, products: number) => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-bench-import-'))
  try {
    const file = join(folder, 'products.jsonl')
    await pipeline(Readable.from(productLines(products)), createWriteStream(file))
    const { storeId } = createStore(service, 'Import', 'cod')
    const megabytes = statSync(file).size / 1024 / 1024
    const first = await timeImport(service, storeId, file)
    const again = await timeImport(service, storeId, file)
    return { megabytes, first, again }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const timeImport = async (service: Service, storeId: string, file: string) => {
  const began = performance.now()
  const args = [program, 'catalog', 'import', file, '--store', storeId, '--json']
  const child = spawn(process.execPath, args, { env: service.env, stdio: ['ignore', 'ignore', 'inherit'] })
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, peakMegabytes(child.pid as number))
  }, 50)
  const [code] = await once(child, 'exit')
  clearInterval(watch)
  if (code !== 0) throw new Error(`the import ended with ${code}`)
  return { seconds: (performance.now() - began) / 1000, peak }
}

/** Plain products, some with variants, with texts as long as shops write them. */
export const productLines = function* (products: number) {
  for (let n = 0; n < products; n++) {
    const words = (count: number, step: number) =>
      Array.from({ length: count }, (_, i) => `word${(n * step + i * i * 7919) % 20_000}`).join(' ')
    const product = {
      name: `${words(4, 31)} ${n}`,
      slug: `import-${n}`,
      description: `<p>${words(40, 17)}</p>`,
      category: `Group ${n % 20} > Shelf ${n % 200}`,
      images: [`https://img.example/${n}.jpg`],
      tags: [`tag${n % 50}`],
    }
    const sizes = ['S', 'M', 'L'].map((size, i) => ({ options: { Size: size }, price: 100 + (n % 900) + i, stock: i }))
    const plain = { price: 100 + (n % 900), sku: `SKU-${n}`, stock: n % 10 }
    yield `${JSON.stringify({ ...product, ...(n % 5 === 0 ? { variants: sizes } : plain) })}\n`
  }
}

type Job = { id: string; status: string; faults: unknown[] }

/** Starts an import by HTTP, as the admin page does. */
export const startImport = async (service: Service, storeId: string, file: string) => {
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
