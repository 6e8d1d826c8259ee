import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newStore, startTestService, type TestService } from '../../../../test/harness.ts'
import { importerFor, jsonLines } from './fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const good = { name: 'Good', price: 1 }

test('every fault of a product is reported with its field', async (t) => {
  const { from } = importerFor(t, service, await newStore(service))
  const table: [product: unknown, ...fields: string[]][] = [
    [{ price: 1 }, 'name'],
    [{ name: '', price: 1 }, 'name'],
    [{ name: 'x' }, 'price'],
    [{ name: 'x', price: '1' }, 'price'],
    [{ name: 'x', price: -1 }, 'price'],
    [{ name: 'x', price: 1.005 }, 'price'],
    [{ name: 'x', price: 1e12 }, 'price'],
    [{ name: 'x', price: 1, compareAtPrice: 'much' }, 'compareAtPrice'],
    [{ name: 'x', price: 1, stock: 1.5 }, 'stock'],
    [{ name: 'x', price: 1, stock: { outlet_nowhere: 1 } }, 'stock.outlet_nowhere'],
    [{ name: 'x', price: 1, prices: { outlet_nowhere: 1 } }, 'prices.outlet_nowhere'],
    [{ name: 'x', price: 1, status: 'SOLD' }, 'status'],
    [{ name: 'x', price: 1, images: 'https://a.example' }, 'images'],
    [{ name: 'x', price: 1, images: ['a', 7] }, 'images.1'],
    [{ name: 'x', price: 1, taxRate: 101 }, 'taxRate'],
    [{ name: 'x', price: 1, taxRate: 0.00001 }, 'taxRate'],
    [{ name: 'x', price: 1, description: 'a\u0000b' }, 'description'],
    [{ name: 'x', price: 1, tags: ['fine', 'half \ud800'] }, 'tags.1'],
    [{ name: 'x', price: 1, digital: { name: 'a.pdf' } }, 'digital'],
    [{ name: 'x', price: 1, digital: { url: 'javascript:alert(1)' } }, 'digital.url'],
    [{ name: 'x', price: 1, digital: { url: '/files/a.pdf' } }, 'digital.url'],
    [{ name: '!!!', price: 1 }, 'slug'],
    [{ name: 'x', variants: [] }, 'variants'],
    [{ name: 'x', variants: [{ price: 1 }] }, 'variants.0.options'],
    [
      {
        name: 'x',
        variants: [
          { options: {}, price: 1 },
          { options: {}, price: 2 },
        ],
      },
      'variants',
    ],
    [{ name: 'x', variants: [{ options: { 'Si\u0000ze': 'S' }, price: 1 }] }, 'variants.0.options'],
    [
      { name: 'x', variants: Array.from({ length: 2001 }, (_, n) => ({ options: { N: `${n}` }, price: 1 })) },
      'variants',
    ],
    [{ name: 'x', price: 'a', stock: -1, status: 'b' }, 'price', 'stock', 'status'],
    ['text', 'product'],
    [[], 'product'],
  ]
  for (const [product, ...fields] of table) {
    const { faults, outcome } = await from(jsonLines(good, product as object), { dryRun: true })
    const shown = JSON.stringify(product).slice(0, 100)
    assert.deepEqual(faults.map(({ field }) => field).sort(), fields.sort(), `${shown}: ${JSON.stringify(faults)}`)
    for (const { line, message } of faults) {
      assert.equal(line, 2, shown)
      assert.ok(message.length > 5, shown)
    }
    assert.equal(outcome, 'refused', shown)
  }
})

test('amounts are validated in the currency of the store', async (t) => {
  const yen = importerFor(t, service, await newStore(service, { currency: 'JPY' }))
  const dinar = importerFor(t, service, await newStore(service, { currency: 'KWD' }))
  const product = jsonLines({ name: 'x', price: 1.234 })
  assert.match((await yen.from(product)).faults[0]?.message ?? '', /JPY/)
  assert.equal((await dinar.from(product)).created, 1)
})

