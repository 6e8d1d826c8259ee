import assert from 'node:assert/strict'
import { after, before, test as testAnywhere } from 'node:test'
import pg from 'pg'
import { fillCatalog } from '../bench/big-catalog.ts'
import { fillCustomers } from '../bench/fill-customers.ts'
import { permissions } from '../src/features/access/admin.contract.ts'
import { readProduct } from '../src/features/catalog/product-input.ts'
import { openProductList } from '../src/features/catalog/product-list.ts'
import { planProducts } from '../src/features/catalog/save.ts'
import { findVariantsByName } from '../src/features/catalog/stock-change.sql.ts'
import { tryTakeStock } from '../src/features/catalog/stock-moves.ts'
import { countStoreWords } from '../src/features/catalog/word-counts.ts'
import { type OrderListQuery, openOrderList } from '../src/features/orders/order-list.ts'
import { listOrders } from '../src/features/orders/orders.sql.ts'
import { findOrderById, findOrdersByNumber } from '../src/features/orders/store-orders.sql.ts'
import { lockCoupon } from '../src/features/pricing/coupons.sql.ts'
import { findStoreByLogisticsKey, findWebhookStore } from '../src/features/stores/webhook-credentials.sql.ts'
import { countToday } from '../src/features/today/today.ts'
import { noPlans, onCluster } from './cluster.ts'
import { makeBeside, runSql } from './databases.ts'
import { databaseUrl, newStore, startTestService, type TestService } from './harness.ts'
import { flattenPlan, isEndless, type PlanNode, tablesOfShoppers } from './plan-nodes.ts'
import { fillTables } from './plans-data.ts'
import { jobStatements } from './plans-jobs.ts'
import { searchDeeper } from './plans-orders.ts'
import { reads } from './plans-reads.ts'
import { assertEstimates, assertNewestFirst, assertPagesInOrder } from './plans-search.ts'
import { signInSteps } from './plans-sign-in.ts'
import { putOnHand } from './put-on-hand.ts'
import { newCustomer, newGuest } from './shoppers.ts'
import { cheapPasswords } from './world.ts'

/**
 * A store of 27,000 products beside small ones, in its own database. A statement that uses an index here uses it with a
 * million products; one that does not fails here, because it would be slow there. The store is just larger than the limit
 * that a search for very common words reads. There are so many small stores that a plan for all stores expects one
 * product in each, as with a million products in a thousand stores.
 */
let url: string
let drop: (() => Promise<unknown>) | undefined
let service: TestService
let planner: pg.Client
let shop: Awaited<ReturnType<typeof newStore>>

const size = { products: 27_000, smallStores: 200, wordsInDescription: 12 }

const test = (name: string, check: () => Promise<void>) => testAnywhere(name, noPlans, check)

before(async () => {
  if (onCluster) return
  ;({ url, drop } = await makeBeside(databaseUrl))
  planner = new pg.Client({ connectionString: url })
  await planner.connect()
  await planner.query('set plan_cache_mode = force_generic_plan')
  service = await startTestService({ databaseUrl: url, passwords: cheapPasswords })
  shop = await newStore(service)
  const { publicId } = await shop.load()
  await fillCatalog({ connectionString: url }, publicId, size, () => {})
  await fillCustomers({ connectionString: url }, publicId, { customers: 2_000, inSmallStores: 5 })
  await fillTables(url)
  const { id, defaultOutlet } = await shop.load()
  await countStoreWords(service.db, { storeId: id, outletId: defaultOutlet.id })
})

after(async () => {
  await planner?.end()
  await service?.close()
  await drop?.()
})

for (const [what, path] of Object.entries(reads)) {
  test(`${what} is read by indexes, with one plan for large and small stores`, async () => {
    const texts = await statementsOf(path)
    assert.ok(texts.length > 0)
    for (const text of texts) assert.deepEqual(await scansOf(text), [], text)
  })
}

