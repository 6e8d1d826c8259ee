import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

import { type TestContext, test } from 'node:test'
import { openEmbedded } from '../embedded.ts'
import {
  isRoot,
  makeTemplate,
  newDataDir,
  newFolder,
  openElsewhere,
  openHere,
  openOnceFree,
  query,
  rejectsWith,
  serverPid,
  undo,
  unprivilegedUser,
  until,
  usedDataDir,
} from './fixture.ts'
import { removeSocketDir } from './server.ts'

makeTemplate()

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

test('a pid file that a power cut emptied does not prevent the start', async (t) => {
  const dataDir = usedDataDir(t)
  const pidFile = join(dataDir, 'postgres/postmaster.pid')
  const { uid, gid } = statSync(join(dataDir, 'postgres'))
  for (const content of ['', '\0\0\0\0']) {
    writeFileSync(pidFile, content)
    if (isRoot) chownSync(pidFile, uid, gid)
    utimesSync(pidFile, 1, 1)
    const server = await openHere(t, { dataDir, role: 'service' })
    await server.stop()
  }
})

test('a database that was deleted under a running service is not replaced by an empty one', async (t) => {
  const dataDir = usedDataDir(t)
  const messages: string[] = []
  const server = await openHere(t, { dataDir, role: 'service', onUnexpectedExit: (message) => messages.push(message) })
  undo(t, () => removeSocketDir(server.connection.host))
  const pid = serverPid(dataDir) ?? assert.fail('no server')
  rmSync(join(dataDir, 'postgres'), { recursive: true })
  process.kill(pid, 'SIGKILL')
  await until(() => messages.length === 1)
  assert.match(messages[0] ?? '', /has disappeared/)
  assert.equal(existsSync(join(dataDir, 'postgres')), false)
  await server.stop()
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
    // On a busy machine the end of the connections is noticed before that of the process.
    assert.match(messages.at(-1) ?? '', /died \((?:.*SIGKILL.*|its connections ended)\) and runs again as process/)
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
  const onUnexpectedExit = (message: string) => messages.push(message)
  const server = await openOnceFree(t, { dataDir, role: 'service', onUnexpectedExit })
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

/** The folders that the servers of this data folder ever listened in and that are still there. */
const socketDirsOf = (dataDir: string): string[] => {
  const log = readFileSync(join(dataDir, 'postgres.log'), 'utf8')
  const folders = [...log.matchAll(/Unix socket "([^"]+)\/\.s\.PGSQL/g)].map(([, folder]) => folder ?? '')
  return folders.filter((folder) => existsSync(folder))
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
