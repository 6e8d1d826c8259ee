import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newProgram } from '../../../test/admin-callers.ts'
import { assertError, newStore } from '../../../test/harness.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { newRunner, serviceAlone } from '../../jobs/fixture.ts'
import { changePrice } from './bulk-change.ts'

const open = async (t: TestContext) => {
  const { service } = await serviceAlone(t, { passwords: cheapPasswords })
  const shop = await newStore(service)
  const { inStore } = await newProgram(service, shop)
  const idsOf = async (query = 'sort=oldest&limit=100'): Promise<string[]> =>
    (await inStore('GET', `/products?${query}`)).json.data.map(({ id }: { id: string }) => id)
  const bulk = async (body: object) => {
    const queued = await inStore('POST', '/products/bulk', body)
    assert.equal(queued.status, 201, queued.text)
    return queued.json
  }
  const jobOf = async (id: string) => (await inStore('GET', `/jobs/${id}`)).json
  const pricesNow = async () =>
    (await inStore('GET', '/products?sort=oldest&limit=100')).json.data.map(({ price }: { price: number }) => price)
  return { service, shop, inStore, idsOf, bulk, jobOf, pricesNow, runDue: newRunner(service).runDue }
}

const things = (count: number, price = 10) =>
  Array.from({ length: count }, (_, i) => ({ name: `Thing ${String(i).padStart(3, '0')}`, price }))

test('a percentage is rounded half up to the minor unit, and no price is below zero', () => {
  const percent = (minor: number, milliPercent: number) => changePrice(minor, { milliPercent })
  assert.deepEqual([percent(5, 10_000), percent(15, 10_000), percent(14, 10_000)], [6, 17, 15])
  assert.deepEqual([percent(5, -10_000), percent(15, -50_000), percent(333, -33_333)], [5, 8, 222])
  assert.deepEqual([percent(999, -100_000), percent(0, 50_000), percent(999_999_999_999, 0)], [0, 0, 999_999_999_999])
  assert.equal(percent(999_999_999_999, 1), 1_000_009_999_999)
  assert.deepEqual([changePrice(5, { amountMinor: -6 }), changePrice(5, { amountMinor: 6 })], [0, 11])
})

test('prices, status, category and tags of many products change, and each change is in the audit log', async (t) => {
  const { shop, inStore, idsOf, bulk, jobOf, pricesNow, runDue } = await open(t)
  const pune = await shop.newOutlet('Pune')
  const sizes = ['S', 'M'].map((size, i) => ({ options: { Size: size }, price: 100 + i, prices: { [pune]: 50 } }))
  await shop.add(...things(60), { name: 'Shirt', tags: ['old', 'kept'], variants: sizes })
  await inStore('POST', '/categories', { name: 'Sale' })
  const ids = await idsOf()
  const queued = await bulk({
    ...{ ids: [...ids, 'prod_none'] },
    change: { price: { percent: -10 }, status: 'DRAFT', category: 'sale', tags: { add: ['sale'], remove: ['old'] } },
  })
  assert.deepEqual([queued.type, queued.status, queued.done, queued.total], ['products.bulk', 'queued', 0, 62])
  await runDue()
  const job = await jobOf(queued.id)
  assert.deepEqual([job.status, job.done, job.result], ['done', 62, { updated: 61, unchanged: 0, faulty: 1 }])
  assert.deepEqual(job.faults, [{ line: 62, field: 'id', message: 'is not a product of this store', id: 'prod_none' }])
  assert.deepEqual(new Set(await pricesNow()), new Set([9, 90]))
  const shirt = (await inStore('GET', '/products/shirt')).json
  assert.deepEqual([shirt.status, shirt.category, shirt.tags], ['DRAFT', 'Sale', ['kept', 'sale']])
  assert.deepEqual(
    shirt.variants.map(({ price, prices }: { price: number; prices: object }) => [price, prices]),
    [
      [90, { [pune]: 45 }],
      [90.9, { [pune]: 45 }],
    ],
  )
  const { total, data } = (await inStore('GET', '/audit?action=product.updated')).json
  assert.equal(total, 61)
  assert.deepEqual(data[0].changes.status, { before: 'ACTIVE', after: 'DRAFT' })
  const again = await bulk({ filter: { category: 'sale' }, change: { status: 'DRAFT' } })
  await runDue()
  assert.deepEqual((await jobOf(again.id)).result, { updated: 0, unchanged: 61, faulty: 0 })
})