test('a later page is read from the position where the previous one ended', async () => {
  for (const sort of ['newest', 'price', '-price', 'name', '-name']) {
    const first = await shop.get(`/v1/products?sort=${sort}`)
    const [text] = await statementsOf(`/v1/products?sort=${sort}&cursor=${first.headers.get('x-next-cursor')}`)
    const conditions = (await nodesOf(text as string)).map((node) => String(node['Index Cond'] ?? ''))
    const column = { newest: 'seq', price: 'price_minor', name: 'name_key' }[sort.replace('-', '')] as string
    assert.ok(
      conditions.some((condition) => condition.includes(column) && condition.includes('store_id')),
      `${sort}: ${conditions.join(' / ')}`,
    )
  }
})

test('the product list of merchants is read and counted by indexes, in every order and with every filter', async () => {
  const store = await shop.load()
  const q = ['wieea', 'wisrol', 'wa', undefined]
  const filters = [
    {},
    { status: 'DRAFT' },
    { category: 'category-7' },
    { status: 'ACTIVE', category: 'category-7' },
    { stock: 'out' },
    { stock: 'low', status: 'ACTIVE', category: 'category-7' },
  ] as const
  for (const sort of ['newest', 'oldest', 'name', '-name'] as const) {
    for (const filter of filters.flatMap((one) => q.map((words) => ({ ...one, q: words, sort })))) {
      const texts = await recordStatements(async () => {
        const list = await openProductList({ db: service.db, store }, filter)
        const rows = await list.read(undefined, 21)
        await list.count(10_001)
        const last = rows.at(-1)
        if (last !== undefined) await list.read(list.positionOf(last), 21)
      })
      for (const text of texts) {
        // The indexes of what is low in stock have no other rows.
        const scans = (await scansOf(text)).filter((scan) => !scan.startsWith('reads all of stock, stock_low'))
        assert.deepEqual(scans, [], `${JSON.stringify(filter)} ${text}`)
      }
    }
  }
})

test('what needs to be done is counted by indexes alone', async () => {
  const store = await shop.load()
  const texts = await recordStatements(() => countToday({ db: service.db, store, permissions: new Set(permissions) }))
  const used = new Set<string>()
  for (const text of texts) {
    for (const node of await nodesOf(text)) used.add(`${node['Node Type']} ${node['Index Name']}`)
    // The indexes of what is low in stock have no other rows.
    const scans = (await scansOf(text)).filter((scan) => !scan.startsWith('reads all of stock, stock_low'))
    assert.deepEqual(scans, [], text)
  }
  for (const index of ['orders_list', 'order_return_by_status']) {
    assert.ok(used.has(`Index Only Scan ${index}`), `${index} is not among ${[...used].join(', ')}`)
  }
})

const isByWords = (text: string) => text.includes('@@')

test('a search of rare words starts from the index of words, with the same plan in every store', async () => {
  for (const path of ['/v1/search?q=wieea', '/v1/search?q=wieea+wouta', '/v1/search/suggest?q=wisr']) {
    const texts = (await statementsOf(path)).filter((text) => text.includes('listing'))
    assert.ok(texts.some(isByWords))
    for (const text of texts) {
      const indexes = (await nodesOf(text)).map((node) => node['Index Name'])
      // What was found is shown by another statement, which finds it by its number.
      assert.ok(
        indexes.includes(isByWords(text) ? 'listing_words' : 'listing_newest'),
        `${path}: ${indexes.join(', ')}`,
      )
    }
  }
})

