import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readMigrations } from '../db/migration-files.ts'
import {
  freePort,
  newDatabase,
  newFolder,
  newInstallation,
  productionSettings,
  query,
  runJson,
  runVitrine,
  type Settings,
} from './fixture.ts'

type Finding = { check: string; state: string; detail: string }

const faultsOf = (findings: readonly Finding[]) =>
  findings.filter(({ state }) => state === 'fault').map(({ check }) => check)

const examine = async (settings: Settings) => {
  const { code, stdout, stderr } = await runVitrine(['doctor', '--json'], settings)
  assert.equal(stderr, '')
  const report: { healthy: boolean; findings: Finding[] } = JSON.parse(stdout)
  assert.deepEqual(Object.keys(report), ['healthy', 'findings'])
  assert.equal(code, report.healthy ? 0 : 1)
  for (const finding of report.findings) assert.deepEqual(Object.keys(finding), ['check', 'state', 'detail'])
  return report
}

test('doctor finds nothing in a healthy store, and reports stale listings, violated invariants and an unreachable Redis', async (t) => {
  const settings = { DATABASE_URL: await newDatabase(t, { migrated: true }), VITRINE_DATA_DIR: newFolder(t) }
  await runJson(['seed', 'demo'], settings)
  const healthy = await runVitrine(['doctor'], settings)
  assert.equal(healthy.code, 0, healthy.stdout)
  assert.match(healthy.stdout, /1 stores, 44 products\n[\s\S]*\nAll is well\.\n$/)
  assert.match(healthy.stdout, /^ok {7}invariants {4}hold for 0 orders$/m)
  assert.doesNotMatch(healthy.stdout, /FAULT/)

  for (const change of [
    'update listing set price_minor = price_minor + 1 where product_id = (select min(id) from product)',
    'delete from listing where product_id = (select max(product_id) from listing)',
    'update listing set in_stock = not in_stock where product_id = (select min(product_id) from listing where in_stock)',
    'update coupon set used = 1 where code = (select min(code) from coupon)',
    'update stock set reserved = 1 where on_hand > 0 and variant_id = (select min(variant_id) from stock where on_hand > 0)',
  ]) {
    await query(settings.DATABASE_URL, change)
  }
  const redis = `127.0.0.1:${await freePort()}`
  const ill = await runVitrine(['doctor'], { ...settings, REDIS_URL: `redis://${redis}` })
  assert.equal(ill.code, 1)
  assert.match(ill.stdout, /^FAULT {4}listings {6}[1-9]\d* rows differ from the products/m)
  assert.match(ill.stdout, /^FAULT {4}invariants {4}Coupon \w+ counts 1 uses, but 0 orders hold it\.$/m)
  assert.match(ill.stdout, /^FAULT {4}invariants {4}Variant var_\w+ has 1 units reserved/m)
  assert.match(ill.stdout, new RegExp(`^FAULT {4}redis .*${redis}`, 'm'))
  assert.match(ill.stdout, /\nThere are problems\.\n$/)
})

test('a missing file of a product on sale is a fault, and a warning on a machine without the files folder', async (t) => {
  const settings = { DATABASE_URL: await newDatabase(t, { migrated: true }), VITRINE_DATA_DIR: newFolder(t) }
  const { storeId } = await runJson(['seed', 'demo'], settings)
  const aboutFiles = async () => (await examine(settings)).findings.filter(({ check }) => check === 'files')
  const [demo] = await aboutFiles()
  assert.deepEqual([demo?.state, demo?.detail], ['ok', 'all 2 files of products exist'])
  await query(settings.DATABASE_URL, `update product set digital = '{"file": "lost.pdf"}' where slug like 'chai-%'`)
  const [nowhere] = await aboutFiles()
  assert.equal(nowhere?.state, 'warning')
  mkdirSync(join(settings.VITRINE_DATA_DIR, 'files'))
  const [lost] = await aboutFiles()
  const folder = join(settings.VITRINE_DATA_DIR, 'files', storeId)
  assert.deepEqual([lost?.state, lost?.detail], ['fault', `"lost.pdf" is on sale but missing from ${folder}`])
  mkdirSync(folder)
  writeFileSync(join(folder, 'lost.pdf'), 'found')
  assert.equal((await aboutFiles())[0]?.state, 'ok')
})

