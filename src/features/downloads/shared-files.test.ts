import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { databaseUrl, newStore, startTestService, type TestService } from '../../../test/harness.ts'
import { separateFiles } from '../../cli/separate-files.ts'
import { lockSharedFiles } from './shared-files.sql.ts'
import { examineFiles, separateSharedFiles } from './shared-files.ts'

/**
 * A folder as version 0.1.0 left it: the files of all stores together. The names that the stores used are in
 * `shared_file`, written by the migration, which the upgrade test covers.
 */
let service: TestService
let folder: string
before(async () => {
  service = await startTestService()
})
beforeEach(async () => {
  await service.db.run`delete from shared_file`
  folder = join(mkdtempSync(join(tmpdir(), 'vitrine-files-')), 'files')
})
afterEach(() => rmSync(dirname(folder), { recursive: true }))
after(async () => {
  await service.db.run`delete from shared_file`
  await service.close()
})

const place = (name: string, text: string) => {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), text)
}
const storeThatNamed = async (...names: string[]) => {
  const { id, publicId } = await (await newStore(service)).load()
  for (const name of names) await service.db.run`insert into shared_file (store_id, name) values (${id}, ${name})`
  return publicId
}
const contentOf = (storeId: string, name: string) => readFileSync(join(folder, storeId, name), 'utf8')
const separate = () => separateSharedFiles(service.db, folder)

test('an instance that starts during the copy waits for it, longer than the lock timeout of requests', async () => {
  place('book.txt', 'a book')
  const one = await storeThatNamed('book.txt')
  const config = { ...service.config, dataDir: dirname(folder), production: true }
  const connection = { connectionString: databaseUrl }
  const database = { connection, directConnection: connection, description: '', close: async () => {} }
  const copying = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const first = service.db.tx(async (tx) => {
    await lockSharedFiles(tx)
    held.resolve()
    await copying.promise
  })
  await held.promise
  const second = separateFiles(config, database)
  // The lock timeout of requests is three seconds.
  await setTimeout(3_500)
  copying.resolve()
  await first
  assert.equal((await second)?.copied, 1)
  assert.equal(contentOf(one, 'book.txt'), 'a book')
})

test('each store gets copies of the files that it used, and no others', async () => {
  place('book.txt', 'a book')
  place('deep/map.txt', 'a map')
  place('song.txt', 'a song')
  place('store_music/tune.txt', 'a tune')
  const one = await storeThatNamed('book.txt', 'deep/map.txt')
  const two = await storeThatNamed('book.txt', 'store_music/tune.txt')
  assert.deepEqual(await separate(), { copied: 4, missing: 0 })
  assert.deepEqual([contentOf(one, 'book.txt'), contentOf(one, 'deep/map.txt')], ['a book', 'a map'])
  assert.deepEqual([contentOf(two, 'book.txt'), contentOf(two, 'store_music/tune.txt')], ['a book', 'a tune'])
  assert.deepEqual(readdirSync(join(folder, two)).sort(), ['book.txt', 'store_music'])
  const left = ['.by-store', 'book.txt', 'deep', one, 'song.txt', 'store_music', two]
  assert.deepEqual(readdirSync(folder).sort(), left.sort())
})

test('the copy runs once: files put into the shared folder later go to no store', async () => {
  place('book.txt', 'a book')
  const store = await storeThatNamed('book.txt', 'late.txt')
  assert.deepEqual(await separate(), { copied: 1, missing: 1 })
  place('late.txt', 'too late')
  assert.equal(await separate(), null)
  assert.deepEqual(readdirSync(join(folder, store)), ['book.txt'])
})

test('the next run finishes an interrupted one, and keeps files that the store has changed since', async () => {
  place('book.txt', 'a book')
  place('song.txt', 'a song')
  const store = await storeThatNamed('book.txt', 'song.txt')
  place(`${store}/book.txt`, 'a newer edition')
  place('.copying-left-behind', 'half a so')
  assert.deepEqual(await separate(), { copied: 1, missing: 0 })
  assert.deepEqual([contentOf(store, 'book.txt'), contentOf(store, 'song.txt')], ['a newer edition', 'a song'])
  assert.ok(!existsSync(join(folder, '.copying-left-behind')))
})

test('concurrent starts copy once', async () => {
  place('book.txt', 'a book')
  const store = await storeThatNamed('book.txt')
  const results = await Promise.all([separate(), separate(), separate()])
  assert.deepEqual(
    results.filter((result) => result !== null),
    [{ copied: 1, missing: 0 }],
  )
  assert.equal(contentOf(store, 'book.txt'), 'a book')
})

test('a name that leaves the folder, or points to another store, is not copied', async () => {
  place('book.txt', 'a book')
  const honest = await storeThatNamed('book.txt')
  writeFileSync(join(folder, '../secret'), 'a secret of the service')
  symlinkSync(join(folder, '../secret'), join(folder, 'way-out'))
  symlinkSync(join(folder, honest), join(folder, 'way-in'))
  const curious = await storeThatNamed('../secret', 'way-out', `${honest}/book.txt`, 'way-in/book.txt', 'deep', '')
  place('deep/map.txt', 'a map')
  assert.deepEqual(await separate(), { copied: 1, missing: 6 })
  assert.ok(!existsSync(join(folder, curious)))
})

test('a store whose files were already in a folder named by its id keeps its names', async () => {
  const store = await storeThatNamed()
  place(`${store}/book.txt`, 'a book')
  const { id } = await service.db.one<{ id: number }>`select id from store where public_id = ${store}`
  await service.db.run`insert into shared_file (store_id, name) values (${id}, ${`${store}/book.txt`})`
  assert.deepEqual(await separate(), { copied: 1, missing: 0 })
  assert.equal(contentOf(store, `${store}/book.txt`), 'a book')
})

test('without a folder nothing is done until there is one', async () => {
  const store = await storeThatNamed('book.txt')
  assert.equal(await separate(), null)
  assert.ok(!existsSync(folder))
  place('book.txt', 'a book')
  assert.equal((await examineFiles(service.db, folder)).isShared, true)
  assert.deepEqual(await separate(), { copied: 1, missing: 0 })
  assert.equal(contentOf(store, 'book.txt'), 'a book')
  assert.equal((await examineFiles(service.db, folder)).isShared, false)
})

test('a missing file is reported with the store that sells it', async () => {
  const shop = await newStore(service)
  const { publicId } = await shop.load()
  await shop.add(
    { name: 'Book', price: 5, digital: { file: 'book.txt' } },
    { name: 'Song', price: 5, digital: { file: 'song.txt' } },
    { name: 'Draft', price: 5, status: 'DRAFT', digital: { file: 'not-yet.txt' } },
    { name: 'Film', price: 5, digital: { url: 'https://cdn.example/film' } },
  )
  place(`${publicId}/song.txt`, 'a song')
  const { missing } = await examineFiles(service.db, folder)
  assert.deepEqual(
    missing.filter(({ storeId }) => storeId === publicId),
    [{ storeId: publicId, name: 'book.txt' }],
  )
})
