import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newProgram, newStaff } from '../../../test/admin-callers.ts'
import {
  type Answer,
  assertError,
  newStore,
  startTestService,
  type TestService,
  withinASecond,
} from '../../../test/harness.ts'
import { newGuest } from '../../../test/shoppers.ts'
import { cheapPasswords } from '../../../test/world.ts'

let service: TestService
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
})
after(() => service.close())

const open = async () => {
  const shop = await newStore(service)
  const { inStore } = await newProgram(service, shop)
  const audit = async (query: string) => (await inStore('GET', `/audit?${query}`)).json.data
  const create = async (body: object) => {
    const made = await inStore('POST', '/products', body)
    assert.equal(made.status, 201, made.text)
    return made.json
  }
  return { shop, inStore, audit, create }
}

const etagOf = (answer: Answer) => answer.headers.get('etag') ?? ''
const shirt = {
  ...{ name: 'Shirt', category: 'Clothing > Shirts', tags: ['new'], taxRate: 12, vendor: 'Kavya' },
  variants: [
    { sku: 'S-S', options: { Size: 'S' }, price: 900, stock: 2 },
    { sku: 'S-M', options: { Size: 'M' }, price: 950, compareAtPrice: 1200, stock: 3, weightGrams: 200 },
  ],
}

test('a product is created, shown by the storefront within a second, changed field by field, and in the audit log', async () => {
  const { shop, inStore, audit, create } = await open()
  assert.deepEqual((await shop.get('/v1/products')).json, [])
  const made = await create({ name: 'Café mug', price: 449.5, stock: 7, category: 'Home > Mugs', sku: 'MUG' })
  assert.deepEqual(
    [made.slug, made.status, made.category, made.price, made.stock, made.sku, made.hasVariants, made.variants.length],
    ['cafe-mug', 'ACTIVE', 'Mugs', 449.5, 7, 'MUG', false, 1],
  )
  assert.ok(await withinASecond(async () => (await shop.get('/v1/products')).json[0]?.price === 449.5))
  const changed = await inStore('PATCH', `/products/${made.id}`, { price: 500, description: '<p>Big</p>', sku: null })
  assert.equal(changed.status, 200, changed.text)
  assert.deepEqual(
    { ...changed.json, updatedAt: '', variants: [] },
    { ...made, price: 500, description: '<p>Big</p>', sku: '', updatedAt: '', variants: [] },
  )
  assert.deepEqual((await inStore('GET', `/products/${made.slug}`)).json, changed.json)
  assert.ok(await withinASecond(async () => (await shop.get('/v1/products/cafe-mug')).json.price === 500))
  const [updated, created] = await audit(`resource=product&resourceId=${made.id}`)
  assert.deepEqual([updated.action, created.action], ['product.updated', 'product.created'])
  assert.deepEqual(Object.keys(updated.changes).sort(), ['description', 'price', 'sku'])
  assert.deepEqual(updated.changes.price, { before: 449.5, after: 500 })
  await inStore('PATCH', `/products/${made.id}`, { price: 500 })
  assert.equal((await audit(`resourceId=${made.id}`)).length, 2, 'a change without an effect has no entry')
})

test('every field of a product is written, read and cleared', async () => {
  const { shop, inStore, create } = await open()
  const pune = await shop.newOutlet('Pune')
  assert.ok(await withinASecond(async () => (await shop.get('/v1/store')).json.outlets.length === 2))
  const fields = {
    ...{ name: 'Tea', slug: 'green-tea', description: 'Green.', vendor: 'Kavya', status: 'DRAFT', tags: ['a', 'b'] },
    ...{
      seo: { title: 'T', description: 'D' },
      taxRate: 5.5,
      price: 10,
      compareAtPrice: 12,
      sku: 'T1',
      barcode: '978',
    },
    ...{ weightGrams: 12.5, prices: { [pune]: 9 }, images: ['https://a.example/1.jpg'] },
  }
  const made = await create({ ...fields, download: { url: 'https://a.example/tea.pdf' } })
  for (const [name, value] of Object.entries(fields)) assert.deepEqual(made[name], value, name)
  assert.deepEqual([made.digital, made.download], [true, { url: 'https://a.example/tea.pdf' }])
  const cleared = ['description', 'vendor', 'taxRate', 'compareAtPrice', 'sku', 'barcode', 'weightGrams', 'prices']
  const change = Object.fromEntries([...cleared, 'download', 'category'].map((name) => [name, null]))
  const { json } = await inStore('PATCH', `/products/${made.id}`, { ...change, seo: { title: 'New' }, tags: [] })
  assert.deepEqual(
    cleared.map((name) => json[name]),
    ['', '', 0, null, '', '', null, {}],
  )
  assert.deepEqual([json.download, json.seo, json.tags], [null, { title: 'New', description: 'D' }, []])
})

