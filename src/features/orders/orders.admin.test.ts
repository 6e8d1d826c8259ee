import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newProgram, newStaff } from '../../../test/admin-callers.ts'
import { assertError, newStore, startTestService, type TestService } from '../../../test/harness.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { newId } from '../../core/ids.ts'
import { createOutlet } from '../stores/stores.ts'
import { openOrderShop, payOrder, placeOrder, withOrder } from './fixture.ts'
import type { OrderKey } from './order-list.sql.ts'
import { openOrderList } from './order-list.ts'
import { flagOrder } from './settle.ts'

let service: TestService
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
})
after(() => service.close())

const open = async () => {
  const shop = await openOrderShop(service)
  const asha = await newCustomer(service, shop, { name: 'Asha Rao' })
  const owner = await newStaff(service, shop)
  const list = async (query = '') => {
    const answer = await owner.inStore('GET', `/orders?${query}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.json
  }
  const idsOf = async (query: string) => (await list(query)).data.map(({ id }: { id: string }) => id)
  const place = (goods?: Record<string, number>, method?: 'online' | 'cod') =>
    placeOrder(service, shop, asha, { ...(goods && { goods }), ...(method && { method }) })
  const audit = async (action: string) => (await owner.inStore('GET', `/audit?action=${action}`)).json.data
  return { shop, asha, owner, list, idsOf, place, audit }
}

test('the list has the newest first, pages through all, counts them, and filters by every state', async () => {
  const { shop, list, idsOf, place } = await open()
  const [pending, paid, flagged, cash] = [
    await place(),
    await place({ lamp: 1 }),
    await place(),
    await place({}, 'cod'),
  ]
  await payOrder(service, shop, paid)
  await payOrder(service, shop, flagged)
  await withOrder(service, shop, flagged, (tx, ctx, order) => flagOrder(tx, ctx, order, 'DISPUTE', 'A dispute.'))
  assert.deepEqual(await idsOf(''), [cash, flagged, paid, pending])
  assert.deepEqual(await idsOf('sort=createdAt'), [pending, paid, flagged, cash])
  const first = await list('limit=3')
  assert.deepEqual([first.total, first.totalIsExact, first.hasMore], [4, true, true])
  const rest = await list(`limit=3&cursor=${encodeURIComponent(first.nextCursor)}`)
  assert.deepEqual([rest.data.map(({ id }: { id: string }) => id), rest.hasMore], [[pending], false])
  assert.deepEqual(await idsOf('status=paid'), [flagged, paid])
  assert.deepEqual(await idsOf('payment=pending'), [cash, pending])
  assert.deepEqual(await idsOf('status=paid&attention=true'), [flagged])
  assert.deepEqual(await idsOf('status=paid&attention=false'), [paid])
  assert.deepEqual(await idsOf('status=paid&payment=failed'), [])
  assert.deepEqual(await idsOf('delivery=delivered'), [])
  assert.equal((await idsOf('delivery=none')).length, 4)
  const [row] = (await list('status=paid&attention=true')).data
  assert.deepEqual([row.needsAttention, row.customer.name, row.total], ['DISPUTE', 'Asha Rao', 100])
})

test('the list filters by outlet and by days of the store', async () => {
  const { shop, owner, idsOf, place } = await open()
  const [old, recent] = [await place(), await place()]
  const store = await shop.load()
  const other = await service.db.tx((tx) => createOutlet(tx, store, 'Harbour'))
  await service.db.run`update store set timezone = 'Asia/Kolkata' where id = ${store.id}`
  await service.db.run`
    update orders set created_at = '2025-03-31T18:29:59Z', outlet_id = (select id from outlet where name = 'Harbour' and store_id = ${store.id})
    where id = ${old}`
  assert.deepEqual(await idsOf('to=2025-03-31'), [old])
  assert.deepEqual(await idsOf('from=2025-04-01'), [recent])
  assert.deepEqual(await idsOf('from=2025-03-31T18:29:59Z&to=2025-03-31T18:30:00Z'), [old])
  assert.deepEqual(await idsOf(`outlet=${other.outletId}`), [old])
  assert.deepEqual(await idsOf(`outlet=${store.defaultOutlet.publicId}`), [recent])
  assertError(await owner.inStore('GET', '/orders?outlet=outlet_none'), 404, 'NOT_FOUND')
  assertError(await owner.inStore('GET', '/orders?from=2025-02-31'), 400, 'BAD_REQUEST')
})

/** Contact data are searched as they were at the time of the order. */
const searchable = async () => {
  const scene = await open()
  const { shop, asha, place } = scene
  await service.db
    .run`update customer set email = 'asha.rao@example.com', phone = ${`+9198${newNumber()}`} where id = ${asha.id}`
  const mine = await place({ lamp: 1 })
  const other = await newCustomer(service, shop, { name: 'Zoë Ångström' })
  const theirs = await placeOrder(service, shop, other)
  return { ...scene, mine, theirs }
}
const newNumber = () => String(Math.floor(Math.random() * 1e8)).padStart(8, '0')

test('a search finds numbers, names, phones, emails and SKUs by how they begin', async () => {
  const { asha, idsOf, list, mine, theirs } = await searchable()
  const { phone } = await service.db.one<{ phone: string }>`select phone from customer where id = ${asha.id}`
  const number = (await list('q=lamp')).data[0].number
  for (const q of [
    number,
    `#${number}`,
    'asha',
    'ASHA R',
    'rao',
    'asha.rao@',
    'LAMP',
    phone,
    phone.slice(1),
    phone.slice(3),
  ]) {
    assert.deepEqual(await idsOf(`q=${encodeURIComponent(q)}`), [mine], q)
  }
  assert.deepEqual(await idsOf(`q=${encodeURIComponent('zoë å')}`), [theirs])
  for (const q of ['sha', 'nothing', '%', '_', '\\', "'"])
    assert.deepEqual(await idsOf(`q=${encodeURIComponent(q)}`), [], q)
  assert.deepEqual(await idsOf('q=rao&status=paid'), [])
  assert.deepEqual(await idsOf('q=rao&status=pending&payment=pending'), [mine])
})

