import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { newStaff } from '../../../test/admin-callers.ts'
import { assertError, newStore, startTestService, type TestService } from '../../../test/harness.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { minutes } from '../../core/clock.ts'
import { serviceAlone } from '../../jobs/fixture.ts'
import { startReceiver } from '../outgoing-webhooks/fixture.ts'
import { findInDatabase, liveFully, openLife, personalTexts } from './erase-fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
})
after(() => service.close())

test('nothing personal is left anywhere in the database, and orders, amounts and tax stay', async (t) => {
  const { service: alone } = await serviceAlone(t, { passwords: cheapPasswords })
  const receiver = await startReceiver(t)
  receiver.does.respond = (response, { text }) => response.end(text)
  const life = await openLife(alone, receiver.url)
  const orders = await liveFully(life)
  await alone.app.jobs.runDue()
  assert.ok(alone.mails.length > 3 && receiver.received.length > 5, `${alone.mails.length} ${receiver.received.length}`)
  const { db } = alone
  const known = await findInDatabase(db, personalTexts)
  const tables = new Set(known.map((place) => place.split('.')[0]))
  const wanted = [
    ...['customer', 'address', 'orders', 'event', 'mail', 'audit', 'payment_event', 'delivery_event', 'refund'],
    ...[
      'webhook_attempt',
      'customer_note',
      'order_note',
      'order_search',
      'invoice',
      'one_time_code',
      'sign_in_failure',
    ],
  ]
  assert.deepEqual(
    wanted.filter((name) => !tables.has(name)),
    [],
    'the customer has left a trace in each',
  )
  const books = () => db.many`
    select number, status, payment_status, total_minor, tax_minor, shipping_minor, discount_minor, created_at,
      (select jsonb_agg(jsonb_build_array(p.id, p.status, p.amount_minor) order by p.id) from payment p where p.store_id = o.store_id and p.order_id = o.id) as payments,
      (select jsonb_agg(jsonb_build_array(r.id, r.status, r.amount_minor) order by r.id) from refund r where r.store_id = o.store_id and r.order_id = o.id) as refunds,
      (select jsonb_agg(jsonb_build_array(l.sku, l.quantity, l.unit_minor, l.tax_minor) order by l.position) from order_line l where l.store_id = o.store_id and l.order_id = o.id) as lines
    from orders o order by number`
  const counts = () => db.one`
    select (select count(*) from mail) as mails, (select count(*) from payment_event) as payments,
      (select count(*) from delivery_event) as deliveries, (select count(*) from webhook_delivery) as webhooks,
      (select count(*) from order_event) as entries`
  const [booksBefore, countsBefore] = [await books(), await counts()]

  const erased = await life.erase()
  assert.deepEqual([erased.status, erased.json], [200, { id: life.customerId, status: 'erased' }], erased.text)

  assert.deepEqual(await findInDatabase(db, personalTexts), [])
  assert.deepEqual(await books(), booksBefore)
  const { webhooks, ...others } = (await counts()) as { webhooks: number }
  const { webhooks: webhooksBefore, ...othersBefore } = countsBefore as { webhooks: number }
  assert.deepEqual(others, othersBefore)
  assert.equal(webhooks, webhooksBefore + 1, 'the event customer.erased')
  const seen = receiver.received.length
  await alone.app.jobs.runDue()
  const told = receiver.received.slice(seen).map(({ json }) => json)
  assert.deepEqual(
    told.map(({ type }) => type),
    ['customer.erased'],
  )
  assert.match(JSON.stringify(told), /"name":"\[erased\]","email":""/)

  // The second pass looks for what was under way.
  alone.clock.advance(minutes(10))
  await alone.app.jobs.runDue()
  const state = await db.one<{ finished: boolean; personal: unknown }>`
    select finished_at is not null as finished, personal from erasure`
  assert.deepEqual(state, { finished: true, personal: null })
  assert.deepEqual(await findInDatabase(db, personalTexts), [])

  const shown = (await life.owner.inStore('GET', `/customers/${life.customerId}`)).json
  assert.deepEqual([shown.name, shown.email, shown.phone, shown.addresses, shown.notes], ['[erased]', '', '', [], []])
  assert.equal(shown.orders.data.length, 3)
  assert.equal(shown.orders.data[0].shippingAddress.country, 'IN')
  assertError(await life.call('GET', '/v1/customer'), 401, 'UNAUTHORIZED')
  assert.equal((await life.owner.inStore('GET', '/customers?erased=true')).json.total, 1)
  assert.equal((await life.owner.inStore('GET', '/customers')).json.total, 0)
  const change = await life.owner.inStore('PATCH', `/customers/${life.customerId}`, { name: 'x' })
  assertError(change, 409, 'CONFLICT')
  assert.equal((await life.erase()).status, 200, 'again')

  // Reports that come later are applied, and keep nothing personal.
  assert.equal((await life.report(orders.delivered, { upiId: 'kavya@upi', last4: '1881' })).status, 200)
  const late = { eventId: 'late', orderId: orders.delivered.id, status: 'delivered', partner: 'Kavya' }
  assert.equal((await life.sendDelivery({ ...late, partner: 'Bluebird', recipient: 'Kavya' })).status, 200)
  const paidLate = await life.report(orders.cancelled)
  assert.equal(paidLate.status, 200, paidLate.text)
  await alone.app.jobs.runDue()
  assert.deepEqual(await findInDatabase(db, personalTexts), [])
  const { status, paymentStatus } = (await life.owner.inStore('GET', `/customers/${life.customerId}/orders`)).json
    .data[0]
  assert.deepEqual([status, paymentStatus], ['paid', 'paid'], 'money is never lost')
})

