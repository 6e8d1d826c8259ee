import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, type TestContext, test } from 'node:test'
import { databaseUrl, newStore, startTestService, type TestService } from '../../test/harness.ts'
import { mainProgram, runVitrine } from './fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const startVitrine = (...args: string[]) => {
  const env = { ...process.env, DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent' }
  return spawn(process.execPath, [mainProgram, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
}

const finish = async (child: ChildProcess) => {
  const [[code], out, err] = await Promise.all([
    once(child, 'exit'),
    text(child.stdout as NodeJS.ReadableStream),
    text(child.stderr as NodeJS.ReadableStream),
  ])
  return { code, out, err }
}

const vitrine = async (...args: string[]) => {
  const { code, stdout, stderr } = await runVitrine(args, { DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent' })
  return { code, out: stdout, err: stderr }
}

const folderFor = (t: TestContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-catalog-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const fileFor = (t: TestContext, name: string, content: string) => {
  const path = join(folderFor(t), name)
  writeFileSync(path, content)
  return path
}

test('an import reports how many products it changed, and a second one that it changed none', async (t) => {
  const shop = await newStore(service)
  const path = fileFor(t, 'products.csv', 'name,price,stock\nMug,449.50,7\nBowl,12,3\n')
  const first = await vitrine('catalog', 'import', path, '--store', shop.storeId)
  assert.deepEqual(first, { code: 0, out: '2 products: 2 created, 0 updated, 0 unchanged.\n', err: '' })
  const second = await vitrine('catalog', 'import', path, '--store', shop.storeId)
  assert.equal(second.out, '2 products: 0 created, 0 updated, 2 unchanged.\n')
  assert.equal((await shop.get('/v1/products')).json.length, 2)
})

test('a dry run reports the fields that would change, and an import those that changed', async (t) => {
  const shop = await newStore(service)
  await shop.add({ name: 'Mug', price: 5, stock: 3, description: 'Holds tea.' })
  const path = fileFor(t, 'prices.csv', 'slug,name,price,stock\nmug,Mug,6,50\nbowl,Bowl,2,1\n')
  const args = ['catalog', 'import', path, '--store', shop.storeId]
  const changes = 'Fields changed: price of 1.\n'
  const kept =
    "The stock of 1 variant in the file differs from the store's and was not changed. Use --set-stock to set it.\n"
  const dry = await vitrine(...args, '--dry-run')
  const summary = '2 products: 1 would be created, 1 updated, 0 unchanged. Nothing was written.\n'
  const expected = `Fields that would change: price of 1.\n${kept.replace('was not', 'would not be')}`
  assert.deepEqual(dry, { code: 0, out: `${summary}${expected}`, err: '' })
  const done = await vitrine(...args)
  assert.equal(done.out, `2 products: 1 created, 1 updated, 0 unchanged.\n${changes}${kept}`)
  const {
    created,
    updated,
    unchanged,
    skipped,
    changes: fields,
  } = JSON.parse((await vitrine(...args, '--set-stock', '--json')).out)
  assert.deepEqual([created, updated, unchanged, skipped, fields], [0, 1, 1, 0, { stock: 1 }])
  const replaced = JSON.parse((await vitrine(...args, '--replace', '--json')).out)
  assert.deepEqual(replaced.changes, { description: 1 })
})

test('errors go to standard error with file, line and field, and the exit code is 1', async (t) => {
  const shop = await newStore(service)
  const path = fileFor(t, 'products.csv', 'name,price,colour\nMug,449.50,red\nBowl,cheap,\n')
  const refused = await vitrine('catalog', 'import', path, '--store', shop.storeId)
  assert.deepEqual([refused.code, refused.out], [1, ''])
  assert.match(refused.err, new RegExp(`^${path}: line 3: price must be number$`, 'm'))
  assert.match(refused.err, /^Ignored fields: colour\.$/m)
  assert.match(refused.err, /^1 error\. Nothing was written\./m)
  assert.deepEqual((await shop.get('/v1/products')).json, [])

  const taken = await vitrine('catalog', 'import', path, '--store', shop.storeId, '--skip-bad')
  assert.deepEqual([taken.code, taken.out], [0, '2 products: 1 created, 0 updated, 0 unchanged, 1 skipped.\n'])
})

test('at most fifty errors are printed, with the number of the others', async (t) => {
  const shop = await newStore(service)
  const path = fileFor(t, 'products.jsonl', '{"name":"x"}\n'.repeat(1) + '{"price":1}\n'.repeat(79))
  const { err } = await vitrine('catalog', 'import', path, '--store', shop.storeId)
  assert.equal(err.match(/: line \d+: /g)?.length, 50)
  assert.match(err, /… and 30 more errors\.\n80 errors\./)
})

test('--json prints the result as JSON and nothing else', async (t) => {
  const shop = await newStore(service)
  const path = fileFor(t, 'products.json', JSON.stringify([{ name: 'Mug', price: 1 }, { price: 'x' }]))
  const args = ['catalog', 'import', path, '--store', shop.storeId, '--json']
  const refused = await vitrine(...args)
  assert.deepEqual([refused.code, refused.err], [1, ''])
  const { faults, ...rest } = JSON.parse(refused.out)
  assert.deepEqual([rest.created, rest.updated, rest.unchanged, rest.skipped, rest.outcome], [0, 0, 0, 0, 'refused'])
  assert.deepEqual(faults, [
    { line: 2, field: 'name', message: 'is required' },
    { line: 2, field: 'price', message: 'must be number' },
  ])
  const dry = JSON.parse((await vitrine(...args, '--skip-bad', '--dry-run')).out)
  assert.deepEqual([dry.outcome, dry.skipped, dry.created], ['checked', 1, 1])
  const taken = await vitrine(...args, '--skip-bad')
  assert.equal(taken.code, 0)
  assert.deepEqual([JSON.parse(taken.out).created, JSON.parse(taken.out).skipped], [1, 1])
})

test('--format overrides the detected format, and a wrong one is an error', async (t) => {
  const shop = await newStore(service)
  const path = fileFor(t, 'products', 'Title,price\nMug,1\n')
  const wrong = await vitrine('catalog', 'import', path, '--store', shop.storeId, '--format', 'json')
  assert.match(wrong.err, /not the start of a JSON array/)
  const unknown = await vitrine('catalog', 'import', path, '--format', 'xml')
  assert.equal(unknown.code, 2)
  const right = await vitrine('catalog', 'import', path, '--store', shop.storeId, '--format', 'shopify')
  assert.equal(right.code, 0, right.err)
})

test('a missing file and a folder are errors of one sentence', async (t) => {
  const shop = await newStore(service)
  const folder = folderFor(t)
  for (const path of [join(folder, 'nothing.json'), folder]) {
    const { code, err } = await vitrine('catalog', 'import', path, '--store', shop.storeId)
    assert.equal(code, 1)
    assert.match(err, /^\S+ (cannot be read: ENOENT|is not a regular file).*\.\n$/)
  }
})

test('an interrupted import stops after the current batch, says so, and the next run finishes it', async (t) => {
  const shop = await newStore(service)
  const { id } = await shop.load()
  const total = 6_000
  const products = Array.from({ length: total }, (_, n) => `{"name":"Thing ${n}","price":1,"stock":1}\n`).join('')
  const path = fileFor(t, 'products.jsonl', products)
  const saved = async () =>
    (await service.db.one<{ count: number }>`select count(*) from product where store_id = ${id}`).count
  const child = startVitrine('catalog', 'import', path, '--store', shop.storeId)
  const ended = finish(child)
  while ((await saved()) === 0 && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 5))
  child.kill('SIGINT')
  child.kill('SIGINT')
  const { code, err } = await ended
  assert.equal(code, 1)
  const [, done] = /^Stopped after (\d+) of 6000 products: .* Run it again to finish\.\n$/.exec(err) ?? []
  assert.equal(Number(done), await saved(), err)
  const again = await vitrine('catalog', 'import', path, '--store', shop.storeId, '--json')
  assert.deepEqual(
    [JSON.parse(again.out).created, JSON.parse(again.out).unchanged],
    [total - Number(done), Number(done)],
  )
})

test('an export goes to standard output or to a file, in the format of its extension, and import reads it', async (t) => {
  const shop = await newStore(service)
  await shop.add({ name: 'Mug', price: 5, category: 'Home', stock: 3 })
  const folder = folderFor(t)
  const output = await vitrine('catalog', 'export', '--store', shop.storeId)
  const product = { slug: 'mug', name: 'Mug', status: 'ACTIVE', category: 'Home', price: 5, stock: 3 }
  assert.deepEqual([output.code, output.err, JSON.parse(output.out)], [0, '', product])
  for (const name of ['a.json', 'a.jsonl', 'a.csv', 'a.shopify']) {
    const path = join(folder, name)
    assert.equal((await vitrine('catalog', 'export', path, '--store', shop.storeId)).code, 0)
    const { out } = await vitrine('catalog', 'import', path, '--store', shop.storeId, '--json')
    assert.deepEqual([JSON.parse(out).format, JSON.parse(out).unchanged], [name.slice(2), 1])
  }
  assert.equal(JSON.parse(readFileSync(join(folder, 'a.json'), 'utf8')).length, 1)
  assert.deepEqual(readdirSync(folder).sort(), ['a.csv', 'a.json', 'a.jsonl', 'a.shopify'], 'no temporary file is left')
})

test('an export that cannot be written is an error, and a device is not replaced', async (t) => {
  const shop = await newStore(service)
  const nowhere = join(folderFor(t), 'nowhere', 'a.json')
  const { code, err } = await vitrine('catalog', 'export', nowhere, '--store', shop.storeId)
  assert.equal(code, 1)
  assert.match(err, /cannot be written: ENOENT/)
  assert.equal(existsSync(dirname(nowhere)), false)
  assert.equal((await vitrine('catalog', 'export', '/dev/null', '--store', shop.storeId)).code, 0)
  assert.equal(readFileSync('/dev/null', 'utf8'), '')
})
