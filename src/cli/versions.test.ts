import assert from 'node:assert/strict'
import { cpSync, existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { takeThird } from '../../test/combinations.ts'
import { callUrl } from '../../test/harness.ts'
import {
  assertSentence,
  connect,
  freePort,
  launchCommand,
  newDatabase,
  newFolder,
  query,
  readDemoKeys,
  root,
  runJson,
  runProcess,
  runVitrine,
  seededInstallation,
  startService,
  until,
} from './fixture.ts'

const renames = { '9999_future.sql': 'alter table store rename column name to title;' }

/** A checkout with more migrations than this one. */
const newerCheckout = (t: TestContext, migrations: Record<string, string> = renames) => {
  const folder = newFolder(t, 0o755)
  for (const name of ['src', 'package.json']) cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const [name, text] of Object.entries(migrations)) writeFileSync(join(folder, 'src/db/migrations', name), text)
  return { program: [process.execPath, join(folder, 'src/main.ts')] }
}

const reads = [
  ['store', 'list'],
  ['store', 'show'],
  ['key', 'list'],
  ['coupon', 'list'],
  ['order', 'list'],
  ['order', 'show', '1001'],
  ['inbox', 'list'],
  ['catalog', 'export'],
]

test('commands of a newer checkout do not migrate a database that an older service uses', async (t) => {
  const installation = await seededInstallation(t)
  const service = await startService(t, installation)
  const newer = newerCheckout(t)
  for (const command of [...takeThird('reads', reads), ['outlet', 'create', '--name', 'Pune']]) {
    const ended = await runProcess(command, installation, newer)
    assertSentence(ended, '9999_future.sql', 'run "vitrine migrate"')
    assert.equal(ended.stdout, '')
  }
  const { serverKey } = readDemoKeys(installation.VITRINE_DATA_DIR)
  assert.equal((await callUrl(`${service.url}/v1/store`, { headers: { 'x-store-key': serverKey } })).status, 200)
  assert.equal((await runJson(['store', 'list'], installation)).length, 1)
  assert.deepEqual((await service.stop()).code, 0)
  await startService(t, installation)
})

test('after a newer version has migrated the database, commands of the older version refuse to use it', async (t) => {
  const settings = { DATABASE_URL: await newDatabase(t), VITRINE_DATA_DIR: newFolder(t), PORT: await freePort() }
  await runJson(['seed', 'demo'], settings)
  const newer = newerCheckout(t)
  assert.equal((await runProcess(['migrate'], settings, newer)).code, 0)
  for (const command of [['store', 'list'], ['outlet', 'create', '--name', 'Pune'], ['migrate'], ['start']]) {
    assertSentence(await runVitrine(command, settings), 'migrated by a newer Vitrine')
  }
})

/** Additive, so the version before works beside them. */
const additive = {
  '9001_future.sql': '-- oldest version beside: 0.1.0\nalter table product add column future text;',
  '9002_index.sql':
    '-- oldest version beside: 0.1.0\n-- runs: concurrently\ncreate index concurrently by_future on product (future);',
  '9003_fill.sql': `-- oldest version beside: 0.1.0
-- runs: in batches
with batch as (select store_id, id from product where id > coalesce($1, '') order by id limit 5),
  changed as (update product p set future = '' from batch b where (p.store_id, p.id) = (b.store_id, b.id))
select max(id) as cursor, count(*) as rows from batch`,
}

test('a migration of a newer version that was killed is continued, and this version works all the time', async (t) => {
  const settings = { DATABASE_URL: await newDatabase(t), VITRINE_DATA_DIR: newFolder(t), PORT: await freePort() }
  const { serverKey } = await runJson(['seed', 'demo'], settings)
  const newer = newerCheckout(t, additive)
  const running = await startService(t, settings)
  // The index waits for this transaction, which might still look for rows without it.
  const holder = await connect(t, settings.DATABASE_URL)
  await holder.query('begin isolation level repeatable read; select 1')
  const migrating = launchCommand(t, ['migrate'], settings, newer)
  const indexes = () =>
    query(settings.DATABASE_URL, "select indisvalid from pg_index where indexrelid = to_regclass('by_future')")
  await until(async () => (await indexes()).length === 1)
  assert.equal((await migrating.stop('SIGKILL')).signal, 'SIGKILL')
  assert.deepEqual(await indexes(), [{ indisvalid: false }])
  assert.equal((await runJson(['store', 'list'], settings)).length, 1)
  // The server notices that its client is gone, and stops building.
  const builders = `select from pg_stat_activity where application_name = 'vitrine migrate' and datname = current_database()`
  await until(async () => (await query(settings.DATABASE_URL, builders)).length === 0)
  await holder.query('commit')

  const { code, stdout, stderr } = await runProcess(['migrate'], settings, newer)
  assert.equal(code, 0, stderr)
  assert.match(stdout, /9002_index\.sql: removing what is left of by_future\n/)
  assert.match(stdout, /9003_fill\.sql: \d+ rows\nApplied 9002_index\.sql\nApplied 9003_fill\.sql\n$/)
  assert.deepEqual(await indexes(), [{ indisvalid: true }])
  const key = { headers: { 'x-store-key': serverKey } }
  assert.equal((await callUrl(`${running.url}/v1/products`, key)).status, 200)

  const again = await startService(t, { ...settings, PORT: await freePort() })
  assert.equal((await callUrl(`${again.url}/v1/products`, key)).status, 200)
  const doctor = await runVitrine(['doctor'], settings)
  assert.match(doctor.stdout, /\nok +migrations +a newer version works beside this one: 9001_future\.sql, .*\n/)
  assert.equal(doctor.code, 0, doctor.stdout)
})

test('a command that only reads creates neither a database nor tables', async (t) => {
  const folder = join(newFolder(t), 'data')
  assertSentence(await runVitrine(['store', 'list'], { VITRINE_DATA_DIR: folder }), 'There is no database in', folder)
  assert.equal(existsSync(folder), false)
  const DATABASE_URL = await newDatabase(t)
  const settings = { DATABASE_URL, VITRINE_DATA_DIR: folder }
  assertSentence(await runVitrine(['store', 'list'], settings), 'There are no tables in this database yet')
  assert.deepEqual(await query(DATABASE_URL, "select from pg_tables where schemaname = 'public'"), [])
})
