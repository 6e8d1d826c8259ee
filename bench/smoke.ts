import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { keepTemporaryFilesInMemory } from '../test/temporary.ts'
import { newEmptyDir, removeDataDir, startService } from './service.ts'

const help = `npm run bench:smoke

Runs every bench of package.json with --smoke, two at a time, and fails when one of them does. A bench that is added
there joins by itself. They share one first start of a service, except those that measure it. Needs wrk and pgbench.`

const { values } = parseArgs({
  options: { help: { type: 'boolean', default: false } },
})

const print = (text: string) => void process.stdout.write(`${text}\n`)

const main = async () => {
  if (values.help) return print(help)
  keepTemporaryFilesInMemory()
  const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const benches = Object.keys(scripts).filter((name) => /^bench(:|$)/.test(name) && name !== 'bench:smoke')
  const started = newEmptyDir()
  try {
    await startOnce(started)
    const env = { ...process.env, BENCH_STARTED_DATA: started }
    // A bench often waits for its service to start, and the figures of a smoke run mean nothing.
    const runNext = async () => {
      for (let name = benches.shift(); name !== undefined; name = benches.shift()) await runBench(name, env)
    }
    await Promise.all([runNext(), runNext()])
  } finally {
    removeDataDir(started)
  }
}

const startOnce = async (dataDir: string) => {
  const service = await startService(dataDir, { VITRINE_DEMO_PORT: '0' })
  await service.stop()
  // The copies need not survive a crash of the machine.
  appendFileSync(join(dataDir, 'postgres/postgresql.auto.conf'), 'fsync = off\n')
}

/** Prints at the end what the bench has printed, so that two of them do not mix. */
const runBench = async (name: string, env: NodeJS.ProcessEnv) => {
  const began = performance.now()
  const command = `npm run --silent ${name} -- --smoke 2>&1`
  const child = spawn(command, { env, shell: true, stdio: ['ignore', 'pipe', 'inherit'] })
  const [[status], output] = await Promise.all([once(child, 'close'), text(child.stdout)])
  print(`\n-- npm run ${name} -- --smoke\n${output}-- ${((performance.now() - began) / 1000).toFixed(1)} s`)
  if (status !== 0) {
    process.exitCode = 1
    print(`-- npm run ${name} -- --smoke ended with ${status}`)
  }
}

await main()
