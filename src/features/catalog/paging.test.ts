import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type Answer,
  assertError,
  newStore,
  serviceFor,
  startTestService,
  type TestService,
  type TestStore,
} from '../../../test/harness.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

type Named = { name: string }

/** All pages, each read with the cursor of the previous one. */
const allPages = async (shop: TestStore, path: string, headers: Record<string, string> = {}) => {
  const pages: Answer[] = []
  let cursor: string | null = null
  do {
    const next: string = cursor === null ? path : `${path}&cursor=${cursor}`
    const answer = await shop.get(next, headers)
    assert.equal(answer.status, 200, answer.text)
    pages.push(answer)
    cursor = nextCursorOf(answer)
    assert.ok(pages.length <= 100, 'paging does not end')
  } while (cursor !== null)
  return pages
}

const itemsOf = ({ json }: Answer): Named[] => json.data ?? json
const nextCursorOf = ({ json, headers }: Answer): string | null =>
  Array.isArray(json) ? headers.get('x-next-cursor') : json.nextCursor

const namesOf = (pages: Answer[]) => pages.flatMap(itemsOf).map(({ name }) => name)

/** Many equal prices and names in several categories. */
const aShopOfTies = async () => {
  const shop = await newStore(service)
  const categories = ['Home', 'Home > Kitchen', 'Home > Bath', 'Office']
  await shop.add(
    ...Array.from({ length: 40 }, (_, i) => ({
      name: `Thing ${'abc'[i % 3]}`,
      slug: `thing-${i}`,
      description: 'thing '.repeat(1 + (i % 2)),
      price: 10 * (1 + (i % 4)),
      category: categories[i % 4],
      stock: i % 2,
    })),
  )
  return shop
}

const sorts = ['newest', 'price', '-price', 'name', '-name']

test('paging returns every product exactly once, for every sort, ties included', async () => {
  const shop = await aShopOfTies()
  for (const sort of sorts) {
    const whole = (await shop.get(`/v1/products?sort=${sort}&limit=100`)).json as { slug: string }[]
    const pages = await allPages(shop, `/v1/products?sort=${sort}&limit=7`)
    assert.equal(pages.length, 6)
    assert.deepEqual(
      pages.flatMap(({ json }) => json),
      whole,
      sort,
    )
    assert.equal(new Set(whole.map(({ slug }) => slug)).size, 40)
  }
})

test('paging is complete in a category, with filters, and with a full last page', async () => {
  const shop = await aShopOfTies()
  const queries = ['category=home', 'category=home&inStock=true', 'category=kitchen&minPrice=20', 'maxPrice=20']
  for (const sort of sorts) {
    for (const query of queries) {
      const whole = (await shop.get(`/v1/products?${query}&sort=${sort}&limit=100`)).json
      assert.ok(whole.length >= 10)
      for (const limit of [3, 5, 10]) {
        const pages = await allPages(shop, `/v1/products?${query}&sort=${sort}&limit=${limit}`)
        assert.equal(pages.length, Math.ceil(whole.length / limit))
        assert.deepEqual(
          pages.flatMap(({ json }) => json),
          whole,
          `${query} ${sort} ${limit}`,
        )
      }
    }
  }
})

test('search and categories can be paged to the end', async () => {
  const shop = await aShopOfTies()
  for (const sort of ['relevance', ...sorts]) {
    const whole = (await shop.get(`/v1/search?q=thing&sort=${sort}&limit=100`)).json.data
    assert.equal(whole.length, 40)
    const pages = await allPages(shop, `/v1/search?q=thing&sort=${sort}&limit=9`)
    assert.deepEqual(
      pages.flatMap(({ json }) => json.data),
      whole,
      sort,
    )
    assert.deepEqual(new Set(pages.map(({ json }) => json.total)), new Set([40]))
  }
  const categories = await allPages(shop, '/v1/categories?limit=1')
  assert.deepEqual(namesOf(categories), ['Home', 'Kitchen', 'Bath', 'Office'])
  assert.deepEqual(
    categories.map(({ json }) => json.hasMore),
    [true, true, true, false],
  )
})

test('the headers of a product list show whether there is a next page, and link to it', async () => {
  const shop = await aShopOfTies()
  const first = await shop.get('/v1/products?sort=-price&category=home&limit=20&unknown=x')
  assert.equal(first.headers.get('x-has-more'), 'true')
  const [, address] = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? []
  const link = new URL(address ?? '')
  assert.equal(link.origin, 'http://vitrine.test')
  const second = await shop.get(link.pathname + link.search)
  assert.deepEqual(second.json, (await shop.get('/v1/products?sort=-price&category=home&limit=100')).json.slice(20))
  assert.equal(second.headers.get('x-has-more'), 'false')
  assert.equal(second.headers.get('x-next-cursor'), null)
  assert.equal(second.headers.get('link'), null)
})

