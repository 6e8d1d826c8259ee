import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { packTar, unpackTar } from 'modern-tar'
import { newBuyer } from '../../test/buyer.ts'
import { onlyOnCluster } from '../../test/cluster.ts'
import { callUrl } from '../../test/harness.ts'
import { openCluster, stageDatabase, stagedFolder, switchToStaged } from '../db/backup/switch.ts'
import { openEmbedded } from '../db/embedded.ts'
import { migrate } from '../db/migrate.ts'
import { readMigrations } from '../db/migration-files.ts'
import {
  assertSentence,
  demoInstallation,
  newDatabase,
  newFolder,
  newInstallation,
  query,
  readDemoKeys,
  runJson,
  runVitrine,
  type Settings,
  seededInstallation,
  startService,
  undo,
  until,
} from './fixture.ts'

type Place = Settings & { VITRINE_DATA_DIR: string }

const listOrders = async (place: Settings): Promise<string[]> =>
  (await runJson(['order', 'list', '--limit', '100'], place)).map(({ id }: { id: string }) => id)

const assertHealthy = async (place: Settings) => {
  const { healthy, findings } = await runJson(['doctor'], place)
  assert.ok(healthy, JSON.stringify(findings))
}

const backUp = async (t: Parameters<typeof newFolder>[0], place: Settings) => {
  const file = join(newFolder(t), 'shop.tar.gz')
  await runJson(['backup', file], place)
  return file
}

const fingerprint = (place: Place) => ({
  names: readdirSync(place.VITRINE_DATA_DIR).filter((name) => !/^(postgres|service\.json)/.test(name)),
  secret: readFileSync(join(place.VITRINE_DATA_DIR, 'secret'), 'utf8'),
})

test('a backup made while customers order has every order that was placed before, and restores into the running service', async (t) => {
  const place = await seededInstallation(t)
  const folder = newFolder(t)
  const file = join(folder, 'shop.tar.gz')
  const sold = join(place.VITRINE_DATA_DIR, 'files', 'book.txt')
  mkdirSync(join(place.VITRINE_DATA_DIR, 'files'), { recursive: true })
  writeFileSync(sold, 'first edition')
  const { url } = await startService(t, place)
  const { browserKey } = readDemoKeys(place.VITRINE_DATA_DIR)
  const none = ['--cod-max-open-orders', 'none', '--cod-max-value', 'none', '--cod-max-units', 'none']
  await runJson(['store', 'set', ...none], place)
  const asha = await newBuyer(url, browserKey)
  const placed: string[] = []
  const shop = async () => placed.push((await asha.order('cod', 'cutting-chai-glasses')).id)
  await shop()
  let isDone = false
  const shopping = (async () => {
    while (!isDone && placed.length < 12) await shop()
  })()
  await until(() => placed.length > 2)
  const before = [...placed]
  const made = await runJson(['backup', file], place)
  isDone = true
  await shopping
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(folder), ['shop.tar.gz'])
  assert.ok(made.rows > 1000 && made.files >= 3, JSON.stringify(made))
  assertSentence(await runVitrine(['backup', file], place), 'exists already')

  writeFileSync(sold, 'second edition')
  await shop()
  assertSentence(await runVitrine(['restore', file], place), 'Add --yes')
  assert.equal((await listOrders(place)).length, placed.length)
  const restored = await runJson(['restore', file, '--yes'], place)
  assert.deepEqual([restored.rows, restored.files, restored.applied], [made.rows, made.files, []])

  const left = await listOrders(place)
  for (const id of before) assert.ok(left.includes(id), `${id} was placed before the backup`)
  assert.equal(left.includes(placed.at(-1) ?? ''), false)
  assert.equal(readFileSync(sold, 'utf8'), 'first edition')
  await assertHealthy(place)
  // The running service has dropped what it had cached, and goes on with the restored data.
  await until(async () => (await callUrl(`${url}/health`)).status === 200)
  assert.equal((await asha.show(before[0] ?? '')).id, before[0])
  const next = await asha.order('cod', 'cutting-chai-glasses')
  assert.ok((await listOrders(place)).includes(next.id))
  await assertHealthy(place)

  await runJson(['restore', '--undo'], place)
  assert.deepEqual(new Set(await listOrders(place)), new Set(placed))
  assert.equal(readFileSync(sold, 'utf8'), 'second edition')
  await until(async () => (await callUrl(`${url}/health`)).status === 200)
  assert.equal((await runJson(['restore', '--delete-kept'], place)).deleted.length, 1)
  assertSentence(await runVitrine(['restore', '--undo'], place), 'No replaced data is kept')
  await assertHealthy(place)
})