test('a filter changes all products that match, each once, also when the change takes them out of the filter', async (t) => {
  const { service, shop, inStore, bulk, jobOf, runDue } = await open(t)
  await shop.add(...things(620).map((thing, i) => ({ ...thing, ...(i % 3 === 0 ? { status: 'DRAFT' as const } : {}) })))
  await shop.add({ name: 'Gold thing', price: 9_000_000_000 })
  const wanted = { filter: { q: 'thing', status: 'ACTIVE' }, change: { status: 'ARCHIVED', price: { percent: 900 } } }
  const queued = await bulk(wanted)
  assert.equal(queued.total, 414)
  await Promise.all([runDue(), newRunner(service).runDue()])
  const job = await jobOf(queued.id)
  assert.deepEqual([job.status, job.done, job.total, job.percent], ['done', 414, 414, 100])
  assert.deepEqual(job.result, { updated: 413, unchanged: 0, faulty: 1 })
  assert.deepEqual([job.faults.length, job.faults[0].field], [1, 'price'])
  const rows = await service.db.many<{ status: string; price: number; n: number }>`
    select p.status, v.price_minor::integer as price, count(*)::integer as n
    from product p join variant v on v.store_id = p.store_id and v.product_id = p.id where p.name <> 'Gold thing'
    group by 1, 2 order by 1`
  assert.deepEqual(rows, [
    { status: 'ARCHIVED', price: 10_000, n: 413 },
    { status: 'DRAFT', price: 1000, n: 207 },
  ])
  assert.equal((await inStore('GET', '/audit?action=product.updated')).json.total, 413)
  const none = await bulk({ filter: { category: 'nowhere' }, change: { status: 'DRAFT' } })
  await runDue()
  const { status, result, total } = await jobOf(none.id)
  assert.deepEqual([status, total, result], ['done', 0, { updated: 0, unchanged: 0, faulty: 0 }])
})

test('a job that several instances run, and that a crash interrupts, changes each product once', async (t) => {
  const { service, shop, idsOf, bulk, jobOf, pricesNow } = await open(t)
  await shop.add(...things(90))
  const { id } = await bulk({ ids: await idsOf(), change: { price: { amount: 1 } } })
  // A step that fails after it has written: its transaction is undone, and the job goes on later.
  let failures = 0
  const stop = service.db.onStatement((text) => {
    if (/update merchant_job set done/.test(text) && failures++ === 1) throw new Error('the instance dies here')
  })
  await newRunner(service).runDue()
  stop()
  const interrupted = await jobOf(id)
  assert.deepEqual([interrupted.status, interrupted.done], ['running', 25])
  assert.deepEqual((await pricesNow()).filter((price: number) => price === 11).length, 25)
  await service.clock.advance(120_000)
  await Promise.all([1, 2, 3].map(() => newRunner(service).runDue()))
  const job = await jobOf(id)
  assert.deepEqual([job.status, job.done, job.result], ['done', 90, { updated: 90, unchanged: 0, faulty: 0 }])
  assert.deepEqual(new Set(await pricesNow()), new Set([11]))
})