test('products added or removed between two pages do not shift the next page', async () => {
  const shop = await newStore(service)
  await shop.add(...['A', 'B', 'C', 'D', 'E', 'F'].map((name) => ({ name, price: 5 })))
  const first = await shop.get('/v1/products?limit=2')
  assert.deepEqual(namesOf([first]), ['F', 'E'])
  await shop.add({ name: 'G', price: 5 }, { name: 'H', price: 5 }, { name: 'E', price: 5, status: 'ARCHIVED' })
  const second = await shop.get(`/v1/products?limit=2&cursor=${nextCursorOf(first)}`)
  const third = await shop.get(`/v1/products?limit=2&cursor=${nextCursorOf(second)}`)
  assert.deepEqual(namesOf([second, third]), ['D', 'C', 'B', 'A'])
})

test('the page size can change between pages', async () => {
  const shop = await newStore(service)
  await shop.add(...['A', 'B', 'C', 'D', 'E'].map((name) => ({ name, price: 5 })))
  const first = await shop.get('/v1/products?sort=name&limit=1')
  const rest = await shop.get(`/v1/products?sort=name&limit=50&cursor=${nextCursorOf(first)}`)
  assert.deepEqual(namesOf([first, rest]), ['A', 'B', 'C', 'D', 'E'])
})

test('an explicit default value gives the same list as an omitted one', async () => {
  const shop = await aShopOfTies()
  const cursor = nextCursorOf(await shop.get('/v1/products?limit=5'))
  assert.equal((await shop.get(`/v1/products?sort=newest&cursor=${cursor}`)).status, 200)
})

test('a cursor with one character changed anywhere is refused', async () => {
  const shop = await aShopOfTies()
  const cursor = nextCursorOf(await shop.get('/v1/products?sort=name&limit=5')) as string
  assert.equal((await shop.get(`/v1/products?sort=name&cursor=${cursor}`)).status, 200)
  for (let i = 0; i < cursor.length; i++) {
    const changed = cursor.slice(0, i) + (cursor[i] === 'A' ? 'B' : 'A') + cursor.slice(i + 1)
    assertError(await shop.get(`/v1/products?sort=name&cursor=${changed}`), 400, 'BAD_REQUEST')
  }
})

test('a cursor is refused with another sort or filter, in another list, store or outlet', async () => {
  const shop = await aShopOfTies()
  const other = await aShopOfTies()
  const pune = await shop.newOutlet('Pune')
  const cursor = nextCursorOf(await shop.get('/v1/products?sort=price&category=home&limit=3'))
  const list = `/v1/products?cursor=${cursor}`
  assert.equal((await shop.get(`${list}&sort=price&category=home`)).status, 200)
  for (const query of [
    '',
    '&sort=-price&category=home',
    '&sort=price',
    '&sort=price&category=office',
    '&sort=price&category=nowhere',
    '&sort=price&category=home&inStock=true',
    '&sort=price&category=home&minPrice=1',
    '&sort=price&category=home&ids=prod_1',
  ]) {
    assertError(await shop.get(list + query), 400, 'BAD_REQUEST')
  }
  const same = `${list}&sort=price&category=home`
  assertError(await other.get(same), 400, 'BAD_REQUEST')
  assertError(await shop.get(same, { 'x-outlet-id': pune }), 400, 'BAD_REQUEST')
  assertError(await shop.get(same.replace('products?', 'search?q=thing&')), 400, 'BAD_REQUEST')
  assertError(await shop.get(`/v1/categories?cursor=${cursor}`), 400, 'BAD_REQUEST')
  const searched = nextCursorOf(await shop.get('/v1/search?q=thing&limit=3'))
  assertError(await shop.get(`/v1/search?q=things&cursor=${searched}`), 400, 'BAD_REQUEST')
})

test('an empty, very long or forged cursor is refused', async () => {
  const shop = await newStore(service)
  const forged = `${Buffer.from('[1]').toString('base64url')}.${'A'.repeat(22)}`
  for (const cursor of ['', '.', 'abc', 'null', forged, 'a'.repeat(1000), 'a'.repeat(1001), `${forged}&cursor=x`]) {
    for (const list of [
      'products?',
      'categories?',
      'search?q=a&',
      'products?category=nowhere&',
      'search?q=a&category=nowhere&',
      'search?q=&',
    ]) {
      assertError(await shop.get(`/v1/${list}cursor=${cursor}`), 400, 'BAD_REQUEST')
    }
  }
})

test('a cursor stays valid while the secret that signed it is still configured', async (t) => {
  const [old, fresh] = ['an old secret that is long enough to be one', 'a new secret that is long enough to be one']
  const before = await serviceFor(t, { secrets: [old] })
  const during = await serviceFor(t, { secrets: [fresh, old] })
  const afterwards = await serviceFor(t, { secrets: [fresh] })
  const shop = await newStore(before)
  await shop.add({ name: 'A', price: 1 }, { name: 'B', price: 1 }, { name: 'C', price: 1 })
  const on = (instance: TestService, cursor: string | null) =>
    instance.call(`/v1/products?limit=1&cursor=${cursor}`, { headers: { 'x-store-key': shop.key } })

  const first = nextCursorOf(await shop.get('/v1/products?limit=1'))
  const second = await on(during, first)
  assert.deepEqual(namesOf([second]), ['B'])
  assert.deepEqual(namesOf([await on(afterwards, nextCursorOf(second))]), ['A'])
  assertError(await on(afterwards, first), 400, 'BAD_REQUEST')
})
