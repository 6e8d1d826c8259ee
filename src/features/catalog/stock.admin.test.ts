import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newProgram, newStaff } from '../../../test/admin-callers.ts'
import {
  assertError,
  databaseUrl,
  newStore,
  startTestService,
  type TestService,
  type TestStore,
  withinASecond,
} from '../../../test/harness.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { channel } from '../../db/announce.ts'
import { listen } from '../../db/listen.ts'
import { commandLine } from '../audit/record.ts'
import { openRefundScene } from '../payments/refund-fixture.ts'
import { adjustStock } from './adjust-stock.ts'
import { openStockShop, skusOf } from './stock-fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
})
after(() => service.close())

const openShop = () => openStockShop(service)

test('stock is listed by variant and outlet, and found by all filters', async () => {
  const { shop, owner, list } = await openShop()
  const mug = (await shop.get('/v1/products/mug')).json
  const { data } = await list('?sku=MUG')
  assert.deepEqual(data, [
    {
      ...{ variantId: mug.variants[0].id, productId: mug.id, outletId: shop.outletId, sku: 'MUG', name: 'Mug' },
      ...{ variant: '', tracked: true, onHand: 20, reserved: 0, available: 20, lowStockThreshold: 5, low: false },
    },
  ])
  const everything = ['BOWL', 'LAMP', 'MUG', 'POSTER', 'SHIRT-M', 'SHIRT-S']
  assert.deepEqual(skusOf(await list()), everything)
  assert.deepEqual(skusOf(await list(`?variantId=${mug.variants[0].id}`)), ['MUG'])
  assert.deepEqual(skusOf(await list(`?productId=${mug.id}`)), ['MUG'])
  assert.deepEqual(skusOf(await list('?q=linen')), ['SHIRT-M', 'SHIRT-S'])
  assert.deepEqual(skusOf(await list('?q=SHIRT-M')), ['SHIRT-M', 'SHIRT-S'])
  assert.deepEqual(skusOf(await list(`?q=${encodeURIComponent('!!')}`)), [])
  assert.deepEqual(skusOf(await list('?stock=out')), ['BOWL', 'POSTER'])
  assert.deepEqual(skusOf(await list('?stock=low')), ['BOWL', 'LAMP', 'POSTER'])
  assert.deepEqual(skusOf(await list('?stock=low&sku=LAMP')), ['LAMP'])
  assert.deepEqual(skusOf(await list('?stock=low&q=lamp')), ['LAMP'])
  const pune = await shop.newOutlet('Pune')
  assert.deepEqual(
    (await list('?sku=MUG')).data.map(({ outletId, available, low }) => [outletId, available, low]),
    [
      [shop.outletId, 20, false],
      [pune, 0, false],
    ],
  )
  // The new outlet is announced to the service.
  await withinASecond(async () => (await owner.inStore('GET', `/stock?outletId=${pune}`)).status === 200)
  assert.deepEqual(skusOf(await list(`?outletId=${pune}`)), everything)
  assert.deepEqual(skusOf(await list(`?outletId=${pune}&stock=out`)), [])
})

test('an archived product and a variant that is switched off are not listed, an untracked one is never low', async () => {
  const { shop, list } = await openShop()
  const store = await shop.load()
  await shop.add({ name: 'Bowl', price: 10, stock: 0, sku: 'BOWL', status: 'ARCHIVED' })
  await service.db.run`update variant set active = false where store_id = ${store.id} and sku = 'POSTER'`
  await service.db.tx((tx) =>
    adjustStock(tx, store, commandLine, { product: 'lamp', variantId: null, outletId: null, quantity: null }),
  )
  assert.deepEqual(skusOf(await list()), ['LAMP', 'MUG', 'SHIRT-M', 'SHIRT-S'])
  assert.deepEqual(skusOf(await list('?stock=low')), [])
})

