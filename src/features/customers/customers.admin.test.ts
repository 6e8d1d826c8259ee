import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newStaff } from '../../../test/admin-callers.ts'
import { assertError, newStore, startTestService, type TestService, type TestStore } from '../../../test/harness.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { openScene } from '../payments/fixture.ts'
import { liveFully, openLife } from './erase-fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
})
after(() => service.close())

type Listed = { id: string; name: string; email: string; orderCount: number; totalSpent: number }

const open = async () => {
  const shop = await newStore(service)
  const owner = await newStaff(service, shop)
  const list = async (query = '') => (await owner.inStore('GET', `/customers${query}`)).json
  const names = async (query: string) => (await list(query)).data.map(({ name }: Listed) => name).sort()
  return { shop, owner, list, names }
}

const signUp = async (shop: TestStore, name: string, email: string, phone = '') => {
  const body = JSON.stringify({ name, email, phone, password: 'a long password' })
  const headers = { 'x-store-key': shop.key, 'content-type': 'application/json' }
  const { json, text } = await service.call('/v1/signup', { method: 'POST', headers, body })
  assert.ok(json.token, text)
  const call = (path: string) =>
    service.call(path, { headers: { 'x-store-key': shop.key, authorization: `Bearer ${json.token}` } })
  return { id: json.user.id as string, call }
}

test('customers are found by the beginning of a name, an email or a phone number', async () => {
  const { shop, owner, list, names } = await open()
  await signUp(shop, 'Asha Rao', 'asha@post.example', '+91 80 1234 5678')
  await signUp(shop, 'Émile 100%', 'emile@post.example')
  await signUp(shop, 'Ravi_K', 'zed@post.example')
  const store = await shop.load()
  await service.db.run`update customer set phone = '+919876543210' where store_id = ${store.id} and name = 'Ravi_K'`
  assert.deepEqual(await names('?q=asha'), ['Asha Rao'])
  assert.deepEqual(await names('?q=ASHA%20r'), ['Asha Rao'])
  assert.deepEqual(await names('?q=%C3%89mile%20100%25'), ['Émile 100%'])
  assert.deepEqual(await names('?q=zed'), ['Ravi_K'])
  assert.deepEqual(await names(`?q=${encodeURIComponent('+91 98765')}`), ['Ravi_K'])
  assert.deepEqual(await names('?q=9198765'), ['Ravi_K'])
  assert.deepEqual(await names('?q=080%2012'), ['Asha Rao'])
  assert.deepEqual(await names('?q=rao'), [])
  assert.deepEqual(await names('?q=%25'), [])
  assert.deepEqual(await names('?from=2000-01-01&to=2000-12-31'), [])
  assert.equal((await list()).total, 3)
  const first = await list('?limit=2')
  const second = await list(`?limit=2&cursor=${first.nextCursor}`)
  assert.deepEqual(
    [...first.data, ...second.data].map(({ name }: Listed) => name),
    ['Ravi_K', 'Émile 100%', 'Asha Rao'],
  )
  assert.equal((await list('?sort=oldest&limit=1')).data[0].name, 'Asha Rao')
  const csv = await owner.inStore('GET', '/customers?format=csv&q=asha')
  assert.match(csv.text, /^id,name,email,.*\r\n.*Asha Rao,asha@post\.example,.*\r\n$/)
  const stranger = await open()
  assert.deepEqual(await stranger.names(''), [])
})

test('orders and spend of a customer are those of the orders, less cancelled and refunded ones', async () => {
  const { shop, asha, order, report, ctx } = await openScene(service, { stock: 100 })
  const owner = await newStaff(service, shop)
  const read = async () => (await owner.inStore('GET', `/customers/${asha.id}`)).json
  assert.deepEqual([(await read()).orderCount, (await read()).totalSpent], [0, 0])
  const [one, two] = [await order(), await order({ quantity: 1 })]
  await order()
  await report(one)
  await report(two)
  const { db, store } = ctx
  await db.run`
    insert into refund (store_id, id, order_id, payment_id, amount_minor, status, created_at, updated_at)
    select ${store.id}, 'ref_' || p.id, p.order_id, p.id, 5000, case when p.order_id = ${one.id} then 'succeeded' else 'failed' end,
      now(), now()
    from payment p where p.store_id = ${store.id} and p.status = 'paid'`
  const seen = await read()
  assert.deepEqual([seen.orderCount, seen.totalSpent], [2, 250])
  assert.equal(seen.orders.data.length, 3)
  const listed = (await owner.inStore('GET', '/customers?hasOrders=true')).json.data
  assert.deepEqual([listed.length, listed[0].totalSpent], [1, 250])
  assert.equal((await owner.inStore('GET', '/customers?hasOrders=false')).json.total, 0)
  const page = (await owner.inStore('GET', `/customers/${asha.id}/orders?limit=2`)).json
  assert.deepEqual([page.data.length, page.total, page.hasMore], [2, 3, true])
  const next = await owner.inStore('GET', `/customers/${asha.id}/orders?limit=2&cursor=${page.nextCursor}`)
  assert.equal(next.json.data[0].id, one.id)
  assertError(await owner.inStore('GET', '/customers/cus_unknown/orders'), 404, 'NOT_FOUND')
  const stranger = await newStaff(service, await newStore(service))
  assertError(await stranger.inStore('GET', `/customers/${asha.id}`), 404, 'NOT_FOUND')
})

