import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openEmbedded } from '../embedded.ts'
import {
  copyPackageWithoutLinks,
  isRoot,
  makeTemplate,
  newDataDir,
  newFolder,
  openElsewhere,
  openHere,
  packageDir,
  query,
  rejectsWith,
  serverPid,
  unprivilegedUser,
  until,
  usedDataDir,
} from './fixture.ts'

makeTemplate()

test('root can run it even if checkout, binaries and data are in folders that only root may enter', async (t) => {
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

test('if the cache is not writable, a temporary copy is used and removed with the server', async (t) => {
  if (!isRoot) return t.skip('needs root')
  const closed = newFolder(t, 0o700)
  const binaries = { packageDir: join(closed, 'package'), cacheDir: join(closed, 'package/package.json/cache') }
  copyPackageWithoutLinks(binaries.packageDir)
  const server = await openHere(t, { dataDir: join(closed, 'data'), role: 'command', binaries })
  const file = readFileSync(`/proc/${serverPid(join(closed, 'data'))}/cmdline`, 'utf8').split('\0')[0] ?? ''
  assert.match(file, /vitrine-postgresql-\w{6}\/bin\/postgres$/)
  await server.stop()
  assert.equal(existsSync(file), false)
})

test('an unprivileged user can run it, even without the links of the install script', async (t) => {
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

test('missing or incomplete binaries are reported', async (t) => {
  const binaries = { packageDir: newFolder(t, 0o755) }
  await rejectsWith(openEmbedded({ dataDir: newDataDir(t), role: 'command', binaries }), ['incomplete', 'npm install'])
})

test('a server whose program files were moved is replaced', async (t) => {
  const dataDir = usedDataDir(t)
  const folder = newFolder(t, 0o755)
  cpSync(packageDir, join(folder, 'package'), { recursive: true, verbatimSymlinks: true })
  const killed = await openElsewhere(t, { dataDir, role: 'service', binaries: { packageDir: join(folder, 'package') } })
  await killed.kill()
  renameSync(join(folder, 'package'), join(folder, 'moved'))
  const server = await openHere(t, { dataDir, role: 'service' })
  assert.equal(server.adopted, false)
  await query(server, 'create extension pg_trgm')
  await server.stop()
})

test('a data folder that root has restored from a copy can be started', async (t) => {
  if (!isRoot) return t.skip('needs root')
  const dataDir = usedDataDir(t)
  const original = await openEmbedded({ dataDir, role: 'command' })
  await query(original, 'create table kept as select 7 as n')
  await original.stop()
  const restored = newDataDir(t)
  execFileSync('cp', ['-r', dataDir, restored])
  chmodSync(join(restored, 'postgres'), 0o755)
  const server = await openHere(t, { dataDir: restored, role: 'service' })
  assert.deepEqual(await query(server, 'select n from kept'), [{ n: 7 }])
  await server.stop()
})
