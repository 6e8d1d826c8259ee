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

test('a path that is not writable, not a folder or in an inaccessible folder is named in the error', async (t) => {
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

test('a full disk is reported, on the first start and on later ones', async (t) => {
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

test('a cluster of another major version, a damaged one and a lost password are reported and not changed', async (t) => {
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

test('a pid file with the pid of an unrelated process does not prevent the start, and that process keeps running', async (t) => {
  const dataDir = usedDataDir(t)
  const { uid, gid } = statSync(join(dataDir, 'postgres'))
  const unrelated = spawn('sleep', ['60'], { stdio: 'ignore', ...(isRoot ? { uid, gid } : {}) })
  undo(t, () => unrelated.kill())
  const pidFile = join(dataDir, 'postgres/postmaster.pid')
  writeFileSync(pidFile, `${unrelated.pid}\n/proc/self/fd/3\n1\n5432\n/tmp/vitrine-000000\n\n 1 1\nready   \n`)
  if (isRoot) chownSync(pidFile, uid, gid)
  const server = await openHere(t, { dataDir, role: 'service' })
  assert.equal(server.adopted, false)
  assert.notEqual(serverPid(dataDir), unrelated.pid)
  await server.stop()
  assert.equal(unrelated.exitCode ?? unrelated.signalCode, null)
})

test('a pid file that a power failure emptied does not prevent the start', async (t) => {
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

test('a database that was deleted while the service runs is not replaced by an empty one', async (t) => {
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

test('a server that crashes is restarted in the same socket folder, after a pause if it crashes often', async (t) => {
  const dataDir = usedDataDir(t)
  const messages: string[] = []
  const onUnexpectedExit = (message: string) => messages.push(message)
  const server = await openHere(t, { dataDir, role: 'service', onUnexpectedExit })
  await query(server, 'create table kept as select 7 as n')
  for (let crash = 1; crash <= 5; crash++) {
    process.kill(serverPid(dataDir) ?? assert.fail('no server'), 'SIGKILL')
    await until(() => messages.length === crash)
    // On a busy machine, the end of the connections is noticed before the exit of the process.
    assert.match(
      messages.at(-1) ?? '',
      /crashed \((?:.*SIGKILL.*|its connections ended)\) and was restarted as process/,
    )
    assert.deepEqual(await query(server, 'select n from kept'), [{ n: 7 }])
    await rejectsWith(openEmbedded({ dataDir, role: 'service' }), ['in use'])
  }
  process.kill(serverPid(dataDir) ?? assert.fail('no server'), 'SIGKILL')
  await until(() => messages.length === 6)
  assert.match(messages.at(-1) ?? '', /crashes often and is restarted in 5 s/)
  await until(() => messages.length === 7)
  assert.match(messages.at(-1) ?? '', /was restarted as process/)
  assert.deepEqual(await query(server, 'select n from kept'), [{ n: 7 }])
  await server.stop()
})

test('after the crash of a backend, the server keeps running and the folder stays locked', async (t) => {
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

test('an adopted server that crashes is restarted too', async (t) => {
  const dataDir = usedDataDir(t)
  const killed = await openElsewhere(t, { dataDir, role: 'service' })
  await killed.kill()
  const messages: string[] = []
  const onUnexpectedExit = (message: string) => messages.push(message)
  const server = await openHere(t, { dataDir, role: 'service', onUnexpectedExit })
  process.kill(serverPid(dataDir) ?? assert.fail('no server'), 'SIGKILL')
  await until(() => messages.length === 1)
  assert.deepEqual(await query(server, 'select 1 as one'), [{ one: 1 }])
  await server.stop()
  assert.equal(existsSync(server.connection.host), false)
})

test('files of a killed first start are removed, and a large log is rotated', async (t) => {
  const dataDir = newDataDir(t)
  const deadPid = spawnSync('true').pid
  mkdirSync(join(dataDir, `postgres.new-${deadPid}-0123456789ab/base`), { recursive: true })
  writeFileSync(join(dataDir, `postgres.new-${deadPid}-0123456789ab.pw`), 'secret')
  writeFileSync(join(dataDir, 'postgres.log'), '')
  truncateSync(join(dataDir, 'postgres.log'), 11 * 1024 * 1024)
  const server = await openHere(t, { dataDir, role: 'command' })
  assert.deepEqual(readdirSync(dataDir).sort(), ['postgres', 'postgres.log', 'postgres.log.1', 'postgres.password'])
  assert.ok(statSync(join(dataDir, 'postgres.log')).size < 1024 * 1024)
  await server.stop()
})

/** The socket folders of this data folder's servers that still exist. */
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
