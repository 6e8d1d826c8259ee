import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { findProgram, freePort, newDatabase, newFolder, startService, until } from '../src/cli/fixture.ts'
import { isOlderVersion } from '../src/core/version.ts'
import { chooseAccount, resolveDataPaths } from '../src/db/embedded/data-dir.ts'
import { runSql } from './databases.ts'
import { commandsIn } from './every-command.ts'
import { callUrl } from './harness.ts'
import { awaitEvents, checkLedger } from './traffic/check.ts'
import { openMarket } from './traffic/market.ts'
import { startTraffic } from './traffic/start.ts'

const skip = findProgram('pgbouncer') === undefined && 'pgbouncer is not installed'

test('a shop sells behind PgBouncer in transaction mode, with fewer connections than callers', { skip }, async (t) => {
  const direct = await newDatabase(t, { migrated: true })
  const pooler = await startPooler(t, direct)
  t.diagnostic(`PgBouncer ${pooler.version}, named statements ${pooler.namesStatements ? 'on' : 'off'}`)
  const settings = {
    ...{ DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: direct, VITRINE_DATA_DIR: newFolder(t), LOG_LEVEL: 'warn' },
    ...{ DATABASE_PREPARE: pooler.namesStatements ? 'on' : 'off', VITRINE_DEMO_PORT: '0' },
  }
  const service = await startService(t, { ...settings, PORT: await freePort() })
  const vitrine = commandsIn(settings)
  const market = await openMarket(t, vitrine)
  const options = { clients: 8, choose: () => service.url, repeats: false, looksAround: true }
  const traffic = await startTraffic(t, market, options)
  await traffic.awaitOrders(60)
  await traffic.stop()
  t.diagnostic(traffic.tell())
  await checkLedger(market, traffic.ledger, { url: service.url, vitrine })
  await awaitEvents(market, traffic.ledger, 60_000)
})

test('behind a pooler alone no change is announced, and it is seen when caches expire', { skip }, async (t) => {
  const direct = await newDatabase(t, { migrated: true })
  const pooler = await startPooler(t, direct)
  const settings = { VITRINE_DATA_DIR: newFolder(t), LOG_LEVEL: 'warn', VITRINE_DEMO_PORT: '0' }
  const { url } = await startService(t, {
    ...{ ...settings, DATABASE_URL: pooler.url, PORT: await freePort() },
    DATABASE_PREPARE: pooler.namesStatements ? 'on' : 'off',
  })
  const vitrine = commandsIn({ ...settings, DATABASE_URL: direct })
  const { storeId, key } = await openMarket(t, vitrine)
  const readPrice = async () =>
    (await callUrl(`${url}/v1/products/mug`, { headers: { 'x-store-key': key } })).json.price
  let last = 100
  for (const price of [101, 102]) {
    // Long enough for answers to be kept for longer than a second, if that were safe.
    for (let i = 0; i < 15; i++, await sleep(100)) assert.equal(await readPrice(), last)
    await vitrine(['product', 'set', 'mug', '--store', storeId, '--price', String(price)])
    let reads = 0
    while ((await readPrice()) !== price && reads < 100) {
      reads++
      await sleep(100)
    }
    assert.ok(reads < 100, 'an old price was shown for ten seconds')
    last = price
  }
})

const poolSize = 4

/** PgBouncer as docs/production.md configures it, in front of a database. */
const startPooler = async (t: TestContext, direct: string) => {
  const program = findProgram('pgbouncer') ?? ''
  const version = /PgBouncer ([\d.]+)/.exec(spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout)?.[1] ?? '0'
  const namesStatements = !isOlderVersion(version, '1.21.0')
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-pooler-'))
  const port = await freePort()
  const { hostname, port: databasePort, username, password, pathname } = new URL(direct)
  const file = join(folder, 'pgbouncer.ini')
  const user = `user=${decodeURIComponent(username)}`
  const login = password === '' ? user : `${user} password=${decodeURIComponent(password)}`
  const settings = {
    ...{ listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '', auth_type: 'any' },
    ...{ pool_mode: 'transaction', default_pool_size: poolSize, max_client_conn: 200 },
    ...(namesStatements ? { max_prepared_statements: 200 } : {}),
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  const place = `host=${decodeURIComponent(hostname)} port=${databasePort || 5432}`
  const server = `* = ${place} ${login} connect_query='set statement_timeout = 10000'`
  writeFileSync(file, ['[databases]', server, '[pgbouncer]', ...lines, ''].join('\n'))
  // PgBouncer refuses to run as root.
  const account = chooseAccount(resolveDataPaths(folder))
  if (account) for (const path of [folder, file]) chownSync(path, account.uid, account.gid)
  const child = spawn(program, [file], { ...account, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said += text
    })
  }
  const ended = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  const url = `postgres://${username}:${password}@127.0.0.1:${port}${pathname}`
  await until(async () => {
    assert.equal(child.exitCode, null, said)
    return runSql(url, 'select 1').then(
      () => true,
      () => false,
    )
  })
  return { url, version, namesStatements }
}
