import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { before, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { Order, Outcome } from '../../test/command-worker.ts'
import { makeBeside, runSql } from '../../test/databases.ts'
import { databaseUrl } from '../../test/harness.ts'
import { makeOnce } from '../../test/shared.ts'

/** The program as an operator runs it: its own process, in its own folder, with nothing but what it is given. */
export const root = fileURLToPath(new URL('../../', import.meta.url))
const main = join(root, 'src/main.ts')

export type Settings = Record<string, string>
export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }
type RunOptions = { uid?: number; program?: readonly string[]; detached?: boolean; input?: string }

/** What production asks for besides a secret for its database. No test sends a message with it. */
export const productionSettings = {
  NODE_ENV: 'production',
  VITRINE_PUBLIC_URL: 'https://api.shop.example',
  VITRINE_SMS_SENDER: 'http',
  VITRINE_SMS_URL: 'https://sms.shop.example',
  VITRINE_SMS_SECRET: 's'.repeat(32),
}

/** Settings of whoever runs the tests must not reach what they start. */
const cleanEnvironment = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(NODE_ENV|NODE_TEST_CONTEXT|PORT|HOST|LOG_LEVEL|REDIS_URL|(TEST_)?DATABASE_|VITRINE_)/.test(name),
    ),
  )

const launch = (args: readonly string[], settings: Settings, options: RunOptions) => {
  const [file = '', ...first] = options.program ?? [process.execPath, main]
  const { uid } = options
  const child = spawn(file, [...first, ...args], {
    cwd: root,
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    // Another user cannot read the bundles of the run (test/bundle.ts).
    env: { ...cleanEnvironment(), ...(uid === undefined ? {} : { NODE_OPTIONS: '' }), ...settings },
    detached: options.detached ?? false,
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  if (options.input !== undefined) child.stdin?.end(options.input)
  const seen = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text) => {
      seen[name] += text
    })
  }
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal, ...seen }))
  return { child, seen, ended }
}

/** The program in a process of its own, for tests of what only a process has: signals, users, streams. */
export const runProcess = (args: readonly string[], settings: Settings, options: RunOptions = {}): Promise<Ended> =>
  launch(args, settings, options).ended

const idleWorkers: ChildProcess[] = []

/** A command as `runProcess` would run it, in a process that has the program loaded (test/command-worker.ts). */
export const runVitrine = async (args: readonly string[], settings: Settings): Promise<Ended> => {
  const worker = idleWorkers.pop() ?? forkWorker()
  worker.channel?.ref()
  const { left, ...ended } = await new Promise<Outcome>((resolve, reject) => {
    const fail = () => reject(new Error(`${args.join(' ')} ended the process that runs commands`))
    worker.once('exit', fail).once('message', (outcome: Outcome) => {
      worker.off('exit', fail)
      resolve(outcome)
    })
    worker.send({ args, env: { ...cleanEnvironment(), ...settings } } satisfies Order)
  })
  worker.channel?.unref()
  idleWorkers.push(worker)
  assert.deepEqual(left, [], `${args.join(' ')} left something open, and its process would not end`)
  return { ...ended, signal: null }
}

/** Ends with this process. */
const forkWorker = () => {
  const worker = fork(join(root, 'test/command-worker.ts'), {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  worker.unref()
  return worker
}

/** What a command answers with --json, once it has succeeded. */
export const runJson = async (args: readonly string[], settings: Settings) => {
  const { code, stdout, stderr } = await runVitrine([...args, '--json'], settings)
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
  assert.equal(stderr, '')
  return JSON.parse(stdout)
}

/** What an operator reads when something cannot be done: one sentence, no stack, and exit code 1. */
export const assertSentence = ({ code, stderr }: Ended, ...parts: (string | RegExp)[]) => {
  assert.match(stderr, /^[^\n]+\.( [^\n]+)?\n$/, stderr)
  assert.doesNotMatch(stderr, /Error:|\bat .*:\d+:\d+/, stderr)
  for (const part of parts) assert.match(stderr, typeof part === 'string' ? new RegExp(RegExp.escape(part)) : part)
  assert.equal(code, 1)
}

export type Running = {
  child: ChildProcess
  pid: number
  url: string
  seen: { stdout: string; stderr: string }
  ended: Promise<Ended>
  stop(signal?: NodeJS.Signals): Promise<Ended>
}

/** Starts the service and does not wait for it. Whatever a failed test leaves is ended. */
export const launchService = (t: TestContext, settings: Settings, options: RunOptions = {}) => {
  const { child, seen, ended } = launch(options.program ? [] : ['start'], settings, options)
  const pid = child.pid as number
  undo(t, async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await ended
  })
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    return ended
  }
  return { child, pid, url: `http://localhost:${settings.PORT}`, seen, ended, stop }
}