test('data of a shopper are read and written by indexes, with one plan for large and small stores', async () => {
  const [guest, asha, { id: storeId }] = [
    await newGuest(service, shop),
    await newCustomer(service, shop),
    await shop.load(),
  ]
  const { id: productId } = (await shop.get('/v1/products/product-9876')).json
  // The catalog gives a product up to nine units, and sometimes none.
  await putOnHand(service.db, storeId, 100, { productId })
  const line = { productId, quantity: 1 }
  const cart = { body: { items: [line] } }
  const address = { name: 'Asha', phone: '+919812345678', line1: '1 Lake Road', city: 'Pune', state: 'MH' }
  const done = async (answer: Promise<{ status: number; text: string }>) => {
    const { status, text } = await answer
    assert.ok(status < 300, text)
  }
  const cartId = async (answer: Promise<{ headers: Headers }>) => (await answer).headers.get('x-cart-id')
  const steps: Record<string, () => Promise<unknown>> = {
    'a guest adds to a wishlist': () => done(guest.call('POST', '/v1/wishlist', { body: { productId } })),
    'a guest reads a wishlist': () => done(guest.call('GET', '/v1/wishlist')),
    'a customer adds to a wishlist': () => done(asha.call('POST', '/v1/wishlist', { body: { productId } })),
    'a customer reads a wishlist': () => done(asha.call('GET', '/v1/wishlist')),
    'a guest makes a cart': () => done(guest.call('POST', '/v1/cart', cart)),
    'a guest adds to a cart': async () =>
      done(guest.call('POST', `/v1/cart/${await cartId(guest.call('GET', '/v1/cart'))}/items`, { body: line })),
    'a guest adds to a cart with a key': () =>
      done(guest.call('POST', '/v1/cart', { ...cart, headers: { 'idempotency-key': 'plans' } })),
    'a guest sends it again': () =>
      done(guest.call('POST', '/v1/cart', { ...cart, headers: { 'idempotency-key': 'plans' } })),
    'a guest reads a cart': () => done(guest.call('GET', '/v1/cart')),
    'a customer claims a cart': async () =>
      done(asha.call('POST', `/v1/cart/${await cartId(guest.call('GET', '/v1/cart'))}/claim`)),
    'a customer with a cart claims another': async () =>
      done(asha.call('POST', `/v1/cart/${await cartId(guest.call('POST', '/v1/cart', cart))}/claim`)),
    'a customer makes a cart': () => done(asha.call('POST', '/v1/cart', cart)),
    'a customer changes a cart': () => done(asha.call('POST', '/v1/cart', cart)),
    'a customer reads a cart': () => done(asha.call('GET', '/v1/cart')),
    'a customer checks a code': () => done(asha.call('POST', '/v1/coupons/validate', { body: { code: 'CODE7' } })),
    'a customer lists coupons': () => done(asha.call('GET', '/v1/coupons')),
    'a customer checks out': () =>
      done(
        asha.call('POST', '/v1/checkout', {
          body: { couponCode: 'CODE7', shippingAddress: { ...address, postalCode: '411001', country: 'IN' } },
        }),
      ),
    'a customer adds an address': () =>
      done(asha.call('POST', '/v1/customer/addresses', { body: { ...address, postalCode: '411001', country: 'IN' } })),
    'a customer reads addresses': () => done(asha.call('GET', '/v1/customer/addresses')),
    'a customer reads who they are': () => done(asha.call('GET', '/v1/customer')),
    'a customer changes the email': () => done(asha.call('PATCH', '/v1/customer', { body: { email } })),
    'a customer sets a password': () =>
      done(asha.call('POST', '/v1/customer/password', { body: { newPassword: password } })),
    'a customer changes the password': () => {
      const body = { currentPassword: password, newPassword: password }
      return done(asha.call('POST', '/v1/customer/password', { body }))
    },
    'a customer changes the email that signs in': () =>
      done(asha.call('PATCH', '/v1/customer', { body: { email: `new-${email}`, currentPassword: password } })),
    'a customer signs in': () => done(guest.call('POST', '/v1/signin', { body: { email: `new-${email}`, password } })),
    'a customer lists orders': () => listOrders(service.db, storeId, { customerId: asha.id, before: null, limit: 21 }),
    'a customer lists older orders': () =>
      listOrders(service.db, storeId, { customerId: asha.id, before: 9_000, limit: 21 }),
  }
  const wrong: string[] = []
  for (const [what, step] of Object.entries({ ...steps, ...signInSteps(service, shop, guest, done) })) {
    const texts = await recordStatements(step)
    const read = new Set<string>()
    for (const text of texts.filter((text) => !/^(begin|commit|rollback)/.test(text))) {
      for (const node of await nodesOf(text)) read.add(node['Relation Name'] ?? '')
      wrong.push(...(await scansOf(text)).map((scan) => `${what} ${scan}: ${text}`))
    }
    assert.ok(
      [...read].some((table) => tablesOfShoppers.has(table)),
      `${what}: ${[...read].join(', ')}`,
    )
  }
  assert.deepEqual(wrong, [])
})