test('bad input is refused with a clear error and changes nothing', async () => {
  const { inStore, create } = await open()
  const made = await create(shirt)
  const bad: object[] = [
    ...[{ price: 5 }, { name: '' }, { status: 'GONE' }, { taxRate: 101 }, { images: ['javascript:alert(1)'] }],
    ...[{ prices: { outlet_none: 5 } }, { categoryId: 'cat_none' }, { slug: 'A B' }, { download: {} }],
    ...[{ taxRate: 1.23456 }, { name: 'a\0b' }],
  ]
  for (const body of bad) assertError(await inStore('PATCH', `/products/${made.id}`, body), 400, 'BAD_REQUEST')
  const small = `/products/${made.id}/variants/${made.variants[0].id}`
  for (const body of [{ price: 1.001 }, { price: -1 }, { options: { Colour: 'Red' } }, { options: { Size: 'M' } }]) {
    assertError(await inStore('PATCH', small, body), 400, 'BAD_REQUEST')
  }
  for (const body of [
    { name: 'No price' },
    { price: 5 },
    { name: '!', price: 1, variants: [{ price: 1 }, { price: 2 }] },
  ])
    assertError(await inStore('POST', '/products', body), 400, 'BAD_REQUEST')
  assertError(await inStore('POST', '/products', { ...shirt, slug: 'shirt' }), 409, 'CONFLICT')
  assertError(await inStore('GET', '/products/none'), 404, 'NOT_FOUND')
  assertError(await inStore('PATCH', `/products/${made.id}/variants/none`, { price: 1 }), 404, 'NOT_FOUND')
  assert.deepEqual((await inStore('GET', `/products/${made.id}`)).json, made)
})

test('of two changes with the same ETag one is refused; changes without one are all kept', async () => {
  const { inStore, create } = await open()
  const made = await create({ name: 'Mug', price: 1, stock: 5 })
  const path = `/products/${made.id}`
  const etag = etagOf(await inStore('GET', path))
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, i) =>
      inStore('PATCH', path, { name: `Mug ${i}`, vendor: `V${i}` }, { 'if-match': etag }),
    ),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412, 412, 412, 412])
  const { json } = await inStore('GET', path)
  assert.equal(json.name.replace('Mug ', ''), json.vendor.replace('V', ''))
  const fields = [{ name: 'A' }, { vendor: 'B' }, { description: 'C' }, { price: 4 }, { tags: ['D'] }, { barcode: 'E' }]
  for (const { status } of await Promise.all(fields.map((body) => inStore('PATCH', path, body))))
    assert.equal(status, 200)
  const { name, vendor, description, price, tags, barcode } = (await inStore('GET', path)).json
  assert.deepEqual([name, vendor, description, price, tags, barcode], ['A', 'B', 'C', 4, ['D'], 'E'])
})

test('a sale does not change the ETag of a product, and a change of a variant does', async () => {
  const { shop, inStore, create } = await open()
  const made = await create(shirt)
  const etag = etagOf(await inStore('GET', `/products/${made.id}`))
  const { id } = await shop.load()
  await service.db.run`update stock set on_hand = on_hand - 1 where store_id = ${id}`
  assert.equal(etagOf(await inStore('GET', `/products/${made.id}`)), etag)
  const variant = `/products/${made.id}/variants/${made.variants[0].id}`
  const own = etagOf(await inStore('GET', variant))
  const both = await Promise.all(
    [{ price: 1 }, { barcode: 'x' }].map((body) => inStore('PATCH', variant, body, { 'if-match': own })),
  )
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 412])
  assertError(
    await inStore('PATCH', `/products/${made.id}`, { name: 'X' }, { 'if-match': etag }),
    412,
    'PRECONDITION_FAILED',
  )
})