test('faults have the line of the file or the number of the element, from 1', async (t) => {
  const { from } = importerFor(t, service, await newStore(service))
  const bad = { name: 'Bad', price: 'much' }
  const table: [content: string, line: number, field: string][] = [
    [JSON.stringify([good, good, bad].slice(1), null, 4), 2, 'price'],
    [`\n\n${jsonLines(good, bad)}`, 4, 'price'],
    ['name,price,description\nGood,1,"two\nlines"\n\nBad,much,x\n', 5, 'price'],
    ['name,price\r\nGood,1\r\nBad,1,2\r\n', 3, 'product'],
    ['name,price,variants\nBad,1,"[{"\n', 2, 'variants'],
    ['{"name": "x", "price": 1\n', 1, 'product'],
    ['price,stock\n1,2\n', 1, 'file'],
    ['name,price,Name\nA,1,B\n', 1, 'file'],
    ['', 1, 'file'],
  ]
  for (const [content, line, field] of table) {
    const { faults } = await from(content, { dryRun: true })
    assert.deepEqual(
      faults.map((fault) => [fault.line, fault.field]),
      [[line, field]],
      `${content}: ${JSON.stringify(faults)}`,
    )
  }
})

test('the fault for a duplicate slug has both lines', async (t) => {
  const { from } = importerFor(t, service, await newStore(service))
  const lines = await from(jsonLines({ name: 'Mug', price: 1 }, good, { name: 'Other', slug: 'mug', price: 2 }))
  assert.deepEqual([lines.faults[0]?.line, lines.faults[0]?.field], [3, 'slug'])
  assert.match(lines.faults[0]?.message ?? '', /line 1/)
  const elements = await from(JSON.stringify([good, { name: 'GOOD', price: 1 }]))
  assert.match(elements.faults[0]?.message ?? '', /element 1/)
})

test('a file that is not UTF-8 is refused, with the line of the invalid bytes', async (t) => {
  const { from } = importerFor(t, service, await newStore(service))
  const latin = Buffer.from('name,price\nMug,1\nCaf\xe9,2\n', 'latin1')
  const spreadsheet = Buffer.from('\uFEFFname,price\nMug,1\n', 'utf16le')
  assert.deepEqual((await from(latin)).faults, [
    { line: 3, field: 'file', message: 'is not UTF-8 text; save the file as UTF-8' },
  ])
  assert.equal((await from(spreadsheet)).outcome, 'refused')
})

test('a character that is split between two reads is decoded correctly', async (t) => {
  const shop = await newStore(service)
  const { from } = importerFor(t, service, shop)
  const long = 'हाथ से बना '.repeat(20_000).trim()
  assert.equal((await from(JSON.stringify([{ ...good, description: long.slice(0, 199_999) }]))).created, 1)
  assert.equal((await shop.get('/v1/products/good')).json.description, long.slice(0, 199_999))
})

test('unknown names are reported and ignored', async (t) => {
  const { from } = importerFor(t, service, await newStore(service))
  assert.deepEqual((await from(jsonLines({ ...good, prise: 2 }))).ignoredFields, ['prise'])
})

test('a column may have the name of something that every object has', async (t) => {
  const { from } = importerFor(t, service, await newStore(service))
  const { created, faults, ignoredFields } = await from('name,price,constructor,toString,__proto__\nMug,5,a,b,c\n')
  assert.deepEqual([created, faults, ignoredFields], [1, [], ['constructor', 'toString']])
})

test('nesting without end is a fault of the product', async (t) => {
  const { from } = importerFor(t, service, await newStore(service))
  const deep = `{"name":"Deep","price":1,"a":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`
  const { outcome, faults } = await from(`${JSON.stringify(good)}\n${deep}\n`)
  assert.deepEqual([outcome, faults.length, faults[0]?.line], ['refused', 1, 2])
  assert.match(faults[0]?.message ?? '', /nested more than 32 levels deep/)
})

test('a product from the API can be imported', async (t) => {
  const shop = await newStore(service)
  await shop.add({ name: 'Mug', price: 5, category: 'Home', stock: 3 })
  const answer = (await shop.get('/v1/products')).text
  const other = await newStore(service)
  assert.equal((await importerFor(t, service, other).from(answer)).created, 1)
  const [mug] = (await other.get('/v1/products')).json
  assert.deepEqual([mug.name, mug.price, mug.category, mug.stock], ['Mug', 5, 'Home', 3])
})

test('all faults are counted, even if not all are listed', async (t) => {
  const { from } = importerFor(t, service, await newStore(service))
  const { faults, faultCount } = await from('{"price":"x"}\n'.repeat(6_000))
  assert.deepEqual([faults.length, faultCount], [10_000, 12_000])
})
