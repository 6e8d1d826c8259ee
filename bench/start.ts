import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { cpuSeconds, newEmptyDir, program, removeDataDir, residentMegabytes, startService } from './service.ts'

const help = `npm run bench:start -- [--rounds 5] [--from PROGRAM] [--smoke]

Measures what an installation costs before it does anything: a start on a database that exists, the memory of the idle
service, and the processor time of commands. Everything is compared with "node -e 0" of the same rounds. Read the ratios
and the processor time: a busy machine delays both sides.

  --rounds N      runs of each, of which the median counts
  --from PROGRAM  another program to measure, such as src/main.ts, which runs the source without a bundle
  --smoke         everything once: shows in seconds that this still runs; its figures mean nothing`

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    from: { type: 'string', default: program },
    smoke: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const print = (text: string) => void process.stdout.write(`${text}\n`)
const rounds = values.smoke ? 1 : Number(values.rounds)
/** The start has released its memory, and the first polls of all jobs have run. */
const idleMs = values.smoke ? 1_000 : 5_000

type Run = { wallMs: number; cpuMs: number; megabytes: number }

const main = async () => {
  if (values.help) return print(help)
  const dataDir = newEmptyDir()
  writeFileSync(join(dataDir, usageFile), tellUsage)
  const env = { ...process.env, VITRINE_DATA_DIR: dataDir }
  try {
    const first = await startService(dataDir, {}, values.from)
    await first.stop()
    const runs: Record<string, Run[]> = {}
    const note = (name: string, run: Run) => {
      runs[name] = [...(runs[name] ?? []), run]
    }
    // In turns, so that a busy minute does not fall on one of them alone.
    for (let round = 0; round < rounds; round++) {
      note('node -e 0', await runToEnd(['-e', '0'], env))
      note('vitrine --help', await runToEnd([values.from, '--help'], env))
      const service = await startService(dataDir, {}, values.from)
      try {
        const cpuMs = cpuSeconds(service.pid) * 1000
        await sleep(idleMs)
        note('vitrine start', { wallMs: service.startMs, cpuMs, megabytes: residentMegabytes(service.pid) })
        note('vitrine order list', await runToEnd([values.from, 'order', 'list'], env))
      } finally {
        await service.stop()
      }
    }
    print(`first start, with a new database: ${first.startMs.toFixed(0)} ms`)
    report(runs)
  } finally {
    removeDataDir(dataDir)
  }
}

/** Runs Node until it ends. It tells at its end what it has used. */
const runToEnd = async (args: readonly string[], env: NodeJS.ProcessEnv): Promise<Run> => {
  const began = performance.now()
  const stdio = ['ignore', 'ignore', 'inherit', 'pipe'] as const
  const child = spawn(process.execPath, ['--require', join(env.VITRINE_DATA_DIR ?? '', usageFile), ...args], {
    ...{ env, stdio: [...stdio] },
  })
  const [told, [status]] = await Promise.all([text(child.stdio[3] as Readable), once(child, 'close')])
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`)
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(told)
  return {
    wallMs: performance.now() - began,
    cpuMs: (userCPUTime + systemCPUTime) / 1000,
    megabytes: maxRSS / 1024,
  }
}

const usageFile = 'usage.cjs'
const tellUsage = `process.on('exit', () => require('fs').writeSync(3, JSON.stringify(process.resourceUsage())))`

const report = (runs: Readonly<Record<string, readonly Run[]>>) => {
  const [bare] = Object.values(runs).map(medianOf)
  if (bare === undefined) return
  const ratio = (value: number, ofBare: number) => (value / ofBare).toFixed(1).padStart(6)
  print('                     until done  × bare     processor  × bare       memory  × bare')
  for (const [name, all] of Object.entries(runs)) {
    const { wallMs, cpuMs, megabytes } = medianOf(all)
    print(
      [
        name.padEnd(20),
        `${wallMs.toFixed(0).padStart(7)} ms ${ratio(wallMs, bare.wallMs)}`,
        `${cpuMs.toFixed(0).padStart(9)} ms ${ratio(cpuMs, bare.cpuMs)}`,
        `${megabytes.toFixed(0).padStart(8)} MB ${ratio(megabytes, bare.megabytes)}`,
      ].join(' '),
    )
  }
  print(
    'A start is done when it is healthy, a command when it has ended. Memory: the idle service, the peak of a command.',
  )
}

const medianOf = (runs: readonly Run[]): Run => {
  const middle = (of: (run: Run) => number) => runs.map(of).sort((a, b) => a - b)[runs.length >> 1] ?? 0
  return {
    wallMs: middle((run) => run.wallMs),
    cpuMs: middle((run) => run.cpuMs),
    megabytes: middle((run) => run.megabytes),
  }
}

await main()
