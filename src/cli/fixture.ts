import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { newBuyer } from '../../test/buyer.ts'
import { onCluster } from '../../test/cluster.ts'
import type { Order, Outcome } from '../../test/command-worker.ts'
import { makeBeside, runSql } from '../../test/databases.ts'
import { databaseUrl } from '../../test/harness.ts'
import { makeOnce } from '../../test/shared.ts'

// Runs the program as an operator does: in its own process and data folder, with only the settings of the test.
export const root = fileURLToPath(new URL('../../', import.meta.url))
/** The bundle of the run (test/run.ts). */
export const mainProgram = process.env.TEST_PROGRAM ?? join(root, 'src/main.ts')

export type Settings = Record<string, string>
export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }
type RunOptions = { uid?: number; program?: readonly string[]; detached?: boolean; input?: string }

/** The settings that production requires besides VITRINE_SECRET. No test sends a message with them. */
export const productionSettings = {
  NODE_ENV: 'production',
  VITRINE_PUBLIC_URL: 'https://api.shop.example',
  VITRINE_SMS_SENDER: 'http',
  VITRINE_SMS_URL: 'https://sms.shop.example',
  VITRINE_SMS_SECRET: 's'.repeat(32),
}

/** Settings in the environment of the test run must not reach the processes that it starts. */
const cleanEnvironment = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(NODE_ENV|NODE_TEST_CONTEXT|PORT|HOST|LOG_LEVEL|REDIS_URL|(TEST_)?DATABASE_|VITRINE_)/.test(name),
    ),
  )

