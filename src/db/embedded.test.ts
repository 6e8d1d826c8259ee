import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  makeTemplate,
  moduleUrl,
  newDataDir,
  openElsewhere,
  openHere,
  packageDir,
  query,
  rejectsWith,
  serverPid,
  undo,
  until,
  usedDataDir,
} from './embedded/fixture.ts'
import { inspectEmbedded, openEmbedded } from './embedded.ts'

makeTemplate()

test('a later start finds the data of the first, in UTF-8, on a private socket without a TCP port', async (t) => {
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

test('a wrong password is refused', async (t) => {
  const server = await openHere(t, { dataDir: usedDataDir(t), role: 'service' })
  const intruder = { ...server, connection: { ...server.connection, password: 'guess' } }
  await assert.rejects(query(intruder, 'select 1'), { code: '28P01' })
  await server.stop()
})

test('a second service is refused with the pid of the first, which is not affected', async (t) => {
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

test('a service starts although PostgreSQL has not noticed yet that the one before was killed', async (t) => {
  const dataDir = usedDataDir(t)
  const killed = await openElsewhere(t, { dataDir, role: 'service' })
  const observer = await openHere(t, { dataDir, role: 'command' })
  const sessions = `select a.pid from pg_stat_activity a where a.application_name = 'vitrine service`
  const [{ pid: backend }] = await query(observer, `${sessions} ${killed.child.pid}'`)
  // As on a machine where it gets no processor.
  process.kill(backend, 'SIGSTOP')
  undo(t, () => spawnSync('kill', ['-CONT', String(backend)]))
  await killed.kill()
  let error: unknown
  const opening = openHere(t, { dataDir, role: 'service' }).catch((reason) => {
    error = reason
  })
  await until(async () => error !== undefined || (await query(observer, `${sessions} ${process.pid}'`)).length > 0)
  process.kill(backend, 'SIGCONT')
  const next = await opening
  assert.equal(error, undefined)
  assert.equal(next?.adopted, true)
  await observer.stop()
  await next?.stop()
  assert.equal(serverPid(dataDir), undefined)
})

test('a command uses the server of the service and leaves it running', async (t) => {
  const dataDir = usedDataDir(t)
  const service = await openHere(t, { dataDir, role: 'service' })
  const command = await openElsewhere(t, { dataDir, role: 'command' })
  assert.equal(command.adopted, true)
  await command.stop()
  assert.deepEqual(await query(service, 'select 1 as one'), [{ one: 1 }])
  await service.stop()
})

test('a service that stops leaves the server to a command, which shuts it down', async (t) => {
  const dataDir = usedDataDir(t)
  const service = await openHere(t, { dataDir, role: 'service' })
  const command = await openElsewhere(t, { dataDir, role: 'command' })
  await service.stop()
  assert.deepEqual(await command.ask('select 1 as one'), [{ one: 1 }])
  await command.stop()
  assert.equal(serverPid(dataDir), undefined)
  assert.equal(existsSync(service.connection.host), false)
})

test('a command starts a server, a service adopts it, and it keeps running when the command stops', async (t) => {
  const dataDir = usedDataDir(t)
  const alone = await openElsewhere(t, { dataDir, role: 'command' })
  assert.equal(alone.adopted, false)
  await alone.stop()
  assert.equal(serverPid(dataDir), undefined)

  const command = await openElsewhere(t, { dataDir, role: 'command' })
  const service = await openHere(t, { dataDir, role: 'service' })
  assert.equal(service.adopted, true)
  await command.stop()
  assert.deepEqual(await query(service, 'select 1 as one'), [{ one: 1 }])
  await service.stop()
  assert.equal(serverPid(dataDir), undefined)
})

test('of two concurrent first starts of services, one runs and one is refused', async (t) => {
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

test('concurrent first starts of commands share one server, and the last command shuts it down', async (t) => {
  const dataDir = newDataDir(t)
  const commands = await Promise.all([1, 2, 3].map(() => openElsewhere(t, { dataDir, role: 'command' })))
  assert.equal(commands.filter((command) => !command.adopted).length, 1)
  for (const command of commands) assert.deepEqual(await command.ask('select 1 as one'), [{ one: 1 }])
  await Promise.all(commands.map((command) => command.stop()))
  assert.equal(serverPid(dataDir), undefined)
})

test('a service that starts while a command shuts the server down gets a server', async (t) => {
  const dataDir = usedDataDir(t)
  for (let round = 0; round < 12; round++) {
    const command = await openEmbedded({ dataDir, role: 'command' })
    const leaving = command.stop()
    await sleep(round * 3)
    const service = await openHere(t, { dataDir, role: 'service' })
    await leaving
    assert.deepEqual(await query(service, 'select 1 as one'), [{ one: 1 }])
    await service.stop()
    assert.equal(serverPid(dataDir), undefined)
  }
})

test('a process that never calls stop still exits, and its server is adopted', async (t) => {
  const dataDir = usedDataDir(t)
  const code = `const { openEmbedded } = await import(${JSON.stringify(moduleUrl)})
    await openEmbedded({ dataDir: ${JSON.stringify(dataDir)}, role: 'command' })`
  assert.equal(spawnSync(process.execPath, ['--input-type=module', '-e', code], { timeout: 20_000 }).status, 0)
  const next = await openHere(t, { dataDir, role: 'service' })
  assert.equal(next.adopted, true)
  await next.stop()
})

const countListeningPorts = (pid: number | undefined): number => {
  if (process.platform !== 'linux') return 0
  let sockets: string[]
  try {
    sockets = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
  } catch {
    // In a container, root may not read this. The setting checked above must do.
    return 0
  }
  const tables = ['tcp', 'tcp6'].filter((name) => existsSync(`/proc/net/${name}`))
  const rows = tables.flatMap((name) => readFileSync(`/proc/net/${name}`, 'utf8').split('\n').slice(1))
  const inodes = rows.map((row) => row.trim().split(/\s+/)[9])
  return inodes.filter((inode) => sockets.includes(`socket:[${inode}]`)).length
}
