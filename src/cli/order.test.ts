import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { newBuyer } from '../../test/buyer.ts'
import {
  assertSentence,
  demoInstallation,
  productionSettings,
  readDemoKeys,
  runJson,
  runVitrine,
  startService,
} from './fixture.ts'

/** The demo shop, running, with a customer who orders there and an operator at the command line. */
const openDemo = async (t: TestContext, { name }: { name?: string } = {}) => {
  const installation = await demoInstallation(t)
  const { url } = await startService(t, installation)
  const { browserKey, outlets } = readDemoKeys(installation.VITRINE_DATA_DIR)
  return {
    ...{ installation, outlets, url, ...(await newBuyer(url, browserKey, name)) },
    vitrine: (...args: string[]) => runJson(args, installation),
  }
}

test('an operator lists orders, ships them in parcels and simulates carrier events', async (t) => {
  const { order, vitrine, show } = await openDemo(t)
  const { id } = await order('cod', 'cutting-chai-glasses', 'masala-chai-blend')
  const other = await order('online', 'masala-chai-blend')

  const listed = await vitrine('order', 'list')
  assert.deepEqual(
    listed.map((row: Record<string, unknown>) => [row.id, row.number, row.status, row.paymentMethod, row.customer]),
    [
      [other.id, '1002', 'pending', 'online', 'Asha'],
      [id, '1001', 'pending', 'cod', 'Asha'],
    ],
  )
  assert.equal((await vitrine('order', 'list', '--limit', '1')).length, 1)
  assert.deepEqual(await vitrine('order', 'list', '--status', 'delivered'), [])
  assert.deepEqual(await vitrine('order', 'list', '--attention'), [])
  const toShip = async () => (await vitrine('order', 'list', '--to-ship')).map((row: { id: string }) => row.id)
  assert.deepEqual(await toShip(), [id], 'the other one is not paid')
  const details = await vitrine('order', 'show', id)
  const { storeId, customer, payments, needsAttention, timeline, ...shown } = details
  const { timeline: told, ...order1 } = await show(id)
  const items = order1.items.map((item: { quantity: number }) => ({
    ...item,
    ...{ shipped: 0, refunded: 0, toShip: item.quantity },
  }))
  assert.deepEqual(shown, { ...order1, items, downloads: [], messages: shown.messages, notes: [], invoices: [] })
  assert.deepEqual(
    timeline.filter(({ kind }: { kind: string }) => kind === 'event'),
    told.map((entry: object) => ({ ...entry, kind: 'event', author: null })),
  )
  assert.equal(needsAttention, null)
  assert.equal(storeId, (await vitrine('store', 'show')).id)
  assert.deepEqual([customer.name, customer.email, customer.phone], ['Asha', 'asha@example.com', ''])
  assert.deepEqual(
    payments.map((row: Record<string, unknown>) => [row.provider, row.status, row.amount, row.currency]),
    [['cod', 'open', details.total, 'INR']],
  )
  assert.deepEqual(await vitrine('order', 'show', '1001'), details)
  assert.deepEqual(await vitrine('order', 'show', '#1001', '--store', storeId), details)

  const [glasses, tea] = (await show(id)).items
  const first = await vitrine(
    ...['order', 'ship', id, '--tracking', 'BB1', '--partner', 'Bluebird', '--item', `${glasses.id}=1`],
    ...['--url', 'https://bluebird.example/BB1', '--eta', '2030-01-05'],
  )
  assert.deepEqual(
    [first.orderId, first.trackingNumber, first.partner, first.status, first.items, first.estimatedDelivery],
    [id, 'BB1', 'Bluebird', 'shipped', [{ id: glasses.id, quantity: 1 }], '2030-01-05T00:00:00.000Z'],
  )
  await vitrine('order', 'ship', id, '--tracking', 'BB2', '--partner', 'Bluebird', '--item', `${tea.id}=1`)
  const shipped = await show(id)
  assert.deepEqual(
    [shipped.status, shipped.shipments.length, shipped.shipments[0].id],
    ['pending', 2, first.shipmentId],
  )

  const answered = await vitrine('simulate', 'delivery', id, '--status', 'in_transit', '--shipment', first.shipmentId)
  assert.deepEqual(
    [answered.received, answered.duplicate, answered.orderId, answered.status],
    [true, false, id, 'in_transit'],
  )
  assert.deepEqual([(await show(id)).status, (await show(id)).shipments[1].status], ['out_for_delivery', 'shipped'])
  await vitrine('simulate', 'delivery', id, '--status', 'delivered')
  const delivered = await show(id)
  assert.deepEqual([delivered.status, delivered.paymentStatus], ['delivered', 'paid'])

  assert.equal((await vitrine('order', 'cancel', other.id)).status, 'cancelled')
  assert.equal((await show(other.id)).timeline.at(-1).message, 'Cancelled by the store.')
})