test('lookups of operators and providers use indexes, with one plan for large and small stores', async () => {
  const { id: storeId, publicId } = await shop.load()
  const texts = new Set<string>()
  const stop = service.app.db.onStatement((text) => texts.add(text))
  await findOrdersByNumber(service.db, 1001, null)
  await findOrderById(service.db, 'ord_none', null)
  await findWebhookStore(service.db, publicId, 'pay_none')
  await findStoreByLogisticsKey(service.db, 'none')
  await service.db.tx(async (tx) => {
    await findVariantsByName(tx, storeId, 'KC-MUG-OAT')
    await lockCoupon(tx, storeId, 'NONE')
  })
  stop()
  const wrong: string[] = []
  for (const text of [...texts].filter((text) => !/^(begin|commit)/.test(text))) {
    wrong.push(...(await scansOf(text)).map((scan) => `${scan}: ${text}`))
  }
  assert.equal(texts.size, 8)
  assert.deepEqual(wrong, [])
})

test('the list of orders jumps through its index with every filter, and finds what is searched for by its terms', async () => {
  const store = await shop.load()
  const filters: OrderListQuery[] = [
    ...[{}, { status: 'paid' }, { payment: 'failed', delivery: 'none' }, { attention: true }, { sort: 'createdAt' }],
    ...[{ outlet: store.defaultOutlet.publicId }, { from: '2026-01-01', to: '2026-01-31', status: 'paid' }],
    ...([{ toShip: true }, { toShip: true, outlet: store.defaultOutlet.publicId, sort: 'createdAt' }] as const),
  ]
  for (const filter of filters) {
    for (const [q, index] of [
      [undefined, filter.toShip ? 'orders_to_ship' : 'orders_list'],
      ['customer 7', 'order_search_by_term'],
      // More than the limit have a name that begins so, and the newest orders are compared with it.
      ['customer', 'order_search_pkey'],
    ] as const) {
      const texts = await recordStatements(async () => {
        const list = openOrderList(service.db, store, q === undefined ? filter : { ...filter, q })
        await list.read({ createdAt: '2999-01-01', number: 1 }, 21)
        await list.count(10_001)
      })
      if (q === 'customer') texts.push(...(await recordStatements(() => searchDeeper(service.db, store, filter))))
      const used: unknown[] = []
      for (const text of texts) {
        assert.deepEqual(await scansOf(text), [], text)
        used.push(...(await nodesOf(text)).map((node) => node['Index Name']))
      }
      assert.ok(used.includes(index), `${JSON.stringify({ ...filter, q })}: ${used.join(', ')}`)
    }
  }
})

test('jobs find due work by its time, and claim the work of a store by its indexes', async () => {
  const { id: storeId } = await shop.load()
  for (const [work, ...indexes] of jobStatements(service.db, storeId)) {
    const [text = ''] = await recordStatements(work)
    const used = (await nodesOf(text)).map((node) => node['Index Name'])
    for (const index of indexes) {
      const isUsed = index.split('|').some((name) => used.includes(name))
      assert.ok(isUsed, `${index} is not among ${used.join(', ')}: ${text}`)
    }
    assert.deepEqual(await scansOf(text), [], text)
  }
})

const [email, password] = ['plans@example.com', 'correct horse battery']