/** Copies of an order, one for each second: `count` of them with the numbers behind it. */
const addCopies = async (storeId: number, orderId: string, count: number) => {
  await service.db.run`
    insert into orders (store_id, id, number, customer_id, outlet_id, cart_id, cart_version, request_hash, status, payment_status,
      payment_method, stock_state, currency, subtotal_minor, discount_minor, shipping_minor, tax_minor, total_minor,
      tax_included, created_at, updated_at)
    select store_id, id || '_' || n, number + n, customer_id, outlet_id, cart_id, 1, '',
      case when n % 10 = 0 then 'delivered' else 'cancelled' end, case when n % 10 = 0 then 'paid' else 'pending' end, 'online',
      'released', currency, subtotal_minor, 0, 0, 0, total_minor, false,
      created_at + (n - ${count + 500}::integer + case when n % 7 = 0 then 20 else 0 end) * interval '1 second', now()
    from orders, generate_series(1, ${count}::integer) n where store_id = ${storeId} and id = ${orderId}`
}

/** Where a term is, by the number n of a copy, and what is found by it. The last copy is the newest. */
const spreads: [term: string, isOn: (n: number) => boolean][] = [
  ['everywhere', () => true],
  ['often', (n) => n % 4 === 1],
  ['sometimes', (n) => n % 8 === 3],
  ['oldest', (n) => n <= 3_500],
  ['newest', (n) => n > 10_500],
  ['undelivered', (n) => n % 5 === 1],
  ['almost', (n) => n % 5 === 1 || n === 40 || n === 6_000],
  ['bound', (n) => n % 6 === 0 && n <= 12_000],
  ['more', (n) => n % 6 === 0],
  ['several', (n) => n % 25 === 10],
  ['rare', (n) => n % 600 === 0],
  ['never', () => false],
]

/** Enough that not all are read, though few orders have them. */
const termsOf = (term: string) => ({ several: 6, undelivered: 10, almost: 10 })[term] ?? 1

/** A page, however often it stays short. Returns that number too. */
const readOn = async (list: ReturnType<typeof openOrderList>, from: OrderKey | null, limit: number) => {
  const numbers: number[] = []
  for (let [after, shortPages] = [from, 0]; ; shortPages++) {
    const { rows, reached } = await list.read(after, limit - numbers.length)
    numbers.push(...numbersOf(rows))
    if (reached === null || numbers.length === limit) return { numbers, shortPages }
    after = reached
  }
}

