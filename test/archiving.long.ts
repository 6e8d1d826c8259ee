import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { freePort, newInstallation, query, runJson, startService, undo, until } from '../src/cli/fixture.ts'
import { newBuyer } from './buyer.ts'
import { findSystemPostgres } from './document-postgres.ts'
import { blocksOf } from './documents.ts'

/** A folder that the user of the server owns and others may enter. */
const newServerFolder = (t: TestContext, owner: { uid: number; gid: number }) => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-archiving-'))
  chmodSync(folder, 0o755)
  chownSync(folder, owner.uid, owner.gid)
  undo(t, () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('the commands of docs/backup.md restore a database to a moment between two orders', async (t) => {
  const system = findSystemPostgres()
  if (system === null) return t.skip('there is no PostgreSQL of the system')
  const { bin, owner } = system
  const folder = newServerFolder(t, owner)
  const [data, restored] = [join(folder, 'data'), join(folder, 'restored')]
  const [port, restoredPort] = [await freePort(), await freePort()]
  const options = (own: string) => `-p ${own} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off`
  const env = {
    ...{ PATH: `${bin}:${process.env.PATH}`, LC_ALL: 'C.UTF-8', PGHOST: '127.0.0.1', PGPORT: port, PGUSER: 'postgres' },
    ...{ BACKUPS: join(folder, 'backups'), RESTORED: restored, OPTIONS: options(restoredPort) },
  }
  const run = (script: string, more = {}) =>
    execFileSync('bash', ['-euc', script], {
      ...{ ...owner, cwd: folder, env: { ...env, ...more }, encoding: 'utf8' as const },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  const stop = (own: string) => run(`pg_ctl -D ${own} -m immediate stop || true`)
  mkdirSync(data, { mode: 0o700 })
  chownSync(data, owner.uid, owner.gid)
  run(`initdb -D ${data} -U postgres -A trust --encoding=UTF8 --locale=C.UTF-8 --no-sync`)
  undo(t, () => stop(data))
  const start = `pg_ctl -D ${data} -l ${data}/log -w -o '${options(port)}'`
  run(`${start} start`)
  run('createdb shop')

  const [prepare = '', makeBase = '', check = '', restore = ''] = blocksOf('docs/backup.md')
    .filter(({ info }) => info === 'sh archive')
    .map(({ text }) => text)
  run(prepare)
  run(`${start} restart`)

  const url = (own: string) => `postgres://postgres@127.0.0.1:${own}/shop`
  const place = { ...(await newInstallation(t)), DATABASE_URL: url(port) }
  await runJson(['migrate'], place)
  const { browserKey } = await runJson(['seed', 'demo'], place)
  const service = await startService(t, place)
  const asha = await newBuyer(service.url, browserKey)
  const beforeBase = await asha.order('cod', 'cutting-chai-glasses')
  run(makeBase)
  const first = await asha.order('cod', 'cutting-chai-glasses')
  const [{ moment }] = await query(url(port), 'select clock_timestamp()::text as moment')
  const second = await asha.order('cod', 'cutting-chai-glasses')
  await service.stop()
  await query(url(port), 'select pg_switch_wal()')
  const archived = async () => (await query(url(port), 'select last_archived_wal from pg_stat_archiver'))[0]
  const [{ wal }] = await query(url(port), 'select pg_walfile_name(pg_current_wal_lsn() - 1) as wal')
  await until(async () => ((await archived())?.last_archived_wal ?? '') >= wal)
  assert.match(run(check), /\| +0 \|/)
  stop(data)

  undo(t, () => stop(restored))
  run(restore, { MOMENT: moment })
  const copy = { ...place, DATABASE_URL: url(restoredPort) }
  await until(async () => !(await query(url(restoredPort), 'select pg_is_in_recovery() as yes'))[0]?.yes)
  const { healthy, findings } = await runJson(['doctor'], copy)
  assert.ok(healthy, JSON.stringify(findings))
  const orders = (await runJson(['order', 'list'], copy)).map(({ id }: { id: string }) => id)
  assert.deepEqual(new Set(orders), new Set([beforeBase.id, first.id]))
  assert.equal(orders.includes(second.id), false)
})