test('the list is paged with a total, and its CSV takes the same filters', async () => {
  const { shop, owner } = await openShop()
  await shop.newOutlet('Pune')
  for (const [filter, count] of [
    ['', 12],
    ['&stock=low', 3],
  ] as const) {
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const { json } = await owner.inStore('GET', `/stock?limit=2${filter}${cursor}`)
      assert.deepEqual([json.total, json.totalIsExact], [count, true])
      seen.push(
        ...json.data.map(({ variantId, outletId }: { variantId: string; outletId: string }) => variantId + outletId),
      )
      if (!json.hasMore) break
      cursor = `&cursor=${json.nextCursor}`
    }
    assert.deepEqual([seen.length, new Set(seen).size], [count, count])
  }
  const csv = await owner.inStore('GET', '/stock?format=csv&stock=low')
  const [header, ...lines] = csv.text.trimEnd().split('\r\n')
  assert.equal(
    header,
    'variantId,productId,outletId,sku,name,variant,tracked,onHand,reserved,available,lowStockThreshold,low',
  )
  assert.deepEqual(lines.map((line) => line.split(',')[3]).sort(), ['BOWL', 'LAMP', 'POSTER'])
  const first = await owner.inStore('GET', '/stock?limit=2')
  assertError(await owner.inStore('GET', `/stock?stock=out&cursor=${first.json.nextCursor}`), 400, 'BAD_REQUEST')
})

test('units are set and added, with an entry in the ledger and in the audit log', async () => {
  const { shop, owner, adjust, moves } = await openShop()
  const { id: variantId } = (await shop.get('/v1/products/mug')).json.variants[0]
  const first = await adjust({ sku: 'MUG', delta: -2, reason: 'Two broken in the shop' })
  assert.deepEqual(
    [first.status, first.json],
    [200, { variantId, outletId: shop.outletId, onHand: 18, reserved: 0, available: 18 }],
    first.text,
  )
  const store = await shop.load()
  await service.db.run`update stock set reserved = 4 where store_id = ${store.id} and variant_id = ${variantId}`
  assert.deepEqual((await adjust({ variantId, outletId: shop.outletId, set: 30 })).json, {
    ...{ variantId, outletId: shop.outletId, onHand: 34, reserved: 4, available: 30 },
  })
  const { data, total } = await moves(`?variantId=${variantId}`)
  assert.equal(total, 3)
  assert.deepEqual(
    data.map(({ cause, onHandChange, onHand, reason }) => [cause, onHandChange, onHand, reason]),
    [
      ['adjustment', 16, 34, 'Counted'],
      ['adjustment', -2, 18, 'Two broken in the shop'],
      ['import', 20, 20, null],
    ],
  )
  assert.deepEqual(data[0]?.author, { kind: 'staff', id: owner.id, name: 'Meera' })
  const [last, earlier] = (await owner.inStore('GET', '/audit?action=stock.adjusted')).json.data
  assert.deepEqual([last.actorId, last.resourceId], [owner.id, variantId])
  assert.deepEqual(last.changes[`available at ${shop.outletId}`], { before: 14, after: 30 })
  assert.deepEqual(earlier.changes.reason, { before: null, after: 'Two broken in the shop' })
})

test('a change that changes nothing leaves no entry', async () => {
  const { owner, adjust, moves } = await openShop()
  for (const body of [
    { sku: 'MUG', set: 20 },
    { sku: 'MUG', delta: 0 },
    { sku: 'MUG', onHand: 20 },
  ]) {
    assert.equal((await adjust(body)).json.available, 20)
  }
  assert.equal((await moves('?sku=MUG')).total, 1)
  assert.equal((await owner.inStore('GET', '/audit?resource=stock')).json.total, 0)
})

test('units that are not available cannot be taken away', async () => {
  const { shop, adjust, moves } = await openShop()
  const store = await shop.load()
  await service.db.run`update stock set reserved = 4 where store_id = ${store.id} and on_hand = 20`
  const refused = await adjust({ sku: 'MUG', delta: -17 })
  assertError(refused, 409, 'INSUFFICIENT_STOCK')
  assert.match(refused.json.error, /only 16 available/)
  assertError(await adjust({ sku: 'MUG', delta: 1_000_000_000 }), 409, 'CONFLICT')
  assert.equal((await moves('?sku=MUG')).total, 1)
  assert.equal((await adjust({ sku: 'MUG', delta: -16 })).json.available, 0)
})

