import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { callUrl } from '../../test/harness.ts'
import { readMigrations } from '../db/migration-files.ts'
import {
  connect,
  findProgram,
  freePort,
  isAlive,
  isReady,
  launchService,
  newDatabase,
  newFolder,
  newInstallation,
  postgresPid,
  productionSettings,
  query,
  readDemoKeys,
  runJson,
  seededInstallation,
  startService,
  until,
} from './fixture.ts'

const modeOf = (...path: string[]) => statSync(join(...path)).mode & 0o777

const findCurlLines = (banner: string) => banner.split('\n').filter((line) => /^ +curl /.test(line))

const getAs = (key: string, url: string) => callUrl(url, { headers: { 'x-store-key': key } })

test('a first start on an empty folder prints three curl commands that work', async (t) => {
  const installation = await newInstallation(t)
  const service = await startService(t, installation)
  const banner = service.seen.stdout
  const demo = readDemoKeys(installation.VITRINE_DATA_DIR)
  for (const part of [service.url, `${service.url}/docs`, demo.storeId, demo.serverKey, demo.browserKey]) {
    assert.ok(banner.includes(part), `${part} is missing from ${banner}`)
  }
  assert.ok(banner.trim().split('\n').length < 25, 'a banner is short')
  assert.equal((await callUrl(`${service.url}/docs`)).status, 200)
  const lines = findCurlLines(banner)
  assert.equal(lines.length, 3)
  if (findProgram('curl') === undefined) return t.skip('curl is not on this machine')
  for (const line of lines) {
    const { stdout } = await promisify(execFile)('sh', ['-c', `${line} --silent --write-out '\n%{http_code}'`])
    const [body = '', status] = stdout.split(/\n(?=\d+$)/)
    assert.equal(status, '200', line)
    const answer = JSON.parse(body)
    assert.ok((answer.data ?? [answer].flat()).length > 0, line)
  }
})

test('a later start keeps the data and shows the same keys, which only their owner can read', async (t) => {
  const installation = await seededInstallation(t)
  const dataDir = installation.VITRINE_DATA_DIR
  const demo = readDemoKeys(dataDir)
  const secret = readFileSync(join(dataDir, 'secret'), 'utf8')
  assert.deepEqual([modeOf(dataDir, 'demo.json'), modeOf(dataDir, 'secret')], [0o600, 0o600])
  await runJson(['outlet', 'create', '--name', 'Pune (Camp)'], installation)
  const service = await startService(t, installation)
  assert.ok(service.seen.stdout.includes(demo.serverKey))
  assert.equal(service.seen.stdout.includes('Creating a database'), false)
  const { json } = await getAs(demo.serverKey, `${service.url}/v1/store`)
  assert.equal(json.id, demo.storeId)
  assert.equal(json.outlets.at(-1).name, 'Pune (Camp)')
  assert.deepEqual(readDemoKeys(dataDir), demo)
  assert.equal(readFileSync(join(dataDir, 'secret'), 'utf8'), secret)
})

test('production creates no demo store and shows no keys', async (t) => {
  const installation = { ...(await newInstallation(t)), ...productionSettings }
  const service = await startService(t, installation)
  assert.doesNotMatch(service.seen.stdout, /vsk_|vpk_|Demo/)
  assert.equal(existsSync(join(installation.VITRINE_DATA_DIR, 'demo.json')), false)
  assert.equal((await callUrl(`${service.url}/health`)).status, 200)
  await service.stop()
  const findings = (await runJson(['doctor'], installation)).findings as { check: string; detail: string }[]
  assert.match(findings.find(({ check }) => check === 'database')?.detail ?? '', /, 0 stores, 0 products/)
})

test('production does not show stored keys of a demo store', async (t) => {
  const installation = { ...(await seededInstallation(t)), ...productionSettings }
  const service = await startService(t, installation)
  assert.doesNotMatch(service.seen.stdout, /vsk_|vpk_/)
})

for (const { signal, toGroup } of [
  { signal: 'SIGTERM', toGroup: false },
  { signal: 'SIGINT', toGroup: false },
  { signal: 'SIGINT', toGroup: true },
] as const) {
  const whom = toGroup ? 'everything in the terminal, as Ctrl+C sends it,' : 'npm start'
  test(`${signal} to ${whom} ends the service and its database with exit code 0`, async (t) => {
    const npm = findProgram('npm')
    if (npm === undefined) return t.skip('npm is not on this machine')
    const installation = await seededInstallation(t)
    const service = await startService(t, installation, { program: [npm, 'start'], detached: true })
    const postgres = postgresPid(installation.VITRINE_DATA_DIR) as number
    assert.ok(isAlive(postgres))
    process.kill(toGroup ? -service.pid : service.pid, signal)
    const { code, stdout, stderr } = await service.ended
    assert.equal(code, 0, stderr)
    assert.match(stdout, /Stopping/)
    assert.equal(isAlive(postgres), false)
    assert.equal(postgresPid(installation.VITRINE_DATA_DIR), undefined)
    await assert.rejects(fetch(service.url))
  })
}

