import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { startBucketDouble } from '../../../test/doubles/bucket.ts'
import { createBucketStorage } from './bucket.ts'
import { createFolderStorage } from './folder.ts'
import type { FileKey, FileStorage } from './storage.ts'

const newFolder = (t: TestContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-storage-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const newBucket = async (t: TestContext) => {
  const bucket = await startBucketDouble()
  t.after(() => bucket.close())
  return bucket
}

const storages: Record<string, (t: TestContext) => Promise<FileStorage>> = {
  'the folder': async (t) => createFolderStorage(join(newFolder(t), 'media')),
  'the bucket': async (t) => createBucketStorage((await newBucket(t)).settings),
}

for (const [name, make] of Object.entries(storages)) {
  test(`${name} stores, returns, replaces and removes files`, async (t) => {
    const storage = await make(t)
    const key: FileKey = 'store_1/0f-1x1.png'
    const read = async () => {
      const found = await storage.open(key)
      return found && { text: (await buffer(found.stream)).toString(), bytes: found.bytes }
    }
    assert.equal(await read(), undefined)
    await storage.remove(key)
    await storage.put(key, Buffer.from('one'), 'image/png')
    assert.deepEqual(await read(), { text: 'one', bytes: 3 })
    await Promise.all(Array.from({ length: 5 }, () => storage.put(key, Buffer.from('three'), 'image/png')))
    assert.deepEqual(await read(), { text: 'three', bytes: 5 })
    await storage.remove(key)
    assert.equal(await read(), undefined)
  })
}

test('the folder holds complete files only, and no key leaves it', async (t) => {
  const folder = newFolder(t)
  const storage = createFolderStorage(folder)
  await storage.put('store_1/a.png', Buffer.from('x'), 'image/png')
  assert.deepEqual(readdirSync(join(folder, 'store_1')), ['a.png'])
  for (const key of ['../a.png', 'store_1/../../a.png', 'store_1/..', '/etc/passwd', 'store_1/a\0.png']) {
    await assert.rejects(storage.open(key), /is not the key of a file/)
  }
})

test('the bucket keeps type and caching of a file', async (t) => {
  const bucket = await newBucket(t)
  await createBucketStorage(bucket.settings).put('store_1/a.webp', Buffer.from('x'), 'image/webp')
  const stored = bucket.objects.get('media/store_1/a.webp')
  assert.deepEqual([stored?.contentType, stored?.cacheControl], ['image/webp', 'public, max-age=31536000, immutable'])
})

test('a wrong secret, a bucket that does not exist and a failing bucket are errors', async (t) => {
  const { settings, faults, calls } = await newBucket(t)
  const put = (change: Partial<typeof settings>, limitMs?: number) =>
    createBucketStorage({ ...settings, ...change }, limitMs).put('store_1/a.png', Buffer.from('x'), 'image/png')
  await assert.rejects(put({ secretAccessKey: 'wrong' }), /403.*SignatureDoesNotMatch/)
  await assert.rejects(put({ url: settings.url.replace('shop-media', 'other') }), /does not exist/)
  calls.length = 0
  faults.fail = 2
  await put({})
  assert.equal(calls.length, 3)
  faults.silent = 1
  await assert.rejects(put({}, 300), /timeout|aborted/i)
})
