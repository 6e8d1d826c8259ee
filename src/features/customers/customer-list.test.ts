import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newStaff } from '../../../test/admin-callers.ts'
import { newStore, startTestService, type TestService } from '../../../test/harness.ts'
import { readAtOnce } from '../admin-list.ts'
import { type CustomerQuery, openCustomerList } from './customer-list.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const customers = 9_000

/** Number 1 is the oldest. Some values are what many have, some what few have, some only the oldest. */
const open = async () => {
  const shop = await newStore(service)
  const store = await shop.load()
  await service.db.run`
    insert into customer (store_id, id, name, email, contact_phone, has_orders, created_at)
    select ${store.id}, 'cus_' || lpad(n::text, 5, '0'), case when n <= 3000 then 'Old ' else 'New ' end || n,
      case when n % 4 = 0 then 'often' when n % 100 = 1 then 'rare' else 'other' end || n || '@example.com',
      case when n % 3 = 0 then '+91 80 ' || lpad(n::text, 6, '0') else '' end, n % 10 = 0,
      now() - (${customers}::integer - n) / 3 * interval '1 second'
    from generate_series(1, ${customers}::integer) n`
  return { shop, store, list: (query: CustomerQuery) => openCustomerList(service.db, store, query) }
}

const all = Array.from({ length: customers }, (_, i) => customers - i)

const cases: [query: CustomerQuery, isFound: (n: number) => boolean][] = [
  [{ q: 'new' }, (n) => n > 3_000],
  [{ q: 'OLD ' }, (n) => n <= 3_000],
  [{ q: 'often' }, (n) => n % 4 === 0],
  [{ q: 'o' }, (n) => n <= 3_000 || n % 4 === 0 || n % 100 !== 1],
  [{ q: 'rare' }, (n) => n % 100 === 1],
  [{ q: '+91 80' }, (n) => n % 3 === 0],
  [{ q: 'old', hasOrders: true }, (n) => n <= 3_000 && n % 10 === 0],
  [{ q: 'often', hasOrders: true }, (n) => n % 20 === 0],
  [{ q: 'rare', hasOrders: true }, () => false],
  [{ q: 'often', hasOrders: false }, (n) => n % 4 === 0 && n % 10 !== 0],
  [{ q: 'none' }, () => false],
]

test('a search pages through exactly the customers who match, however many do and wherever they are', async () => {
  const { list } = await open()
  for (const [query, isFound] of cases) {
    for (const sort of ['newest', 'oldest']) {
      const found = all.filter(isFound).map((n) => `cus_${String(n).padStart(5, '0')}`)
      const expected = sort === 'oldest' ? found.toReversed() : found
      const rows = await readAtOnce(list({ ...query, sort }), 300)
      const what = `${JSON.stringify(query)} ${sort}`
      assert.deepEqual(
        rows.map(({ id }) => id),
        expected.slice(0, 300),
        what,
      )
      const from = rows.at(-20)
      if (from !== undefined) {
        const { rows: next } = await list({ ...query, sort }).read({ at: from.position, id: from.id }, 19)
        assert.deepEqual(
          next.map(({ id }) => id),
          expected.slice(rows.length - 19, rows.length),
          what,
        )
      }
      const counted = await list({ ...query, sort }).count(10_001)
      assert.ok(typeof counted === 'object')
      if (counted.isExact) assert.equal(counted.found, expected.length, what)
      else assert.ok(counted.found <= expected.length, what)
    }
  }
})

test('a search for what many have stops early with a short page, and its cursor leads to all of them', async () => {
  const { shop } = await open()
  const owner = await newStaff(service, shop)
  const pages = []
  for (let cursor = ''; ; ) {
    const { json, text } = await owner.inStore('GET', `/customers?q=old&limit=50${cursor}`)
    assert.ok(json.data, text)
    pages.push(json)
    if (json.nextCursor === null) break
    cursor = `&cursor=${encodeURIComponent(json.nextCursor)}`
  }
  const ids = pages.flatMap(({ data }) => data.map(({ id }: { id: string }) => id))
  assert.deepEqual([ids.length, new Set(ids).size], [3_000, 3_000])
  const [first] = pages
  assert.deepEqual([first.data, first.hasMore, first.total, first.totalIsExact], [[], true, 0, false])
  const { text } = await owner.inStore('GET', '/customers?q=old&format=csv')
  assert.equal(text.split('\r\n').length, 3_000 + 2)
})