test('a search pages through exactly the orders that match, however many do and wherever they are', async () => {
  const { shop, place } = await open()
  const id = await place()
  const store = await shop.load()
  const copies = 13_000
  await addCopies(store.id, id, copies)
  const all = await service.db.many<{ n: number; number: number; status: string }>`
    select split_part(id, '_', 3)::integer as n, number, status from orders
    where store_id = ${store.id} and id <> ${id} order by created_at desc, number desc`
  for (const [term, isOn] of spreads) {
    const numbers = all.filter(({ n }) => isOn(n)).map(({ number }) => number)
    await service.db.run`insert into order_search (store_id, number, term)
      select ${store.id}, n, ${term} || '-' || n % 3 || '-' || k
      from unnest(${numbers}::integer[]) n, generate_series(1, ${termsOf(term)}::integer) k`
  }
  let shortPages = 0
  for (const [term, isOn] of spreads) {
    for (const filter of [{}, { status: 'delivered' }, { status: 'cancelled' }]) {
      for (const sort of ['-createdAt', 'createdAt']) {
        const listed = all.filter(({ n, status }) => isOn(n) && (filter.status ?? status) === status)
        const expected = (sort === 'createdAt' ? listed.toReversed() : listed).map(({ number }) => number)
        const list = () => openOrderList(service.db, store, { ...filter, sort, q: term })
        // A large page of several terms reaches into a block that is not read to its end.
        const limit = term === 'several' ? 200 : 20
        const what = `${term} ${JSON.stringify(filter)} ${sort}`
        // The first pages, one in the middle and the last.
        for (const at of [0, 20, Math.floor(expected.length / 2), expected.length - 10]) {
          const last = at > 0 ? expected[at - 1] : undefined
          const found = await readOn(list(), last === undefined ? null : await keyOf(store.id, last), limit)
          const from = last === undefined ? 0 : at
          assert.deepEqual(found.numbers, expected.slice(from, from + limit), `${what} from ${at}`)
          shortPages += found.shortPages
        }
        const counted = await list().count(10_001)
        assert.ok(typeof counted === 'object')
        const { found, isExact } = counted
        const matches = all.filter(({ n }) => isOn(n)).length
        if (isExact) assert.equal(found, expected.length, what)
        else assert.ok(found <= expected.length, what)
        assert.equal(isExact, matches * termsOf(term) <= 2_000, what)
      }
    }
  }
  assert.ok(shortPages > 0, 'what many orders have, but not those of the filter, is not looked for to the end')
})