test('a repeated create with the same key makes one product, also in parallel', async () => {
  const { inStore } = await open()
  const headers = { 'idempotency-key': 'once' }
  const answers = await Promise.all(Array.from({ length: 5 }, () => inStore('POST', '/products', shirt, headers)))
  for (const answer of answers) assert.equal(answer.status, 201, answer.text)
  assert.equal(new Set(answers.map(({ json }) => json.id)).size, 1)
  assertError(await inStore('POST', '/products', { ...shirt, name: 'Other' }, headers), 409, 'CONFLICT')
  const without = await Promise.all(Array.from({ length: 4 }, () => inStore('POST', '/products', shirt)))
  assert.deepEqual(without.map(({ json }) => json.slug).sort(), ['shirt-2', 'shirt-3', 'shirt-4', 'shirt-5'])
  const id = answers[0]?.json.id
  const variant = { options: { Size: 'L' }, price: 5 }
  const made = await Promise.all([1, 2, 3].map(() => inStore('POST', `/products/${id}/variants`, variant, headers)))
  assert.deepEqual(new Set(made.map(({ json }) => json.id)).size, 1)
  assert.equal((await inStore('GET', `/products/${id}/variants`)).json.data.length, 3)
})

test('a variant is added, changed, switched off and on; what is off cannot be bought', async () => {
  const { shop, inStore, audit, create } = await open()
  const made = await create(shirt)
  const guest = await newGuest(service, shop)
  const variants = `/products/${made.id}/variants`
  const large = await inStore('POST', variants, { options: { Size: 'L' }, price: 990, stock: 4, sku: 'S-S' })
  assert.equal(large.status, 201, large.text)
  assert.deepEqual([large.json.title, large.json.stock, large.json.active], ['L', 4, true])
  const { id } = large.json
  assertError(await inStore('POST', variants, { options: { Size: 'L' }, price: 1 }), 409, 'CONFLICT')
  const line = { productId: made.id, variantId: id, quantity: 1 }
  assert.equal((await guest.call('POST', '/v1/cart', { body: line })).status, 201)
  const off = await inStore('PATCH', `${variants}/${id}`, { active: false, price: 980 })
  assert.deepEqual([off.json.active, off.json.price], [false, 980])
  const shown = async () => (await shop.get(`/v1/products/${made.id}`)).json
  assert.ok(await withinASecond(async () => (await shown()).variants.length === 2))
  assert.deepEqual((await shown()).options, [{ name: 'Size', values: ['S', 'M'] }])
  assert.equal((await guest.call('POST', '/v1/cart', { body: line })).status, 404)
  const cartId = (await guest.call('GET', '/v1/cart')).headers.get('x-cart-id')
  const { warnings } = (await guest.call('GET', `/v1/cart/${cartId}`)).json
  assert.deepEqual(
    warnings.map(({ code }: { code: string }) => code),
    ['UNAVAILABLE'],
  )
  assert.equal((await inStore('PATCH', `${variants}/${id}`, { barcode: '1' })).json.active, false)
  const on = await inStore('PATCH', `${variants}/${id}`, { active: true })
  assert.deepEqual([on.json.active, on.json.stock, on.json.price], [true, 4, 980])
  assert.ok(await withinASecond(async () => (await shown()).variants.length === 3))
  const actions = (await audit(`resource=variant&resourceId=${id}`)).map(({ action }: { action: string }) => action)
  assert.deepEqual(actions, ['variant.updated', 'variant.updated', 'variant.updated', 'variant.created'])
})

