import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { noPlans } from '../../../test/cluster.ts'
import { databaseUrl, newStore, startTestService, type TestService, type TestStore } from '../../../test/harness.ts'
import { type Fragment, sql, toStatement } from '../../db/sql.ts'
import { type Coupon, couponAsJson } from './coupons.ts'
import { type CouponRequest, couponDefaults, createCoupon, listCoupons } from './manage-coupons.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

type Wanted = Partial<CouponRequest> & { code: string }

const create = async (shop: TestStore, wanted: Wanted) => {
  const store = await shop.load()
  const request = { ...couponDefaults, kind: 'percent' as const, value: 10, ...wanted }
  return service.db.tx((tx) => createCoupon(tx, store, request))
}

const assertRefused = (shop: TestStore, wanted: Wanted, message: RegExp) =>
  assert.rejects(create(shop, wanted), { name: 'DomainError', message })

const readCoupon = async (storeId: number, code: Fragment) =>
  (await service.db.one<{ coupon: Coupon | null }>`select ${couponAsJson(storeId, code)} as coupon`).coupon

const find = async (shop: TestStore, code: string | null) => readCoupon((await shop.load()).id, sql`${code}`)

/** Category ids by name. */
const categoriesOf = async (shop: TestStore): Promise<Record<string, string>> => {
  const { data } = (await shop.get('/v1/categories?limit=100')).json
  return Object.fromEntries(data.map(({ name, id }: { name: string; id: string }) => [name, id]))
}

const newHomeStore = async () => {
  const shop = await newStore(service)
  await shop.add(
    { name: 'Mug', price: 1, category: 'Home > Kitchen > Mugs' },
    { name: 'Pot', price: 1, category: 'Home > Kitchen > Pots' },
    { name: 'Lamp', price: 1, category: 'Home > Light' },
    { name: 'Pen', price: 1, category: 'Paper' },
  )
  return shop
}

test('a coupon is read by its code with all its conditions as plain numbers', async () => {
  const shop = await newHomeStore()
  const { id } = await create(shop, {
    ...{ code: ' flat-200 ', kind: 'fixed', value: 199.5, minSubtotal: 1999, usageLimit: 50, customerLimit: 2 },
    startsAt: new Date('2026-01-31T10:00:00.123Z'),
    endsAt: new Date('2035-12-31T18:29:59Z'),
  })
  assert.match(id, /^cpn_/)
  assert.deepEqual(await find(shop, 'FLAT-200'), {
    ...{ id, code: 'FLAT-200', kind: 'fixed', value: 19_950, minSubtotalMinor: 199_900, used: 0 },
    ...{ usageLimit: 50, customerLimit: 2, productIds: [], categoryIds: [] },
    startsAtMs: Date.parse('2026-01-31T10:00:00.123Z'),
    endsAtMs: Date.parse('2035-12-31T18:29:59Z'),
  })
  await create(shop, { code: 'ALWAYS', value: 33.333 })
  const always = await find(shop, 'ALWAYS')
  assert.deepEqual([always?.value, always?.startsAtMs, always?.endsAtMs], [33_333, null, null])
  assert.deepEqual([always?.usageLimit, always?.customerLimit], [null, null])
})

test('a missing code, an unknown code and a code of another store find nothing', async () => {
  const [shop, other] = [await newStore(service), await newStore(service)]
  await create(shop, { code: 'MINE' })
  assert.equal(await find(shop, null), null)
  assert.equal(await find(shop, 'YOURS'), null)
  assert.equal(await find(other, 'MINE'), null)
  assert.equal((await find(shop, 'MINE'))?.code, 'MINE')
})

test('a coupon for a category includes its subcategories and no siblings', async () => {
  const shop = await newHomeStore()
  const { Home, Kitchen, Mugs, Pots, Light } = await categoriesOf(shop)
  await create(shop, { code: 'HOME', categories: ['Home'] })
  assert.deepEqual((await find(shop, 'HOME'))?.categoryIds.toSorted(), [Home, Kitchen, Mugs, Pots, Light].sort())
  await create(shop, { code: 'KITCHEN', categories: ['Home > Kitchen', 'mugs'] })
  assert.deepEqual((await find(shop, 'KITCHEN'))?.categoryIds.toSorted(), [Kitchen, Mugs, Pots].sort())
})

test('a coupon whose category was deleted does not apply to everything', async () => {
  const shop = await newHomeStore()
  const { Light } = await categoriesOf(shop)
  await create(shop, { code: 'LIGHT', categories: [Light as string] })
  const { id } = await shop.load()
  await service.db.run`
    update coupon set category_ids = array['cat_gone'] where store_id = ${id} and code = 'LIGHT'`
  assert.deepEqual((await find(shop, 'LIGHT'))?.categoryIds, ['cat_gone'])
})