test('who has ordered is known from the first order on, also of two at once, and after a cancellation and an erasure', async () => {
  const { shop, asha, order, cancel } = await openScene(service, { stock: 100 })
  const owner = await newStaff(service, shop)
  const listed = async (query: string) => {
    const { data, total } = (await owner.inStore('GET', `/customers?${query}`)).json
    assert.equal(total, data.length)
    return data.map(({ id }: Listed) => id)
  }
  const ravi = await signUp(shop, 'Ravi', 'ravi@post.example')
  assert.deepEqual(await listed('hasOrders=true'), [])
  assert.deepEqual(await listed('hasOrders=false'), [ravi.id, asha.id])
  const orders = await Promise.all([order({ quantity: 1 }), order({ quantity: 1 }), order({ quantity: 1 })])
  assert.deepEqual(await listed('hasOrders=true'), [asha.id])
  assert.deepEqual(await listed('hasOrders=false'), [ravi.id])
  for (const { id } of orders) await cancel(id)
  assert.deepEqual(await listed('hasOrders=true&sort=oldest'), [asha.id])
  for (const id of [asha.id, ravi.id]) {
    const erased = await owner.inStore('DELETE', `/customers/${id}`)
    assert.equal(erased.status, 200, erased.text)
  }
  assert.deepEqual([await listed('hasOrders=true'), await listed('hasOrders=false')], [[], []])
  assert.deepEqual(await listed('hasOrders=true&erased=true'), [asha.id])
  assert.deepEqual(await listed('hasOrders=false&erased=true'), [ravi.id])
})

test('pages of customers with orders and without have each customer once', async () => {
  const { shop, list } = await open()
  const { id: storeId } = await shop.load()
  // Several have the same time.
  await service.db.run`
    insert into customer (store_id, id, name, has_orders, created_at)
    select ${storeId}, 'cus_' || n, 'Customer ' || n, n % 3 = 0, now() - n / 4 * interval '1 second' from generate_series(1, 60) n`
  for (const query of [
    'hasOrders=true',
    'hasOrders=false',
    'hasOrders=true&sort=oldest',
    'hasOrders=true&q=customer',
  ]) {
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const { data, nextCursor, total } = await list(`?limit=7&${query}${cursor}`)
      assert.equal(total, query.includes('true') ? 20 : 40)
      seen.push(...data.map(({ id }: Listed) => id))
      if (nextCursor === null) break
      cursor = `&cursor=${nextCursor}`
    }
    const wanted = Array.from({ length: 60 }, (_, i) => i + 1).filter((n) => (n % 3 === 0) === query.includes('true'))
    assert.deepEqual(seen.toSorted(), wanted.map((n) => `cus_${n}`).toSorted(), query)
  }
})

test('a changed email is not confirmed, ends all sessions, and belongs to one customer', async () => {
  const { shop, owner } = await open()
  const asha = await signUp(shop, 'Asha', 'asha@post.example')
  await signUp(shop, 'Ravi', 'ravi@post.example')
  const store = await shop.load()
  await service.db.run`update customer set email_verified_at = now() where store_id = ${store.id}`
  const change = (body: unknown, headers = {}) => owner.inStore('PATCH', `/customers/${asha.id}`, body, headers)
  assertError(await change({ email: 'ravi@post.example' }), 409, 'CONFLICT')
  assertError(await change({ email: '' }), 409, 'CONFLICT')
  assertError(await change({ email: 'nobody' }), 400, 'BAD_REQUEST')
  assert.equal((await asha.call('/v1/customer')).status, 200)
  const renamed = await change({ name: ' Asha Rao ' })
  assert.deepEqual([renamed.json.name, renamed.json.emailVerified], ['Asha Rao', true])
  assert.equal((await asha.call('/v1/customer')).status, 200)
  const changed = await change({ email: 'New@post.example', phone: '+91 80 1234 0000' })
  const { email, emailVerified, phone } = changed.json
  assert.deepEqual([email, emailVerified, phone], ['new@post.example', false, '+91 80 1234 0000'], changed.text)
  assertError(await asha.call('/v1/customer'), 401, 'UNAUTHORIZED')
  const [entry] = (await owner.inStore('GET', `/audit?resource=customer&resourceId=${asha.id}`)).json.data
  assert.deepEqual(entry.changes.email, { before: 'asha@post.example', after: 'new@post.example' })
  const mails = await service.db.many<{ recipient: string }>`
    select recipient from mail where store_id = ${store.id} and message = 'email.verify' order by created_at`
  assert.equal(mails.at(-1)?.recipient, 'new@post.example')
})