export const startService = async (t: TestContext, settings: Settings, options?: RunOptions): Promise<Running> => {
  const service = launchService(t, settings, options)
  await until(() => isReady(service))
  return service
}

/** Whether the banner is out; a service that has ended fails the test. */
export const isReady = ({ child, seen }: Pick<Running, 'child' | 'seen'>) => {
  assert.equal(child.exitCode ?? child.signalCode, null, `the service ended: ${seen.stdout}${seen.stderr}`)
  return seen.stdout.includes('Stop with Ctrl+C.')
}

/** Waits for something that must come; a test that waits in vain fails instead of hanging. */
export const until = async (holds: () => unknown) => {
  const deadline = performance.now() + 60_000
  while (!(await holds())) {
    assert.ok(performance.now() < deadline, `waited in vain for ${holds}`)
    await sleep(10)
  }
}

export const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return String(port)
}

/** Settings for the embedded database of a folder that is not there yet. */
export const newPlace = async (t: TestContext): Promise<Settings & { VITRINE_DATA_DIR: string; PORT: string }> => ({
  VITRINE_DATA_DIR: join(newFolder(t), 'data'),
  PORT: await freePort(),
  VITRINE_DEMO_PORT: '0',
})

export const newFolder = (t: TestContext, mode = 0o700) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'vitrine-cli-')))
  chmodSync(folder, mode)
  undo(t, () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

let template = ''

/** Makes one first start for all test files to copy, since each would take seconds. */
export const makeTemplate = () => {
  before(async () => {
    template = await makeOnce('first-start', async (folder) => {
      const settings = { VITRINE_DATA_DIR: join(folder, 'data'), PORT: await freePort(), VITRINE_DEMO_PORT: '0' }
      const { child, seen, ended } = launch(['start'], settings, {})
      await until(() => isReady({ child, seen }))
      child.kill('SIGTERM')
      await ended
      // Nobody needs the copies after a crash of the machine, and each start and stop would wait for the disk.
      appendFileSync(join(folder, 'data/postgres/postgresql.auto.conf'), 'fsync = off\n')
    })
  })
}

/** Settings for a folder with an embedded database and the demo store in it. */
export const usedPlace = async (t: TestContext) => {
  const place = await newPlace(t)
  execFileSync('cp', ['-Rp', join(template, 'data'), place.VITRINE_DATA_DIR])
  return place
}

export const readDemoKeys = (dataDir: string) => JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'))

/** The process of the embedded PostgreSQL, while its folder says that there is one. */
export const postgresPid = (dataDir: string) => {
  const file = join(dataDir, 'postgres/postmaster.pid')
  return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : undefined
}

/** A process that ended and was not yet collected by its parent runs no more. */
export const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return !existsSync('/proc/self/stat') || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** A database of its own on the server of this test run, without tables unless it is asked for as migrated. */
export const newDatabase = async (t: TestContext, { migrated = false } = {}) => {
  const { url, drop } = await makeBeside(databaseUrl, { migrated })
  undo(t, drop)
  return url
}

/** A connection for the length of one test. */
export const connect = async (t: TestContext, connectionString: string) => {
  const client = new pg.Client({ connectionString })
  await client.connect()
  undo(t, () => client.end())
  return client
}

export const query = runSql

/** Where a program is that the machine may have, outside of what this package brings along. */
export const findProgram = (name: string) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file))

const undoings = new WeakMap<TestContext, (() => unknown)[]>()

/** Undone in reverse, unlike `t.after`: a folder goes only after the service in it. */
export const undo = (t: TestContext, action: () => unknown) => {
  const actions = undoings.get(t) ?? []
  actions.push(action)
  if (undoings.has(t)) return
  undoings.set(t, actions)
  t.after(async () => {
    for (const next of actions.reverse()) await next()
  })
}