test('a cycle of categories is walked once', async () => {
  const shop = await newHomeStore()
  const { Home, Kitchen, Mugs, Pots, Light } = await categoriesOf(shop)
  await create(shop, { code: 'ROUND', categories: ['mugs'] })
  const { id } = await shop.load()
  await service.db.run`update category set parent_id = ${Mugs} where store_id = ${id} and id = ${Home}`
  assert.deepEqual((await find(shop, 'ROUND'))?.categoryIds.toSorted(), [Home, Kitchen, Mugs, Pots, Light].sort())
})

test('a statement can read the coupon of each of its rows, whatever its own tables and columns are named', async () => {
  const shop = await newHomeStore()
  await create(shop, { code: 'HOME', categories: ['Home'] })
  const { id } = await shop.load()
  const rows = await service.db.many<{ code: string | null; coupon: Coupon | null }>`
    select k.code, ${couponAsJson(id, sql`code`)} as coupon
    from (values ('HOME'), (null), ('NONE')) as k (code)`
  assert.deepEqual(
    rows.map(({ code, coupon }) => [code, coupon?.code, coupon?.categoryIds.length]),
    [
      ['HOME', 'HOME', 5],
      [null, undefined, undefined],
      ['NONE', undefined, undefined],
    ],
  )
})

type PlanNode = { 'Actual Loops': number; 'Index Cond'?: string; 'Relation Name'?: string; Plans?: PlanNode[] }

const flatten = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flatten)]

/** The tables and index conditions in the generic plan of a statement. */
const readsOf = async (storeId: number, code: string | null) => {
  const toText = (strings: TemplateStringsArray, ...values: unknown[]) => toStatement(strings, values)
  const { text, values } = toText`select ${couponAsJson(storeId, sql`${code}`)}`
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    // The planner would read small tables sequentially.
    await client.query('set enable_seqscan = off')
    await client.query('set plan_cache_mode = force_generic_plan')
    await client.query(`prepare asked as ${text}`)
    const given = values.map((value) => (value === null ? 'null' : pg.escapeLiteral(String(value))))
    const { rows } = await client.query(`explain (analyze, format json) execute asked (${given.join(', ')})`)
    const nodes = flatten(rows[0]['QUERY PLAN'][0].Plan).filter((node) => node['Actual Loops'] > 0)
    const tables = nodes.flatMap((node) => node['Relation Name'] ?? [])
    return { tables, conditions: nodes.flatMap((node) => node['Index Cond'] ?? []) }
  } finally {
    await client.end()
  }
}