test('an order that is not completed, a refund under way or an open return forbids it', async () => {
  const life = await openLife(service)
  const order = await life.order()
  const refused = await life.erase()
  assertError(refused, 409, 'CONFLICT')
  const { number } = (await life.must('GET', `/v1/customer/orders/${order.id}`)) as { number: string }
  assert.match(refused.json.error, new RegExp(number))
  await life.report(order)
  assertError(await life.erase(), 409, 'CONFLICT')
  await life.deliver(order)
  await service.db.run`
    insert into refund (store_id, id, order_id, payment_id, amount_minor, status, created_at, updated_at)
    select store_id, 'ref_' || id, order_id, id, 100, 'pending', now(), now() from payment where order_id = ${order.id}`
  assertError(await life.erase(), 409, 'CONFLICT')
  assert.equal((await life.call('GET', '/v1/customer')).status, 200)
  await service.db.run`update refund set status = 'failed' where order_id = ${order.id}`
  const { items } = (await life.must('GET', `/v1/customer/orders/${order.id}`)) as { items: { id: string }[] }
  const returned = (await life.must('POST', `/v1/customer/orders/${order.id}/returns`, {
    ...{ items: [{ id: items[0]?.id, quantity: 1 }], reason: 'Chipped' },
  })) as { id: string }
  const whileReturning = await life.erase()
  assertError(whileReturning, 409, 'CONFLICT')
  assert.match(whileReturning.json.error, /returns that are not completed/)
  assert.equal((await life.owner.inStore('POST', `/returns/${returned.id}/reject`, {})).status, 200)
  assert.equal((await life.erase()).json.status, 'erased')
  const stranger = await newStaff(service, await newStore(service))
  assertError(await stranger.inStore('DELETE', `/customers/${life.customerId}`), 404, 'NOT_FOUND')
})

test('erasing beside checkouts, sign-ins, changes and reports of the same customer leaves nothing personal', async () => {
  for (let round = 0; round < 12; round++) {
    // The erasure begins up to three milliseconds after the others, then up to eight before the checkout.
    const [eraseAfterMs, checkoutAfterMs] = [Math.max(0, 3 - round), Math.max(0, round - 3)]
    const life = await openLife(service)
    const paid = await life.order()
    await life.report(paid)
    await life.deliver(paid)
    await life.must('POST', '/v1/cart', { productId: life.productId, quantity: 1 })
    const signIn = () =>
      life.call('POST', '/v1/signin', { email: 'first-kavya@post.example', password: 'a long password' })
    const address = {
      name: 'Kavya',
      phone: '+919876512345',
      line1: 'Saffron Villa',
      city: 'Pune',
      postalCode: '411099',
    }
    const checkOut = () =>
      life.call('POST', '/v1/checkout', { shippingAddress: { ...address, country: 'IN' }, paymentMethod: 'online' })
    const [erased, placed, ...others] = await Promise.all([
      setTimeout(eraseAfterMs).then(() => life.erase()),
      setTimeout(checkoutAfterMs).then(checkOut),
      signIn(),
      life.call('PATCH', '/v1/customer', { name: 'Kavya Again' }),
      life.call('POST', '/v1/customer/addresses', { ...address, country: 'IN' }),
      life.report(paid, { reference: 'other' }),
      life.sendDelivery({ eventId: 'again', orderId: paid.id, status: 'delivered', recipient: 'Kavya' }),
      life.report(paid, { last4: '1881', upiId: 'kavya@upi' }),
      life.owner.inStore('PATCH', `/customers/${life.customerId}`, { name: 'Kavya By Staff' }),
      life.owner.inStore('POST', `/customers/${life.customerId}/notes`, { text: 'Kavya' }),
    ])
    for (const { status, text } of [erased, placed, ...others]) assert.ok(status < 500, text)
    // Whichever came first: an open order forbids it, and an erased customer cannot order.
    const outcomes = [erased.status, placed.status < 300 ? 201 : placed.status]
    assert.ok(outcomes.join() === '409,201' || (outcomes[0] === 200 && outcomes[1] !== 201), outcomes.join())
    if (erased.status === 409) {
      await life.must('POST', `/v1/customer/orders/${placed.json.order.id}/cancel`)
      assert.equal((await life.erase()).json.status, 'erased')
    }
    const { id: storeId } = life.store
    const left = await findInStore(storeId)
    assert.deepEqual(left, [], `round ${round}`)
    const sessions = await service.db.many`select from session where store_id = ${storeId}`
    assert.equal(sessions.length, 0)
  }
})

/** Personal values in the tables of one store, because other tests of this file have customers too. */
const findInStore = async (storeId: number) => {
  const { db } = service
  const rows = await db.many<{ place: string; value: string }>`
    select 'customer' as place, row_to_json(x)::text as value from customer x where store_id = ${storeId}
    union all select 'address', row_to_json(x)::text from address x where store_id = ${storeId}
    union all select 'orders', row_to_json(x)::text from orders x where store_id = ${storeId}
    union all select 'event', row_to_json(x)::text from event x where store_id = ${storeId}
    union all select 'payment_event', row_to_json(x)::text from payment_event x where store_id = ${storeId}
    union all select 'delivery_event', row_to_json(x)::text from delivery_event x where store_id = ${storeId}
    union all select 'customer_note', row_to_json(x)::text from customer_note x where store_id = ${storeId}
    union all select 'audit', row_to_json(x)::text from audit x where store_id = ${storeId}
    union all select 'mail', row_to_json(x)::text from mail x where store_id = ${storeId}
    union all select 'erasure', row_to_json(x)::text from erasure x where store_id = ${storeId}`
  return rows
    .filter(({ value }) => personalTexts.some((text) => value.toLowerCase().includes(text)))
    .map(({ place, value }) => `${place}: ${value.slice(0, 300)}`)
}