test('counted units include those that unpaid orders hold, also while orders are placed and paid', async () => {
  const { shop, order, findings } = await openRefundScene(service, { prices: { Mug: 100 } })
  const owner = await newStaff(service, shop)
  const { id: variantId } = (await shop.get('/v1/products/mug')).json.variants[0]
  const count = async (onHand: number) => {
    const { status, json, text } = await owner.inStore('POST', '/stock/adjust', {
      variantId,
      onHand,
      reason: 'Counted',
    })
    assert.equal(status, 200, text)
    return json
  }
  await order({ mug: 2 }, { isPaid: false })
  assert.deepEqual(await count(15), { variantId, outletId: shop.outletId, onHand: 15, reserved: 2, available: 13 })
  const tooFew = await owner.inStore('POST', '/stock/adjust', { variantId, onHand: 1, reason: 'Counted' })
  assertError(tooFew, 409, 'INSUFFICIENT_STOCK')
  const hold = () => order({ mug: 1 }, { isPaid: false })
  await Promise.all([hold(), count(30), hold(), count(30), hold(), count(30)])
  assert.deepEqual(await count(30), { variantId, outletId: shop.outletId, onHand: 30, reserved: 5, available: 25 })
  // Units of paid orders are sold, before or after the count.
  await Promise.all([order({ mug: 1 }), order({ mug: 1 }), count(40), order({ mug: 1 }), order({ mug: 1 })])
  const { onHand, reserved, available } = (await owner.inStore('GET', '/stock')).json.data[0]
  assert.ok(onHand >= 36 && onHand <= 40, String(onHand))
  assert.deepEqual([reserved, available], [5, onHand - 5])
  assert.deepEqual(await findings({ isMoved: true }), [])
})

test('wrong input is refused with a reason, and changes nothing', async () => {
  const { shop, owner, adjust, list } = await openShop()
  await shop.add({ name: 'Copy', price: 1, stock: 1, sku: 'MUG' })
  for (const body of [
    { delta: 1 },
    { sku: 'LAMP', variantId: 'var_1', delta: 1 },
    { sku: 'LAMP' },
    { sku: 'LAMP', delta: 1, set: 1 },
    { sku: 'LAMP', set: 1, onHand: 1 },
    { sku: 'LAMP', onHand: -1 },
    { sku: 'LAMP', set: -1 },
    { sku: 'LAMP', delta: 1.5 },
    { sku: 'LAMP', delta: 1, reason: '' },
    { sku: 'LAMP', delta: 1, reason: undefined },
    { sku: 'MUG', delta: 1 },
  ]) {
    assertError(await adjust(body), 400, 'BAD_REQUEST')
  }
  assertError(await adjust({ sku: 'NONE', delta: 1 }), 404, 'NOT_FOUND')
  assertError(await adjust({ sku: 'LAMP', outletId: 'outlet_none', delta: 1 }), 404, 'NOT_FOUND')
  assertError(await owner.inStore('GET', '/stock/moves'), 400, 'BAD_REQUEST')
  assertError(await owner.inStore('GET', '/stock/moves?variantId=var_none'), 404, 'NOT_FOUND')
  assertError(await owner.inStore('GET', '/stock?outletId=outlet_none'), 404, 'NOT_FOUND')
  const other = await newStore(service)
  const theirs = { variantId: (await shop.get('/v1/products/lamp')).json.variants[0].id, delta: 1, reason: 'No' }
  assertError(await (await newStaff(service, other)).inStore('POST', '/stock/adjust', theirs), 404, 'NOT_FOUND')
  assert.equal((await list('?sku=LAMP')).data[0]?.available, 3)
})

test('an untracked variant is counted again once its units are counted', async () => {
  const { adjust } = await openShop()
  assert.deepEqual((await adjust({ sku: 'POSTER', onHand: 6 })).json.available, 6)
})

test('an untracked variant is counted again once its units are set', async () => {
  const { shop, adjust } = await openShop()
  const store = await shop.load()
  await service.db.tx((tx) =>
    adjustStock(tx, store, commandLine, { product: 'mug', variantId: null, outletId: null, quantity: null }),
  )
  assertError(await adjust({ sku: 'MUG', delta: 1 }), 409, 'CONFLICT')
  assert.equal((await adjust({ sku: 'MUG', set: 7 })).json.available, 7)
  assert.equal((await adjust({ sku: 'MUG', delta: 1 })).json.available, 8)
})

