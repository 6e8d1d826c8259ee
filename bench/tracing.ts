import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Measured, median, requireWrk, sendLoad } from './load.ts'
import { createStore, newDataDir, newEmptyDir, program, removeDataDir, startService } from './service.ts'

const help = `npm run bench:tracing -- [--against FOLDER] [--seconds 4] [--rounds 5] [--smoke]

Measures a cached read and an uncached one: without an SDK, with an SDK that drops every span, and with one that records
every span and throws it away. In turns; read the ratios of processor time. Needs wrk.

  --against FOLDER  also another checkout, such as the commit before tracing, without an SDK
  --seconds N       of each run
  --rounds N        runs of each, of which the median counts
  --smoke           everything once and short; its figures mean nothing`

const { values } = parseArgs({
  options: {
    against: { type: 'string' },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '5' },
    smoke: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const print = (text: string) => void process.stdout.write(`${text}\n`)
const seconds = values.smoke ? 1 : Number(values.seconds)
const rounds = values.smoke ? 1 : Number(values.rounds)

const sdk = (sampler: string) => `
import { context, trace } from '${import.meta.resolve('@opentelemetry/api')}'
import hooks from '${import.meta.resolve('@opentelemetry/context-async-hooks')}'
import * as base from '${import.meta.resolve('@opentelemetry/sdk-trace-base')}'
const { BasicTracerProvider, SimpleSpanProcessor, ${sampler} } = base.default ?? base
context.setGlobalContextManager(new hooks.AsyncLocalStorageContextManager().enable())
const exporter = { export: (_spans, done) => done({ code: 0 }), shutdown: async () => {} }
const spanProcessors = [new SimpleSpanProcessor(exporter)]
trace.setGlobalTracerProvider(new BasicTracerProvider({ sampler: new ${sampler}(), spanProcessors }))
`

const main = async () => {
  if (values.help) return print(help)
  requireWrk()
  const folder = newEmptyDir()
  const withSdk = (name: string, sampler: string) => {
    const file = join(folder, `${name}.mjs`)
    writeFileSync(file, sdk(sampler))
    return { name, env: { NODE_OPTIONS: `--import ${file}` }, from: program }
  }
  const forms = [
    { name: 'no SDK', env: {}, from: program },
    ...(values.against === undefined
      ? []
      : [{ name: 'other checkout', env: {}, from: join(values.against, 'bin/vitrine.js') }]),
    withSdk('drops-all', 'AlwaysOffSampler'),
    withSdk('records-all', 'AlwaysOnSampler'),
  ]
  const opened: Opened[] = []
  try {
    for (const form of forms) opened.push(await open(form))
    for (const uncached of [false, true]) await compare(opened, uncached)
  } finally {
    for (const { stop } of opened) await stop()
    removeDataDir(folder)
  }
}

type Opened = Awaited<ReturnType<typeof open>>

const open = async ({ name, env, from }: { name: string; env: NodeJS.ProcessEnv; from: string }) => {
  const dataDir = newDataDir()
  const service = await startService(dataDir, { VITRINE_DEMO_PORT: '0', ...env }, from)
  const { key } = createStore(service, 'Bench', 'sandbox')
  const stop = async () => {
    await service.stop()
    removeDataDir(dataDir)
  }
  return { name, load: { url: `${service.url}/v1/store`, headers: { 'x-store-key': key }, pid: service.pid }, stop }
}

const compare = async (opened: readonly Opened[], uncached: boolean) => {
  const runs = new Map<Opened, Measured[]>(opened.map((each) => [each, []]))
  for (const each of opened) await sendLoad({ ...each.load, uncached }, 1)
  for (let round = 0; round < rounds; round++) {
    for (const [each, list] of runs) list.push(await sendLoad({ ...each.load, uncached }, seconds))
  }
  const [first] = opened
  const base = median((first && runs.get(first)) ?? []).cpuMicros
  print(uncached ? '\nnot cached' : 'cached')
  for (const [{ name }, list] of runs) {
    const { cpuMicros, errors } = median(list)
    print(
      `  ${name.padEnd(16)} ${cpuMicros.toFixed(1).padStart(7)} µs  ${(cpuMicros / base).toFixed(3)}  ${errors} errors`,
    )
  }
}

await main()