test('a backup restores into an empty folder, with the secret and the keys, but not over another secret in use', async (t) => {
  const old = await seededInstallation(t)
  const file = await backUp(t, old)
  const fresh = await newInstallation(t)
  const restored = await runJson(['restore', file], fresh)
  assert.equal(restored.kept, null)
  assert.deepEqual(fingerprint(fresh).secret, fingerprint(old).secret)
  assert.deepEqual(readDemoKeys(fresh.VITRINE_DATA_DIR), readDemoKeys(old.VITRINE_DATA_DIR))
  assert.equal(statSync(join(fresh.VITRINE_DATA_DIR, 'secret')).mode & 0o777, 0o600)
  await assertHealthy(fresh)
  const { url } = await startService(t, fresh)
  const { serverKey, storeId } = readDemoKeys(old.VITRINE_DATA_DIR)
  assert.equal((await callUrl(`${url}/v1/store`, { headers: { 'x-store-key': serverKey } })).json.id, storeId)

  const other = await newInstallation(t)
  const service = await startService(t, other)
  assertSentence(await runVitrine(['restore', file, '--yes'], other), 'The secret that is restored differs')
  await service.stop()
  await runJson(['restore', file, '--yes'], other)
  assert.equal(fingerprint(other).secret, fingerprint(old).secret)
})

/** The backup with one entry changed, and with checksums that fit if `fits`. */
const forge = async (file: string, change: (name: string, text: string) => string) => {
  const entries = await unpackTar(gunzipSync(readFileSync(file)))
  const changed = entries.map(({ header, data }) => {
    const body = Buffer.from(change(header.name, Buffer.from(data ?? []).toString()))
    return { header: { ...header, size: body.length }, body }
  })
  const index = changed.at(-1)
  assert.ok(index !== undefined && index.header.name === 'index.json')
  const sums = changed.slice(0, -1).map(({ header, body }) => ({
    ...{ name: header.name, size: body.length },
    sha256: createHash('sha256').update(body).digest('hex'),
  }))
  index.body = Buffer.from(JSON.stringify({ ...JSON.parse(index.body.toString()), entries: sums }))
  index.header.size = index.body.length
  return gzipSync(await packTar(changed))
}

test('a truncated, damaged, foreign or newer file is refused in one sentence, and nothing changes', async (t) => {
  const place = await seededInstallation(t)
  const file = await backUp(t, place)
  const bytes = readFileSync(file)
  const before = fingerprint(place)
  const changeHead = (edit: (head: { format: number; migrations: object[]; tables: object[] }) => void) =>
    forge(file, (name, text) => {
      if (name !== 'vitrine-backup.json') return text
      const head = JSON.parse(text)
      edit(head)
      return JSON.stringify(head)
    })
  const plain = gunzipSync(bytes)
  const at = plain.indexOf('tables/product/000001') + 600
  plain[at] = (plain[at] ?? 0) ^ 1
  const cases: [string, Uint8Array, RegExp][] = [
    ['truncated', bytes.subarray(0, bytes.length - 500), /damaged or incomplete/],
    ['without its end', gzipSync(gunzipSync(bytes).subarray(0, 20_480)), /damaged or incomplete/],
    ['with a wrong bit', gzipSync(plain), /the checksum of tables\/product\/000001 is wrong/],
    ['text', Buffer.from('not a backup'), /is not a backup of Vitrine/],
    ['another archive', gzipSync(await packTar([{ header: { name: 'a', size: 1 }, body: 'a' }])), /is not a backup/],
    ['empty', Buffer.alloc(0), /is not a backup|damaged/],
    [
      'another format',
      await changeHead((head) => void Object.assign(head, { format: 99 })),
      /has the backup format 99/,
    ],
    [
      'newer',
      await changeHead((head) => head.migrations.push({ number: 9999, name: '9999_later.sql', checksum: 'x' })),
      /made by a newer Vitrine/,
    ],
    [
      'with other migrations',
      await changeHead((head) => void head.migrations.splice(1, 1)),
      /migrations that this version/,
    ],
    ['with other tables', await changeHead((head) => void head.tables.splice(1, 1)), /are not those of its migrations/],
    ['that leaves its folder', await forge(file, (_name, text) => text).then(withEscape), /invalid name/],
  ]
  for (const [name, content, message] of cases) {
    const bad = join(newFolder(t), 'bad.tar.gz')
    writeFileSync(bad, content)
    assertSentence(await runVitrine(['restore', bad, '--yes'], place), message)
    assert.deepEqual(fingerprint(place), before, name)
  }
  assertSentence(await runVitrine(['restore', '/nowhere.tar.gz', '--yes'], place), 'There is no file')
  await assertHealthy(place)
  const kept = await runJson(['restore', '--delete-kept'], place)
  assert.deepEqual(kept.deleted, [])
})

/** Renames a file of the backup so that it would be written beside the data folder. */
const withEscape = async (zipped: Uint8Array) => {
  const entries = await unpackTar(gunzipSync(zipped))
  const rename = (name: string) => (name === 'demo.json' ? 'files/../../escaped.txt' : name)
  const body = (data: Uint8Array | undefined, name: string) =>
    name === 'index.json'
      ? Buffer.from(
          Buffer.from(data ?? [])
            .toString()
            .replace('"name":"demo.json"', '"name":"files/../../escaped.txt"'),
        )
      : Buffer.from(data ?? [])
  return gzipSync(
    await packTar(
      entries.map(({ header, data }) => {
        const content = body(data, header.name)
        return { header: { ...header, name: rename(header.name), size: content.length }, body: content }
      }),
    ),
  )
}

