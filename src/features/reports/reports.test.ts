import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newProgram } from '../../../test/admin-callers.ts'
import { assertError, startTestService, type TestService } from '../../../test/harness.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { days, hours, minutes } from '../../core/clock.ts'
import { newRunner, serviceAlone } from '../../jobs/fixture.ts'
import { openRefundScene } from '../payments/refund-fixture.ts'
import { splitMonths } from './sales.ts'

let service: TestService
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
})
after(() => service.close())

type Sums = Record<string, number>
const round = (value: number) => Math.round(value * 100) / 100
const sumOf = (rows: readonly Sums[], name: string) => round(rows.reduce((sum, row) => sum + (row[name] ?? 0), 0))

const prices = { Mug: 100, Bowl: 33.33 }

test('an order counts once it is paid or placed for cash, until it is cancelled, and shows its refunds', async () => {
  const scene = await openRefundScene(service, { prices, taxRate: 18, shippingMinor: 4000, percentOff: 10 })
  const program = await newProgram(service, scene.shop)
  const report = async (path: string) => {
    const answer = await program.inStore('GET', `/reports/${path}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.json
  }
  const today = async () => (await report('sales')).data.at(-1)
  const nothing = { orders: 0, gross: 0, discount: 0, tax: 0, shipping: 0, refunds: 0, net: 0 }
  const { period, ...empty } = await today()
  assert.match(period, /^\d{4}-\d\d-\d\d$/)
  assert.deepEqual(empty, nothing)

  await scene.order({ mug: 1 }, { isPaid: false })
  assert.equal((await today()).orders, 0, 'it is not paid')
  const paid = await scene.order({ mug: 2, bowl: 1 })
  const cash = await scene.order({ bowl: 3 }, { method: 'cod', isPaid: false })
  const { period: _, ...both } = await today()
  const shown = [await paid.show(), await cash.show()]
  const expected = () => ({
    orders: 2,
    gross: sumOf(shown, 'subtotal'),
    discount: sumOf(shown, 'discount'),
    tax: sumOf(shown, 'tax'),
    shipping: sumOf(shown, 'shipping'),
    refunds: 0,
    net: sumOf(shown, 'total'),
  })
  assert.deepEqual(both, expected())

  await paid.refund({ items: [{ id: paid.lines[0] ?? '', quantity: 1 }] })
  const part = (await paid.show()).refundedTotal
  assert.ok(part > 0)
  assert.deepEqual([(await today()).refunds, (await today()).net], [part, round(expected().net - part)])
  const products = (await report('products')).data
  assert.deepEqual(
    products.map((row: Sums) => [row.name, row.orders, row.quantity, row.refundedQuantity]),
    [
      ['Mug', 1, 2, 1],
      ['Bowl', 2, 4, 0],
    ],
  )
  const tax = (await report('tax')).data
  assert.deepEqual([tax.length, tax[0].rate, tax[0].tax], [1, 18, expected().tax])
  assert.equal(tax[0].taxable, round(expected().gross - expected().discount))
  const [coupon] = (await report('coupons')).data
  assert.deepEqual([coupon.code, coupon.orders, coupon.net], ['OFF', 2, round(expected().net - part)])
  assert.equal((await report('outlets')).data[0].net, round(expected().net - part))
  const [category] = (await report('categories')).data
  assert.deepEqual([category.categoryId, category.quantity], [null, 6])

  assert.equal((await cash.cancel()).status, 200)
  const { orders, gross } = await today()
  assert.deepEqual([orders, gross], [1, (await paid.show()).subtotal])
  assert.equal((await report('products')).data.at(-1).quantity, 1)
  assert.deepEqual(await scene.findings(), [])
})

test('figures are the same before and after they are added to the sums, in every period', async (t) => {
  const { service: alone } = await serviceAlone(t, { passwords: cheapPasswords })
  const scene = await openRefundScene(alone, { prices, taxRate: 5, shippingMinor: 1000 })
  await alone.db.run`update store set timezone = 'Europe/Berlin' where id = ${scene.store.id}`
  const program = await newProgram(alone, scene.shop)
  const start = new Date(alone.clock.now())
  for (let n = 0; n < 6; n++) {
    const order = await scene.order({ mug: 1 + (n % 2) }, n % 3 === 2 ? { method: 'cod', isPaid: false } : {})
    if (n % 2 === 0 && n % 3 !== 2) await order.refund({ amount: 10 + n })
    alone.clock.advance(hours(11) + minutes(7))
  }
  const end = new Date(alone.clock.now())
  const read = async () => {
    const answers = []
    const exact = `from=${start.toISOString()}&to=${end.toISOString()}`
    const half = `from=${new Date(start.getTime() + hours(17)).toISOString()}&to=${end.toISOString()}`
    for (const path of ['sales', 'sales?by=week', 'sales?by=month', `sales?${exact}`, `sales?${half}`, `tax?${half}`]) {
      answers.push((await program.inStore('GET', `/reports/${path}`)).json)
    }
    for (const name of ['products', 'outlets', 'categories', 'coupons', 'tax', 'carts']) {
      answers.push((await program.inStore('GET', `/reports/${name}`)).json)
    }
    return answers
  }
  const before = await read()
  assert.equal(sumOf(before[0].data, 'orders'), 6)
  assert.equal(sumOf(before[3].data, 'orders'), 6)
  assert.equal(sumOf(before[4].data, 'orders'), 4)
  const countEntries = async () => (await alone.db.one<{ n: number }>`select count(*) as n from sale_entry`).n
  assert.ok((await countEntries()) > 6)
  alone.clock.advance(minutes(1))
  await newRunner(alone).runDue()
  assert.equal(await countEntries(), 0)
  const after = await read()
  // Carts were changed by nothing since.
  assert.deepEqual(after, before)
  assert.deepEqual(await scene.findings(), [])
})

test('days begin and end in the time zone of the store, also when clocks change', async (t) => {
  const { service: alone } = await serviceAlone(t, { passwords: cheapPasswords })
  const scene = await openRefundScene(alone, { prices })
  await alone.db.run`update store set timezone = 'Europe/Berlin' where id = ${scene.store.id}`
  const program = await newProgram(alone, scene.shop)
  // In 2027 clocks in Berlin go forward on 28 March at 01:00 UTC.
  const times = ['2027-03-27T22:59:00Z', '2027-03-27T23:01:00Z', '2027-03-28T21:59:00Z', '2027-03-28T22:01:00Z']
  for (const time of times) {
    alone.clock.advance(Date.parse(time) - alone.clock.now())
    await scene.order({ mug: 1 })
  }
  const { data } = (await program.inStore('GET', '/reports/sales?from=2027-03-27&to=2027-03-29')).json
  assert.deepEqual(
    data.map((row: Sums) => [row.period, row.orders]),
    [
      ['2027-03-27', 1],
      ['2027-03-28', 2],
      ['2027-03-29', 1],
    ],
  )
  const { data: weeks } = (await program.inStore('GET', '/reports/sales?from=2027-03-27&to=2027-03-29&by=week')).json
  assert.deepEqual(
    weeks.map((row: Sums) => [row.period, row.orders]),
    [
      ['2027-03-22', 3],
      ['2027-03-29', 1],
    ],
  )
})

test('sales are exact while orders are placed, refunded and added to the sums at once', async (t) => {
  const { service: alone } = await serviceAlone(t, { passwords: cheapPasswords })
  const scene = await openRefundScene(alone, { prices: { Mug: 100 } })
  const runJobs = async () => {
    for (let n = 0; n < 5; n++) {
      await alone.db.run`update sale_entry set at = (at at time zone 'UTC' - interval '1 minute') at time zone 'UTC'`
      await newRunner(alone).runDue()
    }
  }
  const buy = async () => {
    const order = await scene.order({ mug: 1 })
    await order.refund({ amount: 40 })
  }
  await Promise.all([...Array.from({ length: 12 }, buy), runJobs(), runJobs()])
  await runJobs()
  assert.deepEqual(await scene.findings(), [])
  const program = await newProgram(alone, scene.shop)
  const { data } = (await program.inStore('GET', '/reports/sales')).json
  assert.deepEqual([sumOf(data, 'orders'), sumOf(data, 'net')], [12, 12 * 60])
})

test('a report is also a CSV file, and an impossible period is refused', async () => {
  const scene = await openRefundScene(service, { prices })
  await scene.order({ mug: 1 })
  const program = await newProgram(service, scene.shop)
  const csv = await program.inStore('GET', '/reports/sales?format=csv')
  assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/)
  assert.match(
    csv.headers.get('content-disposition') ?? '',
    /^attachment; filename="sales-report-\d{4}-\d\d-\d\d\.csv"$/,
  )
  const [heading, ...lines] = csv.text.trim().split('\r\n')
  assert.equal(heading, 'period,orders,gross,discount,tax,shipping,refunds,net')
  assert.equal(lines.length, 30)
  assert.match(lines.at(-1) ?? '', /,1,100,/)
  for (const query of ['from=2026-02-01&to=2026-01-01', 'from=1990-01-01', 'from=2026-13-01', 'by=year']) {
    assertError(await program.inStore('GET', `/reports/sales?${query}`), 400, 'BAD_REQUEST')
  }
  const dayAgo = new Date(service.clock.now() - days(1)).toISOString().slice(0, 10)
  const { data } = (await program.inStore('GET', `/reports/products?from=${dayAgo}&to=${dayAgo}`)).json
  assert.deepEqual(data, [])
})

test('a period is its whole months, the whole days beside them, and the rest', () => {
  const cases = [
    ['2026-01-01', '2026-01-01', '2026-04-01', '2026-04-01'],
    ['2026-01-01T05:00Z', '2026-01-02', '2026-01-20', '2026-01-20T07:00Z'],
    ['2026-01-01T05:00Z', '2026-01-01T07:00Z', '2026-01-01T07:00Z', '2026-01-01T07:00Z'],
    ['2025-12-31T18:30Z', '2026-01-01', '2026-12-31', '2026-12-31T18:30Z'],
  ].map((moments) => moments.map((moment) => new Date(moment)))
  const months = [
    ['2026-01-01', '2026-04-01'],
    ['2026-01-20', '2026-01-20'],
    ['2026-01-01T07:00Z', '2026-01-01T07:00Z'],
    ['2026-01-01', '2026-12-01'],
  ]
  for (const [i, [from, wholeFrom, wholeTo, to]] of cases.entries()) {
    assert.ok(from && to)
    const [monthFrom, monthTo] = months[i]?.map((moment) => new Date(moment)) ?? []
    assert.deepEqual(splitMonths({ from, to }), { from, to, wholeFrom, wholeTo, monthFrom, monthTo })
  }
})
