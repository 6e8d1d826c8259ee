import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

/**
 * Runs commands one after another in a process that has the program loaded, because loading takes a second. Each command
 * gets its own environment and output, and `process.exit` only ends the command. The argument is the program.
 */
export type Order = { args: readonly string[]; env: NodeJS.ProcessEnv }
export type Outcome = { code: number; stdout: string; stderr: string; left: string[] }

class Exit {
  readonly code: number
  constructor(code: number) {
    this.code = code
  }
}

process.exit = (code) => {
  throw new Exit(Number(code ?? process.exitCode ?? 0))
}

const [, , program = ''] = process.argv
let commands = 0

/** Another query makes Node run the main module again. It keeps the modules that this one imports. */
const runMain = async (args: readonly string[]) => {
  process.argv = [process.execPath, program, ...args]
  await import(`${pathToFileURL(program)}?${commands++}`)
}

const runCommand = async ({ args, env }: Order): Promise<Outcome> => {
  process.env = { ...env }
  process.exitCode = 0
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (text: string | Uint8Array, ...rest: unknown[]) => {
      written[name] += typeof text === 'string' ? text : Buffer.from(text).toString()
      const done = rest.at(-1)
      if (typeof done === 'function') process.nextTick(() => done())
      return true
    }
  }
  const before = process.getActiveResourcesInfo()
  const exit = await runMain(args).catch((error: unknown) => {
    if (error instanceof Exit) return error
    throw error
  })
  // A command that returns must leave nothing that keeps its process alive.
  const left = exit === undefined ? await findLeftOpen(before) : []
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal)
  process.stdout.removeAllListeners('error')
  return { code: exit?.code ?? Number(process.exitCode ?? 0), ...written, left }
}

const findLeftOpen = async (before: readonly string[]) => {
  for (let attempts = 0; ; attempts++) {
    const left = [...process.getActiveResourcesInfo()]
    for (const known of before) if (left.includes(known)) left.splice(left.indexOf(known), 1)
    if (left.length === 0 || attempts === 100) return left
    await sleep(10, undefined, { ref: false })
  }
}

process.on('message', (order: Order) => {
  runCommand(order).then(
    (outcome) => process.send?.(outcome),
    (error: unknown) => {
      process.send?.({ code: 1, stdout: '', stderr: String(error), left: [] })
    },
  )
})
process.on('disconnect', () => process.kill(process.pid))
