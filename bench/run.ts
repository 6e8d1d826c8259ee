import { fork } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { parseArgs } from 'node:util'
import { type Load, type Measured, median, requireWrk, sendLoad } from './load.ts'
import { endChild, freePort, newDataDir, removeDataDir, residentMegabytes, startService } from './service.ts'

const help = `npm run bench -- [--seconds 4] [--rounds 3]

Measures cached catalog reads of a real service against bare node:http that sends the same bytes, in turns, in one run.
Read the ratios: a noisy machine moves both sides. Needs wrk.`

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    help: { type: 'boolean', default: false },
  },
})

const print = (text: string) => void process.stdout.write(`${text}\n`)

const main = async () => {
  if (values.help) return print(help)
  requireWrk()
  const dataDir = newDataDir()
  try {
    await measureStarts(dataDir)
    const service = await startService(dataDir)
    try {
      const { key } = service.vitrine('key', 'create', '--rate-limit', '1000000000') as { key: string }
      print(`\n${'read'.padEnd(26)}     rate  p50 ms  p99 ms  cpu µs    bare  cpu µs   ratio  by cpu`)
      const headers = { 'x-store-key': key }
      await compare('product list', { url: `${service.url}/v1/products`, headers, pid: service.pid })
      await compare('product list, gzip', {
        url: `${service.url}/v1/products`,
        headers: { ...headers, 'accept-encoding': 'gzip' },
        pid: service.pid,
      })
      await compare('product', { url: `${service.url}/v1/products/cafe-au-lait-mug`, headers, pid: service.pid })
      const { headers: sent } = await fetch(`${service.url}/v1/products`, { headers })
      await compare('product list, 304', {
        url: `${service.url}/v1/products`,
        headers: { ...headers, 'if-none-match': sent.get('etag') ?? '' },
        pid: service.pid,
      })
      print(`\nNode after the load: ${residentMegabytes(service.pid).toFixed(0)} MB`)
    } finally {
      await service.stop()
    }
  } finally {
    removeDataDir(dataDir)
  }
}

const measureStarts = async (dataDir: string) => {
  const first = await startService(dataDir)
  await first.stop()
  print(`first start to healthy  ${(first.startMs / 1000).toFixed(2)} s`)
  const later = await startService(dataDir)
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  print(`later start to healthy  ${(later.startMs / 1000).toFixed(2)} s`)
  print(`Node when idle          ${residentMegabytes(later.pid).toFixed(0)} MB`)
  await later.stop()
}

/** In turns, so that what disturbs the machine disturbs both sides. */
const compare = async (name: string, load: Load) => {
  const bare = await startBare(load)
  try {
    const seconds = Number(values.seconds)
    await sendLoad(load, 1)
    await sendLoad(bare.load, 1)
    const ours: Measured[] = []
    const limit: Measured[] = []
    for (let round = 0; round < Number(values.rounds); round++) {
      limit.push(await sendLoad(bare.load, seconds))
      ours.push(await sendLoad(load, seconds))
    }
    printRow(name, median(ours), median(limit))
  } finally {
    await bare.stop()
  }
}

const printRow = (name: string, ours: Measured, limit: Measured) => {
  if (ours.errors > 0) throw new Error(`${ours.errors} answers were errors`)
  print(
    [
      name.padEnd(26),
      ours.rate.toFixed(0).padStart(8),
      ours.p50.toFixed(2).padStart(7),
      ours.p99.toFixed(2).padStart(7),
      ours.cpuMicros.toFixed(1).padStart(7),
      limit.rate.toFixed(0).padStart(7),
      limit.cpuMicros.toFixed(1).padStart(7),
      (ours.rate / limit.rate).toFixed(2).padStart(7),
      (limit.cpuMicros / ours.cpuMicros).toFixed(2).padStart(7),
    ].join(' '),
  )
}

const ownHeaders = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding'])

const startBare = async (load: Load) => {
  const answer = await askRaw(load)
  const headers = Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !ownHeaders.has(name)))
  const port = await freePort()
  const child = fork(new URL('./bare-server.ts', import.meta.url), {
    env: {
      ...process.env,
      BARE_PORT: String(port),
      BARE_ANSWER: JSON.stringify({ status: answer.status, headers, body: answer.body.toString('base64') }),
    },
  })
  await once(child, 'message')
  return {
    load: { url: `http://127.0.0.1:${port}/`, headers: load.headers, pid: child.pid as number },
    stop: () => endChild(child),
  }
}

/** The answer as it is on the wire: fetch would ask for compression and unpack it. */
const askRaw = async ({ url, headers }: Load) => {
  const outgoing = request(url, { headers }).end()
  const [incoming] = await once(outgoing, 'response')
  return { status: incoming.statusCode, headers: incoming.headers, body: Buffer.concat(await incoming.toArray()) }
}

await main()