test('a backup of an older schema is migrated after it was restored, and a database of one’s own must be empty', async (t) => {
  const source = await newDatabase(t)
  await migrate({ connectionString: source }, { migrations: readMigrations().filter(({ number }) => number <= 20) })
  await query(
    source,
    `insert into store (public_id, name, domain, currency, locale, timezone, payment_provider)
       values ('store_old', 'Old Door', 'https://old.example', 'EUR', 'en', 'UTC', 'sandbox');
     insert into outlet (store_id, public_id, name) select id, 'out_old', 'Main' from store;
     update store set default_outlet_id = (select id from outlet)`,
  )
  const file = await backUp(t, { ...(await newInstallation(t)), DATABASE_URL: source })

  const place = await newInstallation(t)
  const { applied } = await runJson(['restore', file], place)
  assert.equal(applied[0], '0021_staff.sql')
  await assertHealthy(place)
  const shown = await runJson(['store', 'show', '--store', 'store_old'], place)
  assert.equal(shown.name, 'Old Door')
  // A backup of that time had a trigger for new stores, which later migrations remove.
  await runJson(['store', 'create', '--name', 'New', '--domain', 'new.example', '--currency', 'EUR'], place)

  const target = await newDatabase(t)
  const own = { ...(await newInstallation(t)), DATABASE_URL: target }
  await runJson(['restore', await backUp(t, place)], own)
  await assertHealthy(own)
  assertSentence(await runVitrine(['restore', file, '--yes'], own), 'is not empty')
})

test('a backup of a distributed database restores into one server, with every order', onlyOnCluster, async (t) => {
  const spread = await demoInstallation(t)
  const { url } = await startService(t, spread)
  const { browserKey, storeId } = readDemoKeys(spread.VITRINE_DATA_DIR)
  const asha = await newBuyer(url, browserKey)
  const { id } = await asha.order('cod', 'cutting-chai-glasses')
  const other = ['store', 'create', '--name', 'Blue Door', '--domain', 'bluedoor.example', '--currency', 'EUR']
  await runJson(other, spread)
  const file = join(newFolder(t), 'shop.tar.gz')
  const { rows } = await runJson(['backup', file], spread)

  const single = await newInstallation(t)
  assert.equal((await runJson(['restore', file], single)).rows, rows)
  await assertHealthy(single)
  assert.equal((await runJson(['order', 'show', id, '--store', storeId], single)).id, id)
  const restored = await startService(t, single)
  const signedIn = await callUrl(`${restored.url}/v1/signin`, {
    method: 'POST',
    headers: { 'x-store-key': browserKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'asha@example.com', password: 'a long password' }),
  })
  const headers = { 'x-store-key': browserKey, authorization: `Bearer ${signedIn.json.token}` }
  assert.equal((await callUrl(`${restored.url}/v1/customer/orders/${id}`, { headers })).json.id, id)
})

test('an interrupted restore leaves the old data, or is completed by the next start', async (t) => {
  const place = await seededInstallation(t)
  const dataDir = place.VITRINE_DATA_DIR
  const server = await openEmbedded({ dataDir, role: 'command' })
  undo(t, () => server.stop())
  const cluster = await openCluster(server.connection)
  undo(t, () => cluster.client.end())
  const names = async () => {
    const { rows } = await cluster.client.query(
      `select datname from pg_database where datname like 'vitrine%' order by 1`,
    )
    return rows.map(({ datname }) => datname)
  }

  // Interrupted while it was loading.
  await stageDatabase(cluster)
  mkdirSync(join(stagedFolder(dataDir), 'files'), { recursive: true })
  const first = await startService(t, place)
  assert.deepEqual(await names(), ['vitrine'])
  assert.equal(existsSync(stagedFolder(dataDir)), false)
  await first.stop()

  // Interrupted between the exchange of the databases and that of the files.
  mkdirSync(join(stagedFolder(dataDir), 'files'), { recursive: true })
  writeFileSync(join(stagedFolder(dataDir), 'files', 'restored.txt'), 'restored')
  await stageDatabase(cluster)
  await assert.rejects(switchToStaged(failAfterExchange(cluster), dataDir, '20260101_000000'), /power failure/)
  assert.equal(existsSync(join(dataDir, 'files', 'restored.txt')), false)
  const second = await startService(t, place)
  assert.deepEqual(await names(), ['vitrine', 'vitrine_before_20260101_000000'])
  assert.equal(readFileSync(join(dataDir, 'files', 'restored.txt'), 'utf8'), 'restored')
  await second.stop()
})

const failAfterExchange = (cluster: Awaited<ReturnType<typeof openCluster>>) => {
  const client = new Proxy(cluster.client, {
    get: (target, name) =>
      name !== 'query'
        ? Reflect.get(target, name)
        : async (text: string) => {
            if (text.includes('substring(datname')) throw new Error('power failure')
            return target.query(text)
          },
  })
  return { ...cluster, client }
}