test('an operator finds, notes, resolves and invoices orders, and the order tells who did it', async (t) => {
  const { order, vitrine, installation } = await openDemo(t, { name: 'Asha Rao' })
  const { id, number } = await order('cod', 'masala-chai-blend')
  await order('online', 'cutting-chai-glasses')
  const list = async (...args: string[]) =>
    (await vitrine('order', 'list', ...args)).map((row: { number: string }) => row.number)
  assert.deepEqual(await list('--q', 'rao', '--oldest-first'), [number, '1002'])
  assert.deepEqual(await list('--q', number), [number])
  assert.deepEqual(await list('--payment', 'pending', '--delivery', 'none', '--from', '2020-01-01'), ['1002', number])
  assert.deepEqual(await list('--to', '2020-01-01'), [])
  const note = await vitrine('order', 'note', number, 'Call before delivery')
  assert.deepEqual([note.orderId, note.text, note.authorKind], [id, 'Call before delivery', 'command'])
  await vitrine('order', 'ship', number, '--tracking', 'BB1', '--partner', 'Bluebird')
  const file = join(installation.VITRINE_DATA_DIR, 'invoice.html')
  const invoice = await vitrine('order', 'invoice', number, '--tax-id', '27AAAPL1234C1ZV', '--out', file)
  assert.deepEqual([invoice.number, invoice.isNew, invoice.file], ['1', true, file])
  assert.match(readFileSync(file, 'utf8'), /27AAAPL1234C1ZV/)
  assert.equal((await vitrine('order', 'invoice', number, '--out', file)).isNew, false)
  await vitrine('order', 'deliver', number)
  const refund = await vitrine('order', 'refund', number, '--amount', '10')
  const credit = await vitrine('order', 'invoice', number, '--refund', refund.refundId, '--out', file)
  assert.equal(credit.number, 'CN-1')
  const { timeline, invoices } = await vitrine('order', 'show', number)
  const changes = timeline.filter(({ kind }: { kind: string }) => kind === 'change')
  assert.deepEqual(
    changes.map(({ type, author }: { type: string; author: string }) => `${author} ${type}`),
    ['shipped', 'invoiced', 'delivered', 'refunded', 'credited'].map((what) => `Command line order.${what}`),
  )
  assert.deepEqual(
    invoices.map((one: { number: string }) => one.number),
    ['1', 'CN-1'],
  )
  for (const [args, part] of [
    [['order', 'resolve', number], `Order ${number} does not need attention.`],
    [['order', 'note', number, ' '], 'A note must not be empty.'],
    [['order', 'list', '--outlet', 'none'], 'The store has no outlet none.'],
    [['order', 'list', '--from', 'soon'], 'from must be a day'],
    [['order', 'invoice', '1002'], 'Order 1002 gets an invoice once it is paid.'],
  ] as const) {
    assertSentence(await runVitrine([...args], installation), part)
  }
})