test('the last variant stays on, in parallel too, and options of one that is off are free', async () => {
  const { inStore, create } = await open()
  const made = await create(shirt)
  const variants = `/products/${made.id}/variants`
  const [small, medium] = made.variants
  const answers = await Promise.all(
    [small, medium].map(({ id }: { id: string }) => inStore('PATCH', `${variants}/${id}`, { active: false })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
  const off = answers.find(({ status }) => status === 200)?.json
  const again = await inStore('POST', variants, { options: off.options, price: 1 })
  assert.equal(again.status, 201, again.text)
  assert.equal((await inStore('PATCH', `${variants}/${off.id}`, { price: 7 })).json.price, 7)
  assertError(await inStore('PATCH', `${variants}/${off.id}`, { active: true }), 400, 'BAD_REQUEST')
  const half = [
    { options: { Size: 'S' }, price: 1 },
    { options: { Size: 'M' }, price: 2, active: false, stock: 3 },
  ]
  const [on, hidden] = (await create({ name: 'Half', variants: half })).variants
  assert.deepEqual([on.active, hidden.active, hidden.stock], [true, false, 3])
  assertError(await inStore('POST', '/products', { name: 'None', variants: [half[1]] }), 400, 'BAD_REQUEST')
  const simple = await create({ name: 'Mug', price: 5 })
  const only = `/products/${simple.id}/variants/${simple.variants[0].id}`
  assertError(await inStore('PATCH', only, { active: false }), 400, 'BAD_REQUEST')
  assert.equal((await inStore('PATCH', only, { price: 6, stockTracked: false })).json.stock, 999)
  const product = (await inStore('GET', `/products/${simple.id}`)).json
  assert.deepEqual([product.price, product.hasVariants, product.stockTracked], [6, false, false])
  assert.equal((await inStore('PATCH', only, { stockTracked: true })).json.stock, 0)
  const first = await inStore('POST', `/products/${simple.id}/variants`, { options: { Colour: 'Red' }, price: 8 })
  assert.equal(first.status, 201)
  const grown = (await inStore('GET', `/products/${simple.id}`)).json
  assert.deepEqual([grown.hasVariants, grown.price], [true, 8])
  assert.deepEqual(grown.variants.map(({ active }: { active: boolean }) => active).sort(), [false, true])
  assert.equal((await inStore('PATCH', only, { price: 9 })).json.active, false)
  assert.equal((await inStore('GET', `/products/${simple.id}`)).json.price, 8)
})

test('a product is archived, brought back and copied', async () => {
  const { shop, inStore, audit, create } = await open()
  const made = await create(shirt)
  assert.ok(await withinASecond(async () => (await shop.get('/v1/products')).json.length === 1))
  assert.equal((await inStore('DELETE', `/products/${made.id}`)).status, 204)
  assert.ok(await withinASecond(async () => (await shop.get('/v1/products')).json.length === 0))
  assert.equal((await inStore('DELETE', `/products/${made.id}`)).status, 204)
  assert.equal((await inStore('GET', `/products/${made.id}`)).json.status, 'ARCHIVED')
  const copied = await inStore('POST', `/products/${made.id}/duplicate`)
  assert.equal(copied.status, 201, copied.text)
  const { name, slug, status, category, tags, taxRate, stock, options } = copied.json
  assert.deepEqual(
    [name, slug, status, category, tags, taxRate],
    ['Shirt (copy)', 'shirt-copy', 'DRAFT', 'Shirts', ['new'], 12],
  )
  assert.deepEqual([stock, options], [0, made.options])
  const prices = ({ variants }: { variants: { price: number; sku: string }[] }) => variants.map((v) => v.price)
  assert.deepEqual(prices(copied.json), prices(made))
  assert.deepEqual(
    copied.json.variants.map(({ sku }: { sku: string }) => sku),
    ['', ''],
  )
  const named = await inStore('POST', `/products/${made.id}/duplicate`, { name: 'Blouse', status: 'ACTIVE' })
  assert.deepEqual([named.json.slug, named.json.status], ['blouse', 'ACTIVE'])
  await inStore('PATCH', `/products/${made.id}`, { status: 'ACTIVE', slug: 'fine-shirt' })
  assert.ok(await withinASecond(async () => (await shop.get('/v1/products/fine-shirt')).status === 200))
  assertError(await inStore('PATCH', `/products/${made.id}`, { slug: 'blouse' }), 409, 'CONFLICT')
  const actions = (await audit(`resourceId=${made.id}`)).map(({ action }: { action: string }) => action)
  assert.deepEqual(actions, ['product.updated', 'product.archived', 'product.created'])
})

test('the list has products of every status, with filters, orders, pages, a total and CSV', async () => {
  const { inStore, create } = await open()
  await create({ name: 'Apple', price: 3, sku: 'FRUIT-1', category: 'Food > Fruit', stock: 1 })
  await create({ name: 'Banana', price: 2, status: 'DRAFT', category: 'Food > Fruit', tags: ['yellow'] })
  await create({ name: 'Carrot', price: 1, status: 'ARCHIVED', category: 'Food' })
  await create({ name: '=cmd', price: 4, vendor: 'Orchard' })
  const names = async (query: string) => {
    const answer = await inStore('GET', `/products?${query}`)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.json.total, answer.json.data.length, query)
    return answer.json.data.map(({ name }: { name: string }) => name)
  }
  assert.deepEqual(await names('sort=name'), ['=cmd', 'Apple', 'Banana', 'Carrot'])
  assert.deepEqual(await names('sort=-name'), ['Carrot', 'Banana', 'Apple', '=cmd'])
  assert.deepEqual(await names('sort=oldest'), ['Apple', 'Banana', 'Carrot', '=cmd'])
  assert.deepEqual(await names(''), ['=cmd', 'Carrot', 'Banana', 'Apple'])
  assert.deepEqual(await names('status=DRAFT'), ['Banana'])
  assert.deepEqual(await names('category=food&sort=name'), ['Apple', 'Banana', 'Carrot'])
  assert.deepEqual(await names('category=fruit&status=ACTIVE'), ['Apple'])
  assert.deepEqual(await names('category=none'), [])
  const found: Record<string, string[]> = {
    ...{ ban: ['Banana'], 'fruit-1': ['Apple'], fruit: ['Banana', 'Apple'], yellow: ['Banana'], carrots: ['Carrot'] },
    ...{ orchard: ['=cmd'], nothing: [], '!!!': [], food: ['Carrot', 'Banana', 'Apple'] },
  }
  for (const [q, expected] of Object.entries(found)) assert.deepEqual(await names(`q=${q}`), expected, q)
  assert.deepEqual(await names('q=food&status=ARCHIVED'), ['Carrot'])
  assert.deepEqual(await names('q=food&category=fruit&sort=name'), ['Apple', 'Banana'])
  for (const sort of ['newest', 'oldest', 'name', '-name']) {
    for (const filter of ['', '&q=food', '&category=food']) {
      const all = await names(`sort=${sort}${filter}`)
      const paged: string[] = []
      for (let cursor = ''; ; ) {
        const { json } = await inStore('GET', `/products?limit=1&sort=${sort}${filter}${cursor}`)
        paged.push(...json.data.map(({ name }: { name: string }) => name))
        if (!json.hasMore) break
        cursor = `&cursor=${json.nextCursor}`
      }
      assert.deepEqual(paged, all, `${sort} ${filter}`)
    }
  }
  const csv = await inStore('GET', '/products?format=csv&category=food&sort=name')
  const lines = csv.text.trim().split('\r\n')
  assert.match(lines[0] ?? '', /^id,name,slug,sku,status,/)
  assert.deepEqual(
    lines.slice(1).map((line) => line.split(',')[1]),
    ['Apple', 'Banana', 'Carrot'],
  )
  assert.match((await inStore('GET', '/products?format=csv')).text, /,'=cmd,/)
})

test('one store never sees or changes a product of another', async () => {
  const { create } = await open()
  const made = await create(shirt)
  const other = await open()
  for (const [method, path, body] of [
    ['GET', `/products/${made.id}`],
    ['PATCH', `/products/${made.id}`, { name: 'Mine' }],
    ['DELETE', `/products/${made.id}`],
    ['POST', `/products/${made.id}/duplicate`, {}],
    ['GET', `/products/${made.id}/variants`],
    ['PATCH', `/products/${made.id}/variants/${made.variants[0].id}`, { price: 1 }],
  ] as const)
    assertError(await other.inStore(method, path, body), 404, 'NOT_FOUND')
  assert.equal((await other.inStore('GET', '/products?q=shirt')).json.total, 0)
})

test('roles that only read the catalog change nothing', async () => {
  const { shop, create } = await open()
  const made = await create(shirt)
  const viewer = await newStaff(service, shop, 'viewer')
  assert.equal((await viewer.inStore('GET', '/products')).json.total, 1)
  assertError(await viewer.inStore('PATCH', `/products/${made.id}`, { bad: true }), 403, 'FORBIDDEN')
})

test('the ledger of stock names who created the first units of a product or variant', async () => {
  const { inStore, create } = await open()
  const made = await create({ name: 'Cup', price: 1, stock: 4 })
  const check = async (id: string, units: number) => {
    const [move, ...more] = (await inStore('GET', `/stock/moves?variantId=${id}`)).json.data
    assert.deepEqual([move.cause, move.onHandChange, more.length], ['adjustment', units, 0])
    assert.equal(move.author.kind, 'token')
  }
  await check(made.variants[0].id, 4)
  const added = { options: { Size: 'L' }, price: 1, stock: 2 }
  await check((await inStore('POST', `/products/${made.id}/variants`, added)).json.id, 2)
})

test('a description that would keep others waiting is refused', async () => {
  const { inStore } = await open()
  const description = '<b>'.repeat(30_000) + '</i>'.repeat(25_000)
  const { status, json } = await inStore('POST', '/products', { name: 'Deep', price: 1, description })
  assert.deepEqual(
    [status, json.error],
    [400, 'The product deep cannot be saved: description has more than 100 tags inside each other.'],
  )
})