test('what is the only way to sign in stays', async () => {
  const { shop, owner } = await open()
  const { asha } = await openScene(service)
  assertError(await owner.inStore('PATCH', `/customers/${asha.id}`, { name: 'x' }), 404, 'NOT_FOUND')
  const ravi = await signUp(shop, 'Ravi', 'ravi@post.example')
  const store = await shop.load()
  const set = (phone: string | null, verified: boolean) => service.db.run`
    update customer set password_hash = null, phone = ${phone},
      email_verified_at = case when ${verified} then (select now()) end
    where store_id = ${store.id} and id = ${ravi.id}`
  const change = (body: unknown) => owner.inStore('PATCH', `/customers/${ravi.id}`, body)
  await set(null, true)
  assertError(await change({ email: 'other@post.example' }), 409, 'CONFLICT')
  await set('+919876543210', false)
  assertError(await change({ phone: '+919876500000' }), 409, 'CONFLICT')
  await set('+919876543210', true)
  const changed = await change({ phone: '+919876500000' })
  assert.deepEqual([changed.json.phone, changed.json.phoneVerified], ['+919876500000', false], changed.text)
})

test('of two changes with the same ETag one is refused, and no change is lost', async () => {
  const { shop, owner } = await open()
  const asha = await signUp(shop, 'Asha', 'asha@post.example')
  const etag = (await owner.inStore('GET', `/customers/${asha.id}`)).headers.get('etag') ?? ''
  const change = (body: unknown, headers = {}) => owner.inStore('PATCH', `/customers/${asha.id}`, body, headers)
  const answers = await Promise.all([
    change({ name: 'One' }, { 'if-match': etag }),
    change({ phone: '+918012340001' }, { 'if-match': etag }),
  ])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412])
  await Promise.all([change({ name: 'Two' }), change({ phone: '+918012340002' })])
  const { name, phone } = (await owner.inStore('GET', `/customers/${asha.id}`)).json
  assert.deepEqual([name, phone], ['Two', '+918012340002'])
})

test('notes are written once for an Idempotency-Key, and support may write them', async () => {
  const { shop, owner } = await open()
  const support = await newStaff(service, shop, 'support')
  const asha = await signUp(shop, 'Asha', 'asha@post.example')
  const write = (text: string, key: string) =>
    support.inStore('POST', `/customers/${asha.id}/notes`, { text }, { 'idempotency-key': key })
  const answers = await Promise.all([write('Call first.', 'a'), write('Call first.', 'a')])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201],
  )
  assertError(await write('Other', 'a'), 409, 'CONFLICT')
  assertError(await write(' ', 'b'), 400, 'BAD_REQUEST')
  assertError(await write('Other', 'x'.repeat(5000)), 400, 'BAD_REQUEST')
  const { notes } = (await owner.inStore('GET', `/customers/${asha.id}`)).json
  assert.deepEqual(
    notes.map(({ text }: { text: string }) => text),
    ['Call first.'],
  )
  assert.equal((await owner.inStore('DELETE', `/customers/${asha.id}/notes/${notes[0].id}`)).status, 204)
  assertError(await owner.inStore('DELETE', `/customers/${asha.id}/notes/${notes[0].id}`), 404, 'NOT_FOUND')
})

test('an export has everything about one person, and nothing secret or of others', async () => {
  const life = await openLife(service)
  await liveFully(life)
  const { text, json, headers } = await life.owner.inStore('GET', `/customers/${life.customerId}/export`)
  assert.match(headers.get('content-type') ?? '', /^application\/json/)
  const { orders, ...rest } = json
  assert.deepEqual([rest.profile.name, rest.profile.email], ['Kavya D.', 'kavya@post.example'])
  for (const part of ['addresses', 'notes', 'sessions', 'cart', 'wishlist', 'messages']) {
    assert.ok(rest[part].length > 0, part)
  }
  assert.equal(orders.length, 3)
  assert.ok(orders.every((order: { payments: unknown[] }) => order.payments.length > 0))
  assert.equal(orders[0].shippingAddress.line1, 'Saffron Villa 7')
  for (const secret of ['argon2', 'a long password', 'token_hash', 'tokenHash']) assert.ok(!text.includes(secret))
  assert.equal((await life.owner.inStore('GET', '/audit?action=customer.exported')).json.total, 1)
  assertError(await life.owner.inStore('GET', '/customers/cus_unknown/export'), 404, 'NOT_FOUND')
})
