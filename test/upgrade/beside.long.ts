import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  assertSentence,
  commandRunner,
  freePort,
  newDatabase,
  newFolder,
  root,
  runJson,
  runProcess,
  startService,
} from '../../src/cli/fixture.ts'
import { isOlderVersion } from '../../src/core/version.ts'
import { readMigration } from '../../src/db/migration-files.ts'
import type { Run } from '../every-command.ts'
import { awaitEvents, checkLedger } from '../traffic/check.ts'
import { openMarket } from '../traffic/market.ts'
import { startTraffic } from '../traffic/start.ts'
import { checkOutReleaseBefore, equip, lacksReleaseBefore, programIn } from './release-before.ts'

test('the release before works beside this version, on its schema, and buyers notice nothing', {
  skip: lacksReleaseBefore,
}, async (t) => {
  const old = checkOutReleaseBefore(t)
  const { version } = JSON.parse(readFileSync(join(old, 'package.json'), 'utf8'))
  const settings = {
    ...{ DATABASE_URL: await newDatabase(t), VITRINE_DATA_DIR: newFolder(t), VITRINE_SECRET: 's'.repeat(40) },
    VITRINE_DEMO_PORT: '0',
  }
  const tooNew = unknownTo(old).find(({ oldestVersion }) => !oldestVersion || isOlderVersion(version, oldestVersion))
  if (tooNew !== undefined) await assertRefused(t, old, tooNew.name)
  // Beside a schema that refuses it, the old release is not run. Then its own code stands for the newer version.
  const newer = copyWithFuture(t, tooNew === undefined ? root : old, version)
  t.diagnostic(tooNew === undefined ? `beside ${version}` : `${tooNew.name} does not work beside ${version}`)

  const [oldCommands, newCommands] = [old, newer].map((folder): Run => {
    const run = commandRunner(folder)
    return (args) => runJson(args, settings, run)
  }) as [Run, Run]
  const market = await openMarket(t, oldCommands)
  const oldService = await startService(t, { ...settings, PORT: await freePort() }, programIn(old, 'start'))
  const urls = [oldService.url]
  let turn = 0
  const choose = () => urls[turn++ % urls.length] ?? ''
  const options = { clients: 5, everyMs: 100, choose, repeats: false, looksAround: true }
  const traffic = await startTraffic(t, market, options)
  await traffic.awaitOrders(5)
  const migrated = await newCommands(['migrate'])
  assert.ok(migrated.applied.includes('9001_future.sql'), JSON.stringify(migrated))
  await traffic.awaitOrders(5)
  // The old release starts on the new schema, too.
  const [newService, again] = await Promise.all([
    startService(t, { ...settings, PORT: await freePort() }, programIn(newer, 'start')),
    startService(t, { ...settings, PORT: await freePort() }, programIn(old, 'start')),
  ])
  urls.push(newService.url, again.url)
  await traffic.awaitOrders(10)
  await traffic.stop()

  for (const [{ url }, vitrine] of [
    [again, oldCommands],
    [newService, newCommands],
  ] as const)
    await checkLedger(market, traffic.ledger, { url, vitrine })
  await awaitEvents(market, traffic.ledger, 60_000)
})

/** The code of a checkout with one more migration, so that there is a newer schema right after a release, too. */
const copyWithFuture = (t: TestContext, source: string, version: string) => {
  const folder = join(newFolder(t, 0o755), 'newer')
  mkdirSync(folder)
  for (const name of ['src', 'package.json']) cpSync(join(source, name), join(folder, name), { recursive: true })
  equip(folder)
  const text = `-- oldest version beside: ${version}
alter table orders add column future text not null default '';
alter table product add column future integer;
create index future_products on product (store_id, future);`
  writeFileSync(join(folder, 'src/db/migrations/9001_future.sql'), text)
  return folder
}

const migrationsIn = (folder: string) => {
  const path = join(folder, 'src/db/migrations')
  return readdirSync(path).map((name) => readMigration(name, readFileSync(join(path, name), 'utf8')))
}

const unknownTo = (old: string) => {
  const known = new Set(migrationsIn(old).map(({ name }) => name))
  return migrationsIn(root).filter(({ name }) => !known.has(name))
}

const assertRefused = async (t: TestContext, old: string, name: string) => {
  const settings = { DATABASE_URL: await newDatabase(t, { migrated: true }), VITRINE_DATA_DIR: newFolder(t) }
  assertSentence(await runProcess(['start'], settings, programIn(old)), 'migrated by a newer Vitrine', name)
}
