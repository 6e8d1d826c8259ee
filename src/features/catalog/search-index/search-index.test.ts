import assert from 'node:assert/strict'
import { existsSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { notOnCluster } from '../../../../test/cluster.ts'
import { startTestService, type TestService } from '../../../../test/harness.ts'
import { removeIndexFile } from './files.ts'
import {
  fileOf,
  type IndexedShop,
  isIndexed,
  newDataDir,
  newIndexedShop,
  searchAt,
  searchByIndex,
  startIndexed,
  until,
} from './fixture.ts'

const oneServer = notOnCluster('its servers number their transactions each for itself, so there is no index')

const categories = ['Kitchen > Mugs', 'Kitchen > Plates', 'Garden', 'Office']
const kinds = ['mug', 'plate', 'spade', 'lamp', 'mugs set', 'Café mug', 'चाय कप', '急須', 'teapot', 'tea towel']
const colours = ['indigo', 'green', 'plain', 'stoneware']

/** Many products with few words, so that each word is in many. */
const catalogOf = (size: number) =>
  Array.from({ length: size }, (_, i) => ({
    name: `${colours[i % 4]} ${kinds[i % 10]} ${i % 7 === 0 ? 'special' : `number${i % 50}`}`,
    ...{ slug: `product-${i}`, price: 10 + ((i * 37) % 500), stock: i % 6 === 0 ? 0 : 3, category: categories[i % 4] },
    description: i % 3 === 0 ? 'A gift for tea drinkers, with a mug' : 'Made by hand',
  }))

const queries = [
  ...['mug', 'mu', 'mugs', 'cafe', 'special', 'number7', 'numb', 'tea', 'teap', 'tea mug', 'green mug special', 'gift'],
  ...[
    'indigo mug number0',
    'stonewaer',
    'चाय',
    '急須',
    'lamp x',
    'nothing',
    'plain tea towel special',
    'indigo mugs set',
  ],
  // Beginnings of one letter, of a script without spaces, and longer than those with lists of their own.
  ...['急', 'indig', 'stonewa', 'stonewa mug', 'speci number1'],
]
const filters = [
  '',
  '&category=kitchen',
  '&category=kitchen&minPrice=50&inStock=true',
  '&category=garden',
  '&inStock=true',
  '&inStock=false',
  '&minPrice=100&maxPrice=300',
]
const sorts = ['', '&sort=newest', '&sort=price', '&sort=-price', '&sort=name']

/** All pages of a search. */
const readAll = async (read: (path: string) => Promise<Found>, path: string) => {
  const pages: Found[] = []
  for (let cursor: string | null = ''; cursor !== null && pages.length < 2; cursor = pages.at(-1)?.nextCursor ?? null) {
    pages.push(await read(`${path}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`))
  }
  return pages
}

type Found = {
  data: { slug: string }[]
  nextCursor: string | null
  total: number
  totalIsExact: boolean
  facets: object
}

const summaryOf = ({ data, total, totalIsExact, facets }: Found) => ({
  ...{ slugs: data.map(({ slug }) => slug), total, totalIsExact, facets },
})

test('the index finds what the database finds, in the same order and with the same counts', oneServer, async (t) => {
  const indexed = await startIndexed(t, newDataDir(t))
  const database = await startTestService({ searchIndexProducts: 0 })
  t.after(() => database.close())
  const shop = await newIndexedShop(indexed, ...catalogOf(700))
  await searchByIndex(indexed, shop, '/v1/search?q=mug')
  const answered = new Map<string, number>()
  const compare = async (path: string, kind: string) => {
    const byIndex = await readAll(async (page) => {
      const found = await searchAt(indexed, shop, page)
      if (found.byIndex) answered.set(kind, (answered.get(kind) ?? 0) + 1)
      return found.json
    }, path)
    const byDatabase = await readAll(async (page) => (await searchAt(database, shop, page)).json, path)
    assert.deepEqual(byIndex.map(summaryOf), byDatabase.map(summaryOf), path)
  }
  for (const [i, query] of queries.entries()) {
    const q = `/v1/search?limit=25&q=${encodeURIComponent(query)}`
    for (const filter of filters) await compare(`${q}${filter}${sorts[i % sorts.length]}`, filter)
    for (const sort of sorts) await compare(`${q}${sort}`, sort)
  }
  // Each kind, and most of its searches, so that not only the database is compared with itself.
  for (const kind of [...filters, ...sorts.filter((sort) => sort !== '&sort=name')]) {
    assert.ok((answered.get(kind) ?? 0) >= queries.length / 2, `${kind}: the index has answered ${answered.get(kind)}`)
  }
})

test('the index suggests what the database suggests', oneServer, async (t) => {
  const indexed = await startIndexed(t, newDataDir(t))
  const database = await startTestService({ searchIndexProducts: 0 })
  t.after(() => database.close())
  const shop = await newIndexedShop(indexed, ...catalogOf(100))
  for (const query of ['mu', 'tea', 'indigo m', 'green mug special', 'कप', '急', 'stonewa', 'mugz', 'zzz']) {
    const path = `/v1/search/suggest?q=${encodeURIComponent(query)}`
    assert.deepEqual(await searchByIndex(indexed, shop, path), (await searchAt(database, shop, path)).json, query)
  }
})

test('of words that very many products have, the index shows the same page', oneServer, async (t) => {
  const indexed = await startIndexed(t, newDataDir(t))
  const database = await startTestService({ searchIndexProducts: 0 })
  t.after(() => database.close())
  const products = Array.from({ length: 2_600 }, (_, i) => ({
    name: `${i % 2 === 0 ? 'Teapot' : 'Table'} ${i % 5 === 0 ? 'gift' : i % 40}`,
    ...{ slug: `p-${i}`, price: 10 + (i % 90), stock: i % 4, category: `Part ${i % 3}`, description: 'Tea and gifts' },
  }))
  const shop = await newIndexedShop(indexed, ...products, { name: 'Tea', slug: 'tea', price: 1, stock: 0 })
  for (const more of ['q=tea', 'q=gift', 'q=te', 'q=teapot+gift', 'q=tea&sort=newest', 'q=tea+gift&category=part-1']) {
    const path = `/v1/search?limit=30&${more}`
    const byIndex = await readAll((page) => searchByIndex(indexed, shop, page), path)
    const byDatabase = await readAll(async (page) => (await searchAt(database, shop, page)).json, path)
    const shown = (pages: Found[]) => pages.map(({ data }) => data.map(({ slug }) => slug))
    assert.deepEqual(shown(byIndex), shown(byDatabase), path)
    const exact = (pages: Found[]) => pages.map(({ totalIsExact }) => totalIsExact)
    assert.deepEqual(exact(byIndex), exact(byDatabase), path)
  }
})

const someProducts = Array.from({ length: 12 }, (_, i) => ({ name: `Mug ${i}`, slug: `mug-${i}`, price: 10, stock: 2 }))

const found = async (service: TestService, shop: IndexedShop, query: string): Promise<string[]> =>
  (await searchByIndex(service, shop, `/v1/search?q=${query}`)).data.map(({ slug }: { slug: string }) => slug)

test('the index finds what was created, renamed, repriced, sold out or archived', oneServer, async (t) => {
  const dataDir = newDataDir(t)
  const service = await startIndexed(t, dataDir)
  const neighbour = await startIndexed(t, newDataDir(t))
  const shop = await newIndexedShop(service, ...someProducts)
  assert.equal((await found(service, shop, 'mug')).length, 12)
  assert.equal((await found(neighbour, shop, 'mug')).length, 12)
  const isSeen = (query: string, slugs: string[]) =>
    Promise.all(
      [service, neighbour].map((at) =>
        until(async () => (await found(at, shop, query)).toSorted().join() === slugs.toSorted().join()),
      ),
    )
  await shop.add({ name: 'Kettle', slug: 'kettle', price: 5, stock: 1 })
  await isSeen('kettle', ['kettle'])
  await shop.add({ name: 'Samovar', slug: 'kettle', price: 5, stock: 1 })
  await isSeen('samovar', ['kettle'])
  await isSeen('kettle', [])
  await shop.add({ name: 'Mug 3', slug: 'mug-3', price: 900, stock: 2 })
  await isSeen('mug&minPrice=500', ['mug-3'])
  await shop.add({ name: 'Mug 4', slug: 'mug-4', price: 10, stock: 0 })
  await isSeen('mug&inStock=false', ['mug-4'])
  await shop.add({ name: 'Mug 5', slug: 'mug-5', price: 10, stock: 2, status: 'ARCHIVED' })
  await isSeen(
    'mug&limit=50',
    someProducts.map(({ slug }) => slug).filter((slug) => slug !== 'mug-5'),
  )
})

test('a change that was announced is in the next answer, whoever gives it', oneServer, async (t) => {
  const service = await startIndexed(t, newDataDir(t))
  const shop = await newIndexedShop(service, ...someProducts)
  await searchByIndex(service, shop, '/v1/search?q=mug')
  for (let i = 0; i < 20; i++) {
    await shop.add({ name: `Kettle ${i}`, slug: `kettle-${i}`, price: 5, stock: 1 })
    // Cached answers are dropped with the same message.
    await until(async () => (await shop.get('/v1/search?q=kettle')).json.total === i + 1)
    assert.equal((await searchAt(service, shop, '/v1/search?q=kettle')).json.total, i + 1)
  }
})

test('changes while the index is built are in it', oneServer, async (t) => {
  const service = await startIndexed(t, newDataDir(t))
  const shop = await newIndexedShop(service, ...catalogOf(600))
  await searchAt(service, shop, '/v1/search?q=mug')
  const writing = (async () => {
    for (let i = 0; i < 30; i++) await shop.add({ name: `Added ${i}`, slug: `product-${i * 20}`, price: 1, stock: 1 })
  })()
  await until(() => isIndexed(service, shop))
  await writing
  await until(async () => (await found(service, shop, 'added&limit=50')).length === 30)
})

/** An instance with its file, which the test ends itself. The shop is filled by another one. */
const startFirst = async (t: TestContext) => {
  const dataDir = newDataDir(t)
  const database = await startTestService({ searchIndexProducts: 0 })
  t.after(() => database.close())
  const shop = await newIndexedShop(database, ...someProducts)
  const first = await startTestService({ dataDir, searchIndexProducts: 5 })
  await found(first, shop, 'mug')
  return { dataDir, shop, first }
}

test(
  'an instance that starts again goes on with its file, and reads what has changed meanwhile',
  oneServer,
  async (t) => {
    const { dataDir, shop, first } = await startFirst(t)
    const path = fileOf(first, shop)
    const { ino } = statSync(path)
    await first.close()
    await shop.add({ name: 'Kettle', slug: 'kettle', price: 5, stock: 1 }, { ...someProducts[1], status: 'ARCHIVED' })
    const second = await startIndexed(t, dataDir)
    assert.deepEqual(await found(second, shop, 'kettle'), ['kettle'])
    assert.equal((await found(second, shop, 'mug')).length, 11)
    assert.equal(statSync(path).ino, ino)
    const built = second.logLines.filter((line) => line.includes('search index is up to date'))
    assert.ok(
      built.every((line) => JSON.parse(line).products <= 2),
      built.join(),
    )
  },
)

test(
  'a file that is removed, broken or of another version is made anew, and searches are answered meanwhile',
  oneServer,
  async (t) => {
    const service = await startIndexed(t, newDataDir(t))
    const shop = await newIndexedShop(service, ...catalogOf(200))
    await found(service, shop, 'mug')
    const path = fileOf(service, shop)
    const breaks = [
      () => removeIndexFile(path),
      () => {
        removeIndexFile(path)
        writeFileSync(path, 'This is no database. '.repeat(1_000))
      },
      () => {
        removeIndexFile(path)
        const ofEarlierVersion = new DatabaseSync(path)
        ofEarlierVersion.exec(`create table state (identity text, ready integer, confirmed_at real);
        insert into state values ('1/1', 1, 1e15)`)
        ofEarlierVersion.close()
      },
    ]
    for (const spoil of breaks) {
      const { total } = await searchByIndex(service, shop, '/v1/search?q=mug')
      const before = statSync(path).birthtimeMs
      spoil()
      assert.equal((await searchAt(service, shop, '/v1/search?q=mug')).json.total, total)
      await until(async () => {
        assert.equal((await searchAt(service, shop, '/v1/search?q=mug')).json.total, total)
        return existsSync(path) && statSync(path).birthtimeMs !== before && isIndexed(service, shop)
      })
    }
  },
)

test('a file that was damaged while the service was stopped is made anew', oneServer, async (t) => {
  const dataDir = newDataDir(t)
  const database = await startTestService({ searchIndexProducts: 0 })
  t.after(() => database.close())
  const shop = await newIndexedShop(database, ...catalogOf(200))
  const first = await startTestService({ dataDir, searchIndexProducts: 5 })
  const { total } = await searchByIndex(first, shop, '/v1/search?q=mug')
  const path = fileOf(first, shop)
  await first.close()
  truncateSync(path, 9_000)
  const second = await startIndexed(t, dataDir)
  assert.equal((await searchByIndex(second, shop, '/v1/search?q=mug')).total, total)
})

test('a folder that cannot be written leaves searches to the database', oneServer, async (t) => {
  const service = await startIndexed(t, '/dev/null')
  const shop = await newIndexedShop(service, ...someProducts)
  for (let i = 0; i < 3; i++) assert.equal((await searchAt(service, shop, '/v1/search?q=mug')).json.total, 12)
  assert.equal(service.logLines.filter((line) => line.includes('search index not read')).length, 1)
})

test(
  'two instances with the same folder share its files, and one goes on when the other ends',
  oneServer,
  async (t) => {
    const { dataDir, shop, first } = await startFirst(t)
    const second = await startIndexed(t, dataDir)
    assert.equal((await found(second, shop, 'mug')).length, 12)
    await first.close()
    await shop.add({ name: 'Kettle', slug: 'kettle', price: 5, stock: 1 })
    await until(async () => (await found(second, shop, 'kettle')).length === 1)
  },
)

test('a small store has no index', oneServer, async (t) => {
  const service = await startIndexed(t, newDataDir(t), { searchIndexProducts: 100 })
  const shop = await newIndexedShop(service, ...someProducts)
  assert.equal((await searchAt(service, shop, '/v1/search?q=mug')).byIndex, false)
  assert.equal(existsSync(fileOf(service, shop)), false)
})