const launch = (args: readonly string[], settings: Settings, options: RunOptions) => {
  const { uid } = options
  // Another user cannot read the bundle, and runs the source.
  const own = uid === undefined ? mainProgram : join(root, 'src/main.ts')
  const [file = '', ...first] = options.program ?? [process.execPath, own]
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

/** Runs the program in its own process, for tests of signals, users and streams. */
export const runProcess = (args: readonly string[], settings: Settings, options: RunOptions = {}): Promise<Ended> =>
  launch(args, settings, options).ended

/** Runs commands in processes that have the program of a checkout loaded (test/command-worker.ts). */
export const commandRunner = (checkout: string, program = join(checkout, 'src/main.ts')) => {
  const idleWorkers: ChildProcess[] = []
  return async (args: readonly string[], settings: Settings): Promise<Ended> => {
    const worker = idleWorkers.pop() ?? forkWorker(checkout, program)
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
    assert.deepEqual(left, [], `${args.join(' ')} left something open, which would keep its process running`)
    return { ...ended, signal: null }
  }
}

/** Ends with this process. */
const forkWorker = (checkout: string, program: string) => {
  const worker = fork(join(checkout, 'test/command-worker.ts'), [program], {
    cwd: checkout,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  worker.unref()
  return worker
}

/** Like `runProcess`, but faster. */
export const runVitrine = commandRunner(root, mainProgram)

/** The JSON output of a command that must succeed. */
export const runJson = async (args: readonly string[], settings: Settings, run = runVitrine) => {
  const { code, stdout, stderr } = await run([...args, '--json'], settings)
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}${stdout}`)
  assert.equal(stderr, '')
  return JSON.parse(stdout)
}

/** Asserts that a command failed as operators should see it: one sentence, no stack, exit code 1. */
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

/** Starts the service without waiting until it is ready. It is stopped after the test. */
export const launchService = (t: TestContext, settings: Settings, options: RunOptions = {}) =>
  launchCommand(t, options.program ? [] : ['start'], settings, options)

/** The same for another command that runs until it is stopped. */
export const launchCommand = (
  t: TestContext,
  args: readonly string[],
  settings: Settings,
  options: RunOptions = {},
) => {
  const { child, seen, ended } = launch(args, settings, options)
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
  await until(
    () => isReady(service),
    () => `the service is not ready: ${service.seen.stdout}${service.seen.stderr}`,
  )
  return service
}

/** Whether the banner was printed; a service that has ended fails the test. */
export const isReady = ({ child, seen }: Pick<Running, 'child' | 'seen'>) => {
  assert.equal(child.exitCode ?? child.signalCode, null, `the service ended: ${seen.stdout}${seen.stderr}`)
  return seen.stdout.includes('Stop with Ctrl+C.')
}

/** Waits for a condition; after a minute the test fails instead of hanging. */
export const until = async (holds: () => unknown, explain = () => `timed out waiting for ${holds}`) => {
  const deadline = performance.now() + 60_000
  while (!(await holds())) {
    assert.ok(performance.now() < deadline, explain())
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

/** Settings for an embedded database in a folder that does not exist yet. */
export const newInstallation = async (
  t: TestContext,
): Promise<Settings & { VITRINE_DATA_DIR: string; PORT: string }> => ({
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

/** One first start for all test files to copy, because each would take seconds. */
const startOnce = () =>
  makeOnce('first-start', async (folder) => {
    const settings = { VITRINE_DATA_DIR: join(folder, 'data'), PORT: await freePort(), VITRINE_DEMO_PORT: '0' }
    const { child, seen, ended } = launch(['start'], settings, {})
    await until(() => isReady({ child, seen }))
    child.kill('SIGTERM')
    await ended
    // The copies need not survive a crash of the machine, and with fsync each start and stop would wait for the disk.
    appendFileSync(join(folder, 'data/postgres/postgresql.auto.conf'), 'fsync = off\n')
  })

/** Settings for a folder with an embedded database and the demo store in it. */
export const seededInstallation = async (t: TestContext) => {
  const installation = await newInstallation(t)
  execFileSync('cp', ['-Rp', join(await startOnce(), 'data'), installation.VITRINE_DATA_DIR])
  return installation
}

/** The same, but on a cluster in a distributed database, for tests of commands that work on any. */
export const demoInstallation = async (t: TestContext) => {
  if (!onCluster) return seededInstallation(t)
  const DATABASE_URL = await newDatabase(t, { migrated: true })
  const installation = { ...(await newInstallation(t)), DATABASE_URL }
  const keys = await runJson(['seed', 'demo'], installation)
  mkdirSync(installation.VITRINE_DATA_DIR)
  writeFileSync(join(installation.VITRINE_DATA_DIR, 'demo.json'), JSON.stringify(keys))
  return installation
}

/** A running demo store, its operator at the command line, and a customer. */
export const openDemoShop = async (t: TestContext) => {
  const installation = await demoInstallation(t)
  const { url } = await startService(t, installation)
  const { browserKey } = readDemoKeys(installation.VITRINE_DATA_DIR)
  const vitrine = (...args: string[]) => runJson(args, installation)
  return { installation, vitrine, asha: await newBuyer(url, browserKey) }
}

export const readDemoKeys = (dataDir: string) => JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'))

/** The process id in postmaster.pid of the embedded PostgreSQL, if the file exists. */
export const postgresPid = (dataDir: string) => {
  const file = join(dataDir, 'postgres/postmaster.pid')
  return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : undefined
}

/** A zombie, which has ended but was not collected by its parent, is not alive. */
export const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return !existsSync('/proc/self/stat') || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** Process ids of the workers, the one for background work included. */
export const workersOf = ({ pid }: Running) =>
  execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, ...args]) => Number(parent) === pid && /worker\.[jt]s$/.test(args.join(' ')))
    .map(([child]) => Number(child))

/** A new database on the server of this test run, without tables unless `migrated`. */
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

/** The path of a program on this machine, outside of node_modules. */
export const findProgram = (name: string) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file))

const undoings = new WeakMap<TestContext, (() => unknown)[]>()

/** Unlike `t.after`, runs in reverse order, so that a folder is deleted after its service has stopped. */
export const undo = (t: TestContext, action: () => unknown) => {
  const actions = undoings.get(t) ?? []
  actions.push(action)
  if (undoings.has(t)) return
  undoings.set(t, actions)
  t.after(async () => {
    for (const next of actions.reverse()) await next()
  })
}