test('a repeated Idempotency-Key adds once, also at the same time', async () => {
  const { adjust, moves } = await openShop()
  const key = { 'idempotency-key': 'delivery-1' }
  const answers = await Promise.all(Array.from({ length: 8 }, () => adjust({ sku: 'MUG', delta: 5 }, key)))
  assert.deepEqual(
    answers.map(({ status, json }) => [status, json.available]),
    answers.map(() => [200, 25]),
  )
  assert.equal((await moves('?sku=MUG&cause=adjustment')).total, 1)
  assertError(await adjust({ sku: 'MUG', delta: 6 }, key), 409, 'CONFLICT')
})

test('the ledger is filtered by outlet, cause and time, and paged', async () => {
  const { shop, owner, adjust, moves } = await openShop()
  const pune = await shop.newOutlet('Pune')
  for (let n = 1; n <= 5; n++) await adjust({ sku: 'MUG', outletId: pune, delta: n })
  await adjust({ sku: 'MUG', delta: 1 })
  assert.equal((await moves(`?sku=MUG&outletId=${pune}`)).total, 5)
  assert.equal((await moves('?sku=MUG&cause=adjustment')).total, 6)
  assert.equal((await moves('?sku=MUG&cause=import')).total, 1)
  assert.equal((await moves('?sku=MUG&from=2020-01-01&to=2020-01-31')).total, 0)
  assert.equal((await moves('?sku=MUG&from=2020-01-01')).total, 7)
  const seen: number[] = []
  for (let cursor = ''; ; ) {
    const { json } = await owner.inStore('GET', `/stock/moves?sku=MUG&limit=3${cursor}`)
    seen.push(...json.data.map(({ id }: { id: number }) => id))
    if (!json.hasMore) break
    cursor = `&cursor=${json.nextCursor}`
  }
  assert.deepEqual(
    seen,
    [...seen].sort((a, b) => b - a),
  )
  assert.equal(new Set(seen).size, 7)
})

test('the shop shows a change within a second, and answers of other stores stay cached', async () => {
  const { shop, adjust } = await openShop()
  const other = await newStore(service)
  await other.add({ name: 'Mug', price: 10, stock: 20 })
  const stockAt = async (at: TestStore) => (await at.get('/v1/products/mug')).json.stock
  assert.deepEqual([await stockAt(shop), await stockAt(other)], [20, 20])
  const dropped = await recordDropped([shop, other], () => adjust({ sku: 'MUG', set: 0 }))
  assert.ok(await withinASecond(async () => (await stockAt(shop)) === 0))
  assert.deepEqual(dropped, [`catalog ${(await shop.load()).id}`])
  assert.deepEqual(
    (await shop.get('/v1/products?inStock=true&limit=100')).json.some(({ slug }: { slug: string }) => slug === 'mug'),
    false,
  )
  await adjust({ sku: 'MUG', delta: 4 })
  assert.ok(await withinASecond(async () => (await stockAt(shop)) === 4))
})

/** What is announced about these stores meanwhile: their cached answers are dropped. */
const recordDropped = async (shops: TestStore[], work: () => Promise<unknown>): Promise<string[]> => {
  const ids = await Promise.all(shops.map(async (shop) => (await shop.load()).id))
  const heard: string[] = []
  const listener = await listen({
    connection: { connectionString: databaseUrl },
    channel,
    onMessage: (payload) => void (ids.some((id) => payload.endsWith(` ${id}`)) && heard.push(payload)),
    onLost: () => {},
    onReconnect: () => {},
  })
  await work()
  await withinASecond(async () => heard.length > 0)
  await listener.close()
  return heard
}

test('fulfilment may adjust, a viewer may only look', async () => {
  const { shop } = await openShop()
  const body = { sku: 'MUG', delta: 1, reason: 'Delivery' }
  const packer = await newStaff(service, shop, 'fulfilment')
  assert.equal((await packer.inStore('POST', '/stock/adjust', body)).status, 200)
  const viewer = await newStaff(service, shop, 'viewer')
  assertError(await viewer.inStore('POST', '/stock/adjust', body), 403, 'FORBIDDEN')
  assert.equal((await viewer.inStore('GET', '/stock')).status, 200)
  const till = await newProgram(service, shop, { permissions: ['stock:write'] })
  assert.equal((await till.inStore('POST', '/stock/adjust', body)).json.available, 22)
  assertError(await till.inStore('GET', '/stock/moves?sku=MUG'), 403, 'FORBIDDEN')
})