test('a cancelled job changes nothing more, and a finished one stays finished', async (t) => {
  const { shop, inStore, idsOf, bulk, jobOf, pricesNow, runDue } = await open(t)
  await shop.add(...things(5))
  const ids = await idsOf()
  const first = await bulk({ ids, change: { price: { amount: 1 } } })
  assert.equal((await inStore('POST', `/jobs/${first.id}/cancel`)).json.status, 'cancelled')
  await runDue()
  assert.deepEqual(new Set(await pricesNow()), new Set([10]))
  const second = await bulk({ ids, change: { price: { amount: 1 } } })
  const [cancelled] = await Promise.all([inStore('POST', `/jobs/${second.id}/cancel`), runDue()])
  const job = await jobOf(second.id)
  assert.equal(cancelled.status, 200)
  assert.ok(job.status === 'done' || (job.status === 'cancelled' && job.done === 0), JSON.stringify(job))
  assert.deepEqual(new Set(await pricesNow()), new Set([job.status === 'done' ? 11 : 10]))
  const actions = (await inStore('GET', '/audit?resource=job')).json.data.map(
    ({ action }: { action: string }) => action,
  )
  assert.ok(actions.includes('job.created') && actions.includes('job.cancelled'))
})

test('jobs are listed, belong to their store, and are deleted a day after their end', async (t) => {
  const { service, shop, inStore, idsOf, bulk, runDue } = await open(t)
  await shop.add(...things(2))
  const headers = { 'idempotency-key': 'bulk' }
  const body = { ids: await idsOf(), change: { tags: ['x'] } }
  const answers = await Promise.all([1, 2, 3].map(() => inStore('POST', '/products/bulk', body, headers)))
  assert.equal(new Set(answers.map(({ json }) => json.id)).size, 1)
  const { id } = await bulk({ filter: { q: 'thing' }, change: { status: 'DRAFT' } })
  const list = async (query: string) => (await inStore('GET', `/jobs?${query}`)).json
  assert.deepEqual([(await list('')).total, (await list('')).data[0].id], [2, id])
  assert.equal((await list('status=done')).total, 0)
  await runDue()
  assert.equal((await list('status=done&type=products.bulk')).total, 2)
  const other = await newProgram(service, await newStore(service))
  assertError(await other.inStore('GET', `/jobs/${id}`), 404, 'NOT_FOUND')
  assertError(await other.inStore('POST', `/jobs/${id}/cancel`), 404, 'NOT_FOUND')
  await service.clock.advance(25 * 3_600_000)
  await runDue()
  const rows = await service.db.many`select from merchant_job`
  assert.equal(rows.length, 0)
})

test('bad bulk changes are refused, and a store has a limited number of open jobs', async (t) => {
  const { shop, inStore, idsOf, bulk } = await open(t)
  await shop.add(...things(3))
  const ids = await idsOf()
  const bad: object[] = [
    ...[{ ids, change: {} }, { change: { status: 'DRAFT' } }, { ids, filter: {}, change: { status: 'DRAFT' } }],
    ...[
      { ids, change: { price: {} } },
      { ids, change: { price: { percent: 1, amount: 1 } } },
    ],
    ...[
      { ids, change: { price: { percent: -101 } } },
      { ids, change: { price: { percent: 0.0001 } } },
    ],
    ...[
      { ids, change: { price: { amount: 0.001 } } },
      { ids, change: { category: 'none' } },
    ],
    ...[
      { ids: [], change: { status: 'DRAFT' } },
      { ids: Array(501).fill('p'), change: { status: 'DRAFT' } },
    ],
  ]
  for (const body of bad) assertError(await inStore('POST', '/products/bulk', body), 400, 'BAD_REQUEST')
  assert.equal((await bulk({ filter: { q: 'thing' }, change: { tags: [] } })).total, 3)
  const many = await Promise.all(
    Array.from({ length: 25 }, () => inStore('POST', '/products/bulk', { ids, change: { tags: [] } })),
  )
  assert.equal(many.filter(({ status }) => status === 201).length, 19)
  assert.equal(many.filter(({ status }) => status === 409).length, 6)
})