test('imports and stock reservations find rows by their keys', async () => {
  const store = await shop.load()
  const patch = readProduct({ slug: 'product-9876', price: 5 }, store.currency)
  assert.ok(!Array.isArray(patch))
  const { variants } = (await shop.get('/v1/products/product-9876')).json
  const goods = {
    orderId: 'ord_1',
    outletId: store.defaultOutlet.id,
    lines: [{ variantId: variants[0].id, quantity: 1, name: 'One' }],
  }
  const other = (await shop.get('/v1/products/product-9875')).json.variants[0].id
  const two = { ...goods, lines: [...goods.lines, { variantId: other, quantity: 1, name: 'Two' }] }
  const texts = await recordStatements(async () => {
    await planProducts(service.db, store, [patch], { replace: false, setStock: true })
    await service.db.tx((tx) => tryTakeStock(tx, store.id, goods, 'reserve'))
    await service.db.tx((tx) => tryTakeStock(tx, store.id, two, 'reserve'))
  })
  const ours = texts.filter((text) => /stock_tracked/.test(text))
  assert.equal(ours.length, 3)
  for (const text of ours) assert.deepEqual(await scansOf(text), [], text)
})

test('changing products does not slow down searches', async () => {
  const [index] = await runSql(url, `select reloptions from pg_class where relname = 'listing_words'`)
  assert.deepEqual(index.reloptions, ['fastupdate=off'])
})

test('above the count limit the newest matches are ranked, after the product with exactly that name', () =>
  assertNewestFirst(shop))

test('above the count limit total and facets are estimates from a sample', () => assertEstimates(shop, url))

test('every page of a common word follows the one before, in the order of relevance', () => assertPagesInOrder(shop))

test('facets shared by the newest products are counted over all products', async () => {
  await shop.add({ slug: 'product-2', name: 'Old unicorn', price: 1, stock: 1 })
  const unicorns = Array.from({ length: 120 }, (_, i) => ({ name: `Unicorn ${i}`, price: 1, stock: 1 }))
  await shop.add(...unicorns)
  const { total, totalIsExact, facets } = (await shop.get('/v1/search?q=unicorn')).json
  assert.deepEqual([total, totalIsExact, facets.inStock.count], [121, true, 121])
  assert.equal((await shop.get('/v1/search/suggest?q=old+unic')).json.products[0].slug, 'product-2')
})

test('a word in many names is suggested from the newest', async () => {
  const { products } = (await shop.get('/v1/search/suggest?q=wie')).json
  assert.equal(products.length, 8)
  assert.ok(products.every(({ name }: { name: string }) => / wie| wie$|^wie/.test(name)))
})

/** The statements of an uncached answer. */
const statementsOf = async (path: string) => {
  await shop.get('/v1/store')
  return recordStatements(async () => {
    const { status, text } = await shop.get(`${path}${path.includes('?') ? '&' : '?'}_=${Math.random()}`)
    assert.equal(status, 200, text)
  })
}

/** The statements that an action sends, without those that authenticate it. */
const recordStatements = async (work: () => Promise<unknown>) => {
  const texts = new Set<string>()
  const stop = service.app.db.onStatement((text) => texts.add(text))
  try {
    await work()
  } finally {
    stop()
  }
  const sent = [...texts].filter((statement) => !/ from store_key| from store s|^begin$|^commit$/.test(statement))
  // The service asks at any time what was sold (decision 0055).
  const others = sent.filter((statement) => !statement.includes('pg_current_snapshot'))
  return others.length > 0 ? others : sent
}

const scansOf = async (text: string) =>
  (await nodesOf(text))
    .filter((node) => isEndless(node))
    .map((node) => `reads all of ${node['Relation Name']}, ${node['Index Name'] ?? 'without an index'}`)

/** The generic plan, which PostgreSQL uses for statements that run often. */
const nodesOf = async (text: string): Promise<PlanNode[]> => {
  const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)))
  const nulls = count === 0 ? '' : `(${Array(count).fill('null').join(', ')})`
  await planner.query(`prepare asked as ${text}`)
  try {
    const { rows } = await planner.query(`explain (format json) execute asked${nulls}`)
    return flattenPlan(rows[0]['QUERY PLAN'][0].Plan)
  } finally {
    await planner.query('deallocate asked')
  }
}