test('order show prints all that is needed to ship an order, and no value in it can forge a line', async (t) => {
  const { order, installation, vitrine } = await openDemo(t, { name: 'Asha\u001b[2J\u202eRao' })
  const { id, number } = await order('cod', 'cutting-chai-glasses', 'masala-chai-blend')
  const [glasses] = (await vitrine('order', 'show', number)).items
  await vitrine(
    ...['order', 'ship', number, '--tracking', 'BB1', '--partner', 'Bluebird', '--item', `${glasses.id}=1`],
    ...['--url', 'https://bluebird.example/BB1', '--eta', '2030-01-05'],
  )
  const { stdout } = await runVitrine(['order', 'show', number], installation)
  for (const line of [
    new RegExp(`^order +${number} \\(${id}\\)$`, 'm'),
    /^customer +Asha\\x1b\[2J\\u202eRao, cus_\w+$/m,
    /^e-mail +asha@example\.com$/m,
    /^deliver to +Asha, 12 Temple Road, 560001 Bengaluru, IN, \+919876543210$/m,
    /^bill to +no separate address$/m,
    /^note +Ring twice$/m,
    /^ship_\w+ +BB1 +Bluebird +shipped +2030-01-05T00:00:00\.000Z +1 × .*glasses.* +https:\/\/bluebird\.example\/BB1$/m,
    /^pay_\w+ +cod +open +[\d.]+ INR /m,
    /Z +Shipped with Bluebird, number BB1\.$/m,
  ]) {
    assert.match(stdout, line)
  }
  const list = await runVitrine(['order', 'list'], installation)
  assert.match(list.stdout, /Asha\\x1b\[2J\\u202eRao/)
  for (const text of [
    stdout,
    list.stdout,
    (await runVitrine(['order', 'show', number, '--json'], installation)).stdout,
  ]) {
    assert.doesNotMatch(text, /(?!\n)[\p{Cc}\u202e]/u)
  }
})

test('an order is marked as delivered by its number, and a cash order becomes paid', async (t) => {
  const { order, installation, show, vitrine } = await openDemo(t)
  const { id, number } = await order('cod', 'masala-chai-blend')
  const delivered = await vitrine('order', 'deliver', number)
  assert.deepEqual(
    [delivered.id, delivered.delivered, delivered.status, delivered.paymentStatus],
    [id, true, 'delivered', 'paid'],
  )
  assert.deepEqual([(await show(id)).status, (await show(id)).paymentStatus], ['delivered', 'paid'])
  const again = await runVitrine(['order', 'deliver', id], installation)
  assert.equal(again.stdout, `Order ${number} was already delivered.\n`)
  const other = await order('online', 'masala-chai-blend')
  await vitrine('simulate', 'payment', other.number, '--status', 'success')
  assert.equal((await vitrine('inbox', 'list', '--order', other.number)).length, 1)
  assert.equal((await vitrine('order', 'refund', other.number)).orderId, other.id)
})

test('an order number that several stores have needs --store', async (t) => {
  const { order, installation, url, vitrine } = await openDemo(t)
  const { id, number } = await order('cod', 'masala-chai-blend')
  const second = await vitrine('seed', 'demo')
  const first = readDemoKeys(installation.VITRINE_DATA_DIR)
  await order('cod', 'masala-chai-blend')
  const ravi = await newBuyer(url, second.browserKey, 'Ravi')
  await ravi.order('cod', 'masala-chai-blend')
  const ambiguous = await runVitrine(['order', 'deliver', number], installation)
  assertSentence(ambiguous, `Several stores have an order ${number}`, first.storeId, second.storeId, '--store')
  assert.equal((await vitrine('order', 'show', number, '--store', first.storeId)).id, id)
  assert.notEqual((await vitrine('order', 'show', number, '--store', second.storeId)).id, id)
  assert.equal((await vitrine('order', 'show', '1002')).storeId, first.storeId, 'only one store has it')
  assertSentence(
    await runVitrine(['order', 'show', id, '--store', second.storeId], installation),
    `There is no order ${id} in the store ${second.storeId}`,
  )
  assertSentence(await runVitrine(['order', 'show', '999999999999'], installation), 'There is no order 999999999999')
})

test('errors of order commands are one sentence', async (t) => {
  const { order, installation, vitrine } = await openDemo(t)
  const { id } = await order('cod', 'masala-chai-blend')
  await vitrine('simulate', 'delivery', id, '--status', 'in_transit')
  const ship = ['order', 'ship', id, '--tracking', 'BB1', '--partner']
  const faults: [args: string[], part: string][] = [
    [['order', 'show', 'ord_none'], 'There is no order ord_none.'],
    [['order', 'cancel', id], 'can no longer be cancelled'],
    [['order', 'list', '--status', 'lost'], 'There is no order status "lost".'],
    [[...ship, 'Bluebird', '--item', 'one mug'], '--item must be a line and a quantity'],
    [[...ship, 'Bluebird', '--url', 'javascript:alert(1)'], '--url must be an address'],
    [[...ship, 'Bluebird', '--eta', 'soon'], '--eta must be a day'],
    [[...ship, ' '], '--partner must not be empty.'],
    [['simulate', 'delivery', id, '--status', 'delivered', '--shipment', 'ship_none'], 'answered 404'],
  ]
  for (const [args, part] of faults) assertSentence(await runVitrine(args, installation), part)
  const deliver = ['simulate', 'delivery', id, '--status', 'delivered']
  assertSentence(await runVitrine(deliver, { ...installation, VITRINE_SECRET: 'x'.repeat(32) }), 'answered 401')
  assertSentence(
    await runVitrine(deliver, { ...installation, ...productionSettings, VITRINE_SECRET: 's'.repeat(32) }),
    'cannot be simulated in production',
  )
})