test('a search that stops early answers a short page, and goes on where it stopped', async () => {
  const { shop, owner, list, place } = await open()
  const first = await place()
  const { id: storeId } = await shop.load()
  await addCopies(storeId, first, 13_000)
  // Orders that are delivered have it only at the end of the list.
  await service.db.run`
    insert into order_search (store_id, number, term)
    select store_id, number, 'scarce-' || k from orders, generate_series(1, 12) k
    where store_id = ${storeId} and id <> ${first}
      and (status <> 'delivered' and number % 5 = 1 or status = 'delivered' and number < (
        select number + 50 from orders where store_id = ${storeId} and id = ${first}))`
  const pages = []
  const seen: string[] = []
  for (let cursor = ''; ; ) {
    const page = await list(`q=scarce&status=delivered${cursor}`)
    pages.push(page)
    seen.push(...page.data.map(({ id }: { id: string }) => id))
    assert.equal(page.hasMore, page.nextCursor !== null)
    if (page.nextCursor === null) break
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`
  }
  assert.deepEqual(
    seen,
    [40, 30, 20, 10].map((n) => `${first}_${n}`),
  )
  assert.deepEqual([pages[0].data, pages[0].hasMore, pages[0].total, pages[0].totalIsExact], [[], true, 0, false])
  const { text } = await owner.inStore('GET', '/orders?format=csv&q=scarce&status=delivered')
  assert.equal(text.split('\r\n').length, 6)
})

const numbersOf = (rows: readonly { number: number }[]) => rows.map(({ number }) => number)

const keyOf = (storeId: number, number: number) =>
  service.db.one<OrderKey>`
    select created_at::text as "createdAt", number from orders where store_id = ${storeId} and number = ${number}`

test('a search that very many orders match shows a total that is a lower bound', async () => {
  const { shop, list, place } = await open()
  const first = await place()
  const { id: storeId } = await shop.load()
  await addCopies(storeId, first, 12_000)
  await service.db.run`
    insert into order_search (store_id, number, term)
    select store_id, number, 'bulk' from orders where store_id = ${storeId} and id <> ${first}`
  const page = await list('q=bul&limit=100')
  assert.deepEqual([page.data.length, page.hasMore, page.total, page.totalIsExact], [100, true, 2_001, false])
  const filtered = await list('q=bul&status=delivered')
  assert.deepEqual([filtered.data.length, filtered.totalIsExact], [20, false])
  assert.ok(filtered.total > 20, String(filtered.total))
  const all = await list('status=cancelled')
  assert.deepEqual([all.total, all.totalIsExact], [10_000, false])
  const oldest = (await list('limit=1&sort=createdAt')).data[0].createdAt
  const inPeriod = await list(`q=bul&from=${oldest}&to=${page.data[0].createdAt}`)
  assert.equal(inPeriod.data.length, 20)
  assert.equal((await list('q=bul&from=2999-01-01')).total, 0)
  assert.deepEqual((await list('q=bul&to=2001-01-01')).data, [])
  const number = String(page.data[50].number)
  assert.deepEqual(
    (await list(`q=${number}`)).data.map((order: { number: string }) => String(order.number)),
    [number],
  )
})

test('the CSV has everything that matches, on lines that no spreadsheet runs', async () => {
  const { shop, owner } = await open()
  const eve = await newCustomer(service, shop, { name: '=HYPERLINK("x")' })
  await placeOrder(service, shop, eve, { goods: { mug: 2 } })
  await placeOrder(service, shop, await newCustomer(service, shop))
  const { headers, text } = await owner.inStore('GET', '/orders?format=csv&q=%3Dhyper')
  assert.match(headers.get('content-type') ?? '', /^text\/csv/)
  const [head, line, ...rest] = text.split('\r\n')
  assert.match(head ?? '', /^id,number,createdAt,status,paymentStatus,/)
  assert.match(line ?? '', /"'=HYPERLINK\(""x""\)"/)
  assert.match(line ?? '', /2 × MUG/)
  assert.deepEqual(rest, [''])
})

test('an order is read by id and number with everything about it, and only in its own store', async () => {
  const { shop, owner, place } = await open()
  const id = await place({ mug: 1, book: 1 })
  await payOrder(service, shop, id)
  const shown = (await owner.inStore('GET', `/orders/${id}`)).json
  assert.deepEqual((await owner.inStore('GET', `/orders/${shown.number}`)).json, shown)
  assert.equal(shown.payments.length, 1)
  assert.equal(shown.downloads[0].name, 'Book')
  assert.deepEqual([shown.notes, shown.refunds, shown.shipments, shown.invoices], [[], [], [], []])
  assert.deepEqual(
    shown.timeline.map(({ kind, type }: { kind: string; type: string }) => [kind, type]),
    [
      ['event', 'placed'],
      ['event', 'paid'],
    ],
  )
  const other = await newStore(service)
  assertError(await (await newStaff(service, other)).inStore('GET', `/orders/${id}`), 404, 'NOT_FOUND')
})

test('notes are kept with their author, once for a key, and shown in the timeline', async () => {
  const { shop, owner, audit, place } = await open()
  const id = await place()
  const support = await newStaff(service, shop, 'support')
  const send = () =>
    support.inStore('POST', `/orders/${id}/notes`, { text: ' Call first ' }, { 'idempotency-key': 'n1' })
  const [one, two] = await Promise.all([send(), send()])
  assert.deepEqual([one.status, two.status, one.json], [201, 201, two.json])
  assert.deepEqual([one.json.text, one.json.authorId], ['Call first', support.id])
  assertError(
    await support.inStore('POST', `/orders/${id}/notes`, { text: 'Other' }, { 'idempotency-key': 'n1' }),
    ...([409, 'CONFLICT'] as const),
  )
  assertError(await support.inStore('POST', `/orders/${id}/notes`, { text: '  ' }), 400, 'BAD_REQUEST')
  const shown = (await owner.inStore('GET', `/orders/${id}`)).json
  assert.deepEqual(shown.notes, [one.json])
  assert.deepEqual(shown.timeline.at(-1), {
    ...{ at: one.json.createdAt, kind: 'note', type: 'note', message: 'Call first', author: 'Meera' },
  })
  assert.equal((await audit('order.noted')).length, 1)
})

test('what needs attention is resolved once, by those who may', async () => {
  const { shop, owner, audit, place } = await open()
  const id = await place()
  await withOrder(service, shop, id, (tx, ctx, order) => flagOrder(tx, ctx, order, 'DISPUTE', 'A dispute.'))
  const support = await newProgram(service, shop, { role: 'support' })
  assertError(await support.inStore('POST', `/orders/${id}/resolve`), 403, 'FORBIDDEN')
  const key = { 'idempotency-key': newId('key') }
  const answers = await Promise.all([
    owner.inStore('POST', `/orders/${id}/resolve`, undefined, key),
    owner.inStore('POST', `/orders/${id}/resolve`, undefined, key),
  ])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  )
  assert.equal(answers[0]?.json.needsAttention, null)
  assertError(await owner.inStore('POST', `/orders/${id}/resolve`), 409, 'CONFLICT')
  const [entry, ...more] = await audit('order.resolved')
  assert.deepEqual(entry.changes, { needsAttention: { before: 'DISPUTE', after: null } })
  assert.deepEqual(more, [])
})
