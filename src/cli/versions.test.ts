import assert from 'node:assert/strict'
import { cpSync, existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { takeThird } from '../../test/combinations.ts'
import { callUrl } from '../../test/harness.ts'
import {
  assertSentence,
  freePort,
  makeTemplate,
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
} from './fixture.ts'

makeTemplate()

/** A checkout with one more migration than this one. */
const newerCheckout = (t: TestContext) => {
  const folder = newFolder(t, 0o755)
  for (const name of ['src', 'package.json']) cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'src/db/migrations/9999_future.sql'), 'alter table store rename column name to title;')
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

test('a command that only reads creates neither a database nor tables', async (t) => {
  const folder = join(newFolder(t), 'data')
  assertSentence(await runVitrine(['store', 'list'], { VITRINE_DATA_DIR: folder }), 'There is no database in', folder)
  assert.equal(existsSync(folder), false)
  const DATABASE_URL = await newDatabase(t)
  const settings = { DATABASE_URL, VITRINE_DATA_DIR: folder }
  assertSentence(await runVitrine(['store', 'list'], settings), 'There are no tables in this database yet')
  assert.deepEqual(await query(DATABASE_URL, "select from pg_tables where schemaname = 'public'"), [])
})
