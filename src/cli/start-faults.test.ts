import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { withDatabaseName } from '../../test/databases.ts'
import { callUrl, databaseUrl } from '../../test/harness.ts'
import { loadConfig } from '../config.ts'
import {
  assertSentence,
  freePort,
  isAlive,
  launchService,
  newFolder,
  postgresPid,
  runProcess,
  runVitrine,
  type Settings,
  seededInstallation,
  startService,
  undo,
  until,
} from './fixture.ts'

const isRoot = process.geteuid?.() === 0
const nobody = 65534

test('a second start on the same folder fails and names the first, which keeps running', async (t) => {
  const installation = await seededInstallation(t)
  const first = await startService(t, installation)
  const postgres = postgresPid(installation.VITRINE_DATA_DIR)
  const second = await runProcess(['start'], { ...installation, PORT: await freePort() })
  assertSentence(second, installation.VITRINE_DATA_DIR, `process ${first.pid}`, 'VITRINE_DATA_DIR')
  assert.equal(second.stdout, '')
  assert.equal(postgresPid(installation.VITRINE_DATA_DIR), postgres)
  assert.equal((await callUrl(`${first.url}/health`)).status, 200)
})

test('a port in use is named with a port to use instead, and no database is left running', async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  undo(t, () => other.close())
  const installation = await seededInstallation(t)
  const PORT = String((other.address() as { port: number }).port)
  const started = launchService(t, { ...installation, PORT })
  await until(() => postgresPid(installation.VITRINE_DATA_DIR))
  const postgres = postgresPid(installation.VITRINE_DATA_DIR) as number
  const ended = await started.ended
  assertSentence(ended, `Port ${PORT} is in use`, `PORT=${Number(PORT) + 10} npm start`)
  assert.doesNotMatch(ended.stdout, /is ready/)
  assert.equal(isAlive(postgres), false)
})

test('a HOST that is not of this machine is an error, and no database is left running', async (t) => {
  const installation = await seededInstallation(t)
  for (const HOST of ['203.0.113.7', 'no-such-host.invalid']) {
    assertSentence(
      await runVitrine(['start'], { ...installation, HOST }),
      `HOST=${HOST} is not an address of this machine`,
    )
    assert.equal(postgresPid(installation.VITRINE_DATA_DIR), undefined)
  }
})

test('every command names a data folder that it cannot write to', async (t) => {
  const folder = newFolder(t, 0o555)
  const settings = { VITRINE_DATA_DIR: join(folder, 'data'), PORT: await freePort() }
  const options = isRoot ? { uid: nobody } : {}
  for (const command of [['start'], ['migrate']]) {
    assertSentence(
      await runProcess(command, settings, options),
      'may not write to',
      settings.VITRINE_DATA_DIR,
      'VITRINE_DATA_DIR',
    )
  }
  assert.deepEqual(readdirSync(folder), [])
  chmodSync(folder, 0o700)
})

test('a data folder that is a file is refused', async (t) => {
  const file = join(newFolder(t), 'file')
  writeFileSync(file, 'not a folder')
  assertSentence(await runVitrine(['start'], { VITRINE_DATA_DIR: file }), `${file} is not a folder`)
})

test('a damaged file in the data folder is named with what to do', async (t) => {
  const installation = await seededInstallation(t)
  const demo = join(installation.VITRINE_DATA_DIR, 'demo.json')
  writeFileSync(demo, '{"storeId":')
  assertSentence(await runVitrine(['start'], installation), demo, 'damaged', 'Delete it')
  assert.equal(postgresPid(installation.VITRINE_DATA_DIR), undefined)

  const secret = join(newFolder(t), 'secret')
  writeFileSync(secret, 'short')
  assertSentence(await runVitrine(['start'], { VITRINE_DATA_DIR: join(secret, '..') }), secret, 'damaged')

  const strange = join(newFolder(t), 'secret')
  mkdirSync(strange)
  assertSentence(
    await runVitrine(['start'], { VITRINE_DATA_DIR: join(strange, '..') }),
    strange,
    'Cannot read or write the secret',
  )
})

type Fault = { settings: Settings; says: (string | RegExp)[] }

/** All at once, because each takes a second. None may print anything else or create a folder. */
const assertRefused = async (t: TestContext, faults: readonly Fault[]) => {
  const folder = newFolder(t)
  await Promise.all(
    faults.map(async ({ settings, says }, i) => {
      const VITRINE_DATA_DIR = join(folder, String(i))
      const ended = await runProcess(['start'], { VITRINE_DATA_DIR, ...settings })
      assertSentence(ended, ...says)
      assert.equal(ended.stdout, '')
      assert.equal(existsSync(join(VITRINE_DATA_DIR, 'postgres')), false)
    }),
  )
}

test('a database that cannot be reached is named, with the reason and without the password', async (t) => {
  const closed = `127.0.0.1:${await freePort()}`
  const stranger = databaseUrl.replace(/^(\w+:\/\/)[^@]*@/, '$1stranger:hush-hush@')
  await assertRefused(t, [
    { settings: { DATABASE_URL: `postgres://me:hush-hush@${closed}/shop` }, says: [closed, 'Check DATABASE_URL'] },
    { settings: { DATABASE_URL: 'postgres://me:hush-hush@no-such-host.invalid/shop' }, says: ['no-such-host.invalid'] },
    { settings: { DATABASE_URL: stranger }, says: ['refused the user or the password', /^((?!hush-hush).)*$/s] },
    { settings: { DATABASE_URL: withDatabaseName(databaseUrl, 'no_such_shop') }, says: ['database "no_such_shop"'] },
  ])
})

test('an invalid setting is named before anything is started', async (t) => {
  await assertRefused(t, [
    { settings: { PORT: 'abc' }, says: ['PORT'] },
    { settings: { NODE_ENV: 'production' }, says: ['VITRINE_PUBLIC_URL is required'] },
  ])
  const production = { NODE_ENV: 'production', VITRINE_PUBLIC_URL: 'https://api.example', DATABASE_URL: databaseUrl }
  assert.throws(() => loadConfig(production), { name: 'OperatorError', message: /^VITRINE_SECRET is required/ })
  const invalid: [name: string, ...values: string[]][] = [
    ['PORT', '70000', '3000.5', '0x10', '-1'],
    ['NODE_ENV', 'prod'],
    ['LOG_LEVEL', 'loud'],
    ['DATABASE_URL', 'mysql://db/shop', 'postgres://db:port/shop'],
    ['DATABASE_DIRECT_URL', 'db.example'],
    ['REDIS_URL', 'localhost:6379'],
    ['DATABASE_POOL_SIZE', '0', 'many'],
    ['VITRINE_SECRET', 'short', `short,${'long enough to be a secret '.repeat(2)}`],
    ['VITRINE_INTERNAL_SECRET', 'short'],
    ['VITRINE_METRICS_TOKEN', 'short'],
    ['VITRINE_PUBLIC_URL', 'shop.example', 'https://shop.example/path'],
    ['VITRINE_TRUST_PROXY', 'my-proxy', '10.0.0.0/33'],
  ]
  for (const [name, ...values] of invalid) {
    for (const value of values) {
      assert.throws(() => loadConfig({ [name]: value }), {
        name: 'OperatorError',
        message: new RegExp(`\\b${name}\\b`),
      })
    }
  }
})