test(
  'a coupon is read by its index, its categories only if it has any, and no table without a code',
  noPlans,
  async () => {
    const shop = await newHomeStore()
    await create(shop, { code: 'ALL' })
    await create(shop, { code: 'HOME', categories: ['Home'] })
    const { id } = await shop.load()
    // Which index is used depends on the statistics: how many coupons a store has.
    const ofStore = /^\(\(?store_id = \$\d/
    const plain = await readsOf(id, 'ALL')
    assert.deepEqual([plain.tables, plain.conditions.length], [['coupon'], 1])
    assert.match(plain.conditions[0] ?? '', ofStore)
    const { tables, conditions } = await readsOf(id, 'HOME')
    assert.deepEqual(tables, ['coupon', 'category'])
    assert.match(conditions[0] ?? '', ofStore)
    // Which index columns are used beyond the store depends on how many categories a store has.
    assert.match(conditions[1] ?? '', /store_id = \$\d/)
    assert.deepEqual(await readsOf(id, null), { tables: [], conditions: [] })
  },
)

test('categories are given by id, slug or path, products by id or slug, and duplicates are stored once', async () => {
  const shop = await newHomeStore()
  // Another "Mugs", which gets a longer slug.
  await shop.add({ name: 'Jar', price: 1, category: 'Garden > Mugs' })
  const { Kitchen } = await categoriesOf(shop)
  const { id: lampId } = (await shop.get('/v1/products/lamp')).json
  await create(shop, {
    code: 'SOME',
    categories: [Kitchen as string, 'kitchen', ' Home>Kitchen ', 'Garden > Mugs', 'mugs'],
    products: [lampId, 'lamp', 'pen'],
  })
  const [coupon] = await listCoupons(service.db, await shop.load())
  assert.deepEqual(coupon?.categories, ['garden-mugs', 'kitchen', 'mugs'])
  assert.deepEqual(coupon?.products, ['lamp', 'pen'])
  assert.deepEqual((await find(shop, 'SOME'))?.productIds.length, 2)
})

test('the categories and products of a coupon must exist in its store', async () => {
  const [shop, other] = [await newHomeStore(), await newStore(service)]
  const { Kitchen } = await categoriesOf(shop)
  for (const category of ['Home > Cellar', 'Kitchen > Mugs', 'Mugs > Home', 'Home > Kitchen > Mugs > Blue', '', '>']) {
    await assertRefused(
      shop,
      { code: 'X', categories: ['Home', category] },
      /^The store has no category ".*"\. Use an id/,
    )
  }
  await assertRefused(other, { code: 'X', categories: [Kitchen as string] }, /has no category "cat_/)
  await assertRefused(shop, { code: 'X', products: ['mug', 'cup'] }, /^The store has no product "cup"\. Use an id/)
  await assertRefused(other, { code: 'X', products: ['mug'] }, /has no product "mug"/)
  assert.deepEqual(await listCoupons(service.db, await shop.load()), [])
})

test('a code is unique within a store, whatever its case, and free in other stores', async () => {
  const [shop, other] = [await newStore(service), await newStore(service)]
  const both = await Promise.allSettled([create(shop, { code: 'Tea' }), create(shop, { code: 'TEA' })])
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  await assertRefused(shop, { code: ' tea' }, /^The store already has a coupon TEA\.$/)
  await create(other, { code: 'tea' })
  assert.equal((await listCoupons(service.db, await shop.load())).length, 1)
})

test('an invalid coupon is refused with a message that says what is valid', async () => {
  const shop = await newStore(service)
  const refusals: [Partial<CouponRequest>, RegExp][] = [
    [{ code: 'TWO WORDS' }, /^"TWO WORDS" is not a valid coupon code\. Use 1 to 64 letters, digits, "-" and "_"\.$/],
    [{ code: ' ' }, /is not a valid coupon code/],
    [
      { value: 0 },
      /^0 is not a valid percentage\. It must be greater than 0, at most 100, with up to three decimals\.$/,
    ],
    [{ value: -1 }, /^-1 is not a valid percentage/],
    [{ value: 100.001 }, /^100\.001 is not a valid percentage/],
    [{ value: 33.3333 }, /^33\.3333 is not a valid percentage/],
    [{ value: Number.NaN }, /^NaN is not a valid percentage/],
    [{ kind: 'fixed', value: 0 }, /^A fixed discount must be greater than zero\.$/],
    [{ kind: 'fixed', value: 0.001 }, /^A fixed discount must be an amount in INR, not 0\.001\.$/],
    [{ kind: 'fixed', value: -5 }, /not -5\.$/],
    [{ minSubtotal: 1.234 }, /^A minimum subtotal must be an amount in INR, not 1\.234\.$/],
    [{ usageLimit: 0 }, /^A usage limit must be an integer from 1 to \d+, not 0\.$/],
    [{ customerLimit: 1.5 }, /not 1\.5\.$/],
    [
      { startsAt: new Date('2027-01-01T00:00:00Z'), endsAt: new Date('2027-01-01T00:00:00Z') },
      /^A coupon must end after it starts: 2027-01-01T00:00:00\.000Z is not after 2027-01-01T00:00:00\.000Z\.$/,
    ],
  ]
  for (const [wanted, message] of refusals) await assertRefused(shop, { code: 'X', ...wanted }, message)
  assert.deepEqual(await listCoupons(service.db, await shop.load()), [])
})

test('amounts have the decimals of the currency: none for yen, three for dinar', async () => {
  const [tokyo, kuwait] = [await newStore(service, { currency: 'JPY' }), await newStore(service, { currency: 'KWD' })]
  await assertRefused(tokyo, { code: 'X', kind: 'fixed', value: 0.5 }, /must be an amount in JPY, not 0\.5/)
  await create(kuwait, { code: 'X', kind: 'fixed', value: 1.005, minSubtotal: 2.5 })
  const found = await find(kuwait, 'X')
  assert.deepEqual([found?.value, found?.minSubtotalMinor], [1005, 2500])
})

test('the list shows coupons as they were entered, oldest first', async () => {
  const shop = await newHomeStore()
  const first = await create(shop, { code: 'ten', value: 12.5, categories: ['Paper'], description: 'For pens' })
  await create(shop, { code: 'FLAT', kind: 'fixed', value: 200, minSubtotal: 999.5, usageLimit: 3 })
  const [ten, flat, ...others] = await listCoupons(service.db, await shop.load())
  assert.deepEqual(others, [])
  assert.deepEqual(ten, first)
  const { id: _, createdAt, ...rest } = first
  assert.ok(createdAt instanceof Date)
  assert.deepEqual(rest, {
    ...{ code: 'TEN', kind: 'percent', value: 12.5, minSubtotal: 0, description: 'For pens', used: 0 },
    ...{
      startsAt: null,
      endsAt: null,
      stoppedAt: null,
      usageLimit: null,
      customerLimit: null,
      categories: ['paper'],
      products: [],
    },
    listed: false,
  })
  assert.deepEqual([flat?.value, flat?.minSubtotal, flat?.usageLimit, flat?.categories], [200, 999.5, 3, []])
})