test('a signal during a first start ends it with exit code 0, and the next start completes it', async (t) => {
  const installation = await newInstallation(t)
  const begun = launchService(t, installation)
  await until(() => begun.seen.stdout.includes('Creating a database'))
  const first = await begun.stop('SIGTERM')
  assert.deepEqual([first.code, first.stderr], [0, ''])
  assert.doesNotMatch(first.stdout, /is ready/)
  assert.equal(postgresPid(installation.VITRINE_DATA_DIR), undefined)

  const again = launchService(t, installation)
  await until(() => postgresPid(installation.VITRINE_DATA_DIR))
  const postgres = postgresPid(installation.VITRINE_DATA_DIR) as number
  const second = await again.stop('SIGINT')
  assert.deepEqual([second.code, second.stderr], [0, ''])
  assert.equal(isAlive(postgres), false)

  const service = await startService(t, installation)
  assert.equal(findCurlLines(service.seen.stdout).length, 3)
})

test('after kill -9 the same folder starts again with its data', async (t) => {
  const installation = await seededInstallation(t)
  const killed = await startService(t, installation)
  const { outletId } = await runJson(['outlet', 'create', '--name', 'Made just before'], installation)
  assert.equal((await killed.stop('SIGKILL')).signal, 'SIGKILL')

  const service = await startService(t, installation)
  const { serverKey } = readDemoKeys(installation.VITRINE_DATA_DIR)
  const { json } = await getAs(serverKey, `${service.url}/v1/store`)
  assert.equal(json.outlets.at(-1).id, outletId)
  const postgres = postgresPid(installation.VITRINE_DATA_DIR) as number
  assert.equal((await service.stop()).code, 0)
  assert.equal(isAlive(postgres), false)
})

test('several services that start at once on one new database migrate it once and share one secret', async (t) => {
  const shared = { DATABASE_URL: await newDatabase(t), VITRINE_DATA_DIR: join(newFolder(t), 'data') }
  const ports = [await freePort(), await freePort(), await freePort()]
  // The first waits at the table that it creates, the others for the first.
  const holder = await connect(t, shared.DATABASE_URL)
  await holder.query('begin; create table vitrine_migration ()')
  const services = ports.map((PORT) => launchService(t, { ...shared, PORT }))
  await until(async () => {
    for (const { child, seen } of services) assert.equal(child.exitCode, null, seen.stderr)
    const migrating = await query(
      shared.DATABASE_URL,
      `select count(*)::int as all, (count(*) filter (where wait_event_type = 'Lock'))::int as blocked
      from pg_stat_activity where datname = current_database() and application_name = 'vitrine migrate'`,
    )
    return migrating[0]?.all === services.length && migrating[0]?.blocked === 1
  })
  await holder.query('rollback')
  await Promise.all(services.map((service) => until(() => isReady(service))))
  for (const { url, seen } of services) {
    assert.equal((await callUrl(`${url}/health`)).json.status, 'ok')
    assert.doesNotMatch(seen.stdout, /vsk_/)
  }
  const names = readMigrations().map(({ name }) => name)
  const printed = services.flatMap(({ seen }) => [...seen.stdout.matchAll(/^Applied migration (.+)$/gm)])
  assert.deepEqual(
    printed.map(([, name]) => name),
    names,
  )
  const applied = await query(shared.DATABASE_URL, 'select name from vitrine_migration order by number')
  assert.deepEqual(
    applied.map(({ name }) => name),
    names,
  )
  assert.deepEqual(readdirSync(shared.VITRINE_DATA_DIR).sort(), ['secret', 'service.json'])
  const { browserKey } = await runJson(['seed', 'demo'], shared)
  const [first, ...others] = services.map(({ url }) => `${url}/v1/products?limit=1`)
  const cursor = (await getAs(browserKey, first as string)).headers.get('x-next-cursor')
  for (const other of others) assert.equal((await getAs(browserKey, `${other}&cursor=${cursor}`)).status, 200)
  assert.equal(modeOf(shared.VITRINE_DATA_DIR, 'secret'), 0o600)
  for (const service of services) assert.equal((await service.stop()).code, 0)
})

test('SIGTERM ends the service only after open requests are answered', async (t) => {
  const installation = { DATABASE_URL: await newDatabase(t), VITRINE_DATA_DIR: newFolder(t), PORT: await freePort() }
  const { serverKey } = await runJson(['seed', 'demo'], installation)
  const service = await startService(t, installation)
  const holder = await connect(t, installation.DATABASE_URL)
  await holder.query('begin; lock table product in access exclusive mode')
  const asked = getAs(serverKey, `${service.url}/v1/products?limit=3`)
  await until(async () => {
    const { rows } = await holder.query(
      `select from pg_locks where not granted and relation = 'product'::regclass
       and database = (select oid from pg_database where datname = current_database())`,
    )
    return rows.length > 0
  })
  service.child.kill('SIGTERM')
  await until(() => service.seen.stdout.includes('Stopping'))
  await holder.query('commit')
  const answer = await asked
  assert.equal(answer.status, 200)
  assert.equal(answer.json.length, 3)
  assert.equal((await service.ended).code, 0)
})