test('pending migrations are named, and the database is not changed', async (t) => {
  const settings = { DATABASE_URL: await newDatabase(t), VITRINE_DATA_DIR: newFolder(t) }
  const { findings } = await examine(settings)
  assert.deepEqual(faultsOf(findings), ['migrations'])
  const { detail } = findings.find(({ check }) => check === 'migrations') as Finding
  for (const { name } of readMigrations()) assert.ok(detail.includes(name))
  assert.match(detail, /vitrine migrate/)
  assert.deepEqual(await query(settings.DATABASE_URL, "select from pg_tables where schemaname = 'public'"), [])
})

test('an unreachable database and invalid settings are faults', async (t) => {
  const address = `127.0.0.1:${await freePort()}`
  const [unreachable, invalid] = await Promise.all([
    examine({ DATABASE_URL: `postgres://me:hush-hush@${address}/shop`, VITRINE_DATA_DIR: newFolder(t) }),
    examine({ PORT: 'abc', VITRINE_DATA_DIR: newFolder(t) }),
  ])
  assert.deepEqual(faultsOf(unreachable.findings), ['database'])
  assert.ok(JSON.stringify(unreachable).includes(address))
  assert.equal(JSON.stringify(unreachable).includes('hush-hush'), false)
  assert.deepEqual(faultsOf(invalid.findings), ['settings'])
})

test('in production doctor warns about a store that sends codes to all countries without a cap', async (t) => {
  const production = { ...productionSettings, VITRINE_SECRET: 's'.repeat(32) }
  const settings = {
    ...production,
    DATABASE_URL: await newDatabase(t, { migrated: true }),
    VITRINE_DATA_DIR: newFolder(t),
  }
  const create = (name: string) => [
    ...['store', 'create', '--name', name, '--domain', `${name}.example`, '--currency', 'EUR'],
    ...['--payment-provider', 'cod'],
  ]
  const shown = await runVitrine(create('blue'), settings)
  assert.match(shown.stdout, /vitrine store set --store store_\w+ --otp-countries .* --otp-hourly-cap/)
  const named = await runJson(create('green'), settings)
  const capped = await runJson(create('red'), settings)
  await runJson(['store', 'set', '--store', named.storeId, '--otp-countries', 'IN'], settings)
  await runJson(['store', 'set', '--store', capped.storeId, '--otp-hourly-cap', '500'], settings)
  const slow = await runJson(['key', 'create', '--browser', '--store', named.storeId], settings)
  const report = await examine(settings)
  assert.equal(report.healthy, true)
  const { detail: slowKeys } = report.findings.find(({ check }) => check === 'keys') ?? {}
  assert.match(slowKeys ?? '', new RegExp(`^${slow.id}: 60 requests per minute for all shoppers`))
  const warnings = report.findings.filter(({ check }) => check === 'otp')
  assert.deepEqual(
    warnings.map(({ state }) => state),
    ['warning'],
  )
  const detail = warnings[0]?.detail ?? ''
  assert.match(detail, /^store_\w+: .*--otp-countries or --otp-hourly-cap/)
  assert.equal(detail.includes(named.storeId) || detail.includes(capped.storeId), false)
  const trying = await examine({ DATABASE_URL: settings.DATABASE_URL, VITRINE_DATA_DIR: settings.VITRINE_DATA_DIR })
  assert.equal(
    trying.findings.some(({ check }) => check === 'otp'),
    false,
  )
})

test('before the first start doctor finds no problems and creates nothing', async (t) => {
  const installation = await newInstallation(t)
  const { healthy, findings } = await examine(installation)
  assert.equal(healthy, true)
  assert.match(findings.at(-1)?.detail ?? '', /none yet/)
  assert.equal(existsSync(join(installation.VITRINE_DATA_DIR)), false)
})
