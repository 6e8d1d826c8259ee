import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newProgram } from '../../../test/admin-callers.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { days, hours } from '../../core/clock.ts'
import { sql } from '../../db/sql.ts'
import { newRunner, serviceAlone } from '../../jobs/fixture.ts'
import { openRefundScene } from '../payments/refund-fixture.ts'
import { saleEntry } from './sale-entries.sql.ts'

type Test = Parameters<typeof serviceAlone>[0]

const prices = { Mug: 33.37, Lamp: 49.99, Map: 10.01 }
const round = (value: number) => Math.round(value * 100) / 100

/** Goods with 18, 5 and 0 percent, and a recount of tax that reads orders and refunds one by one. */
const open = async (t: Test, shippingMinor = 4_99, percentOff = 7) => {
  const { service } = await serviceAlone(t, { passwords: cheapPasswords })
  const scene = await openRefundScene(service, { prices, taxRate: 18, shippingMinor, percentOff })
  const program = await newProgram(service, scene.shop)
  const must = async (...request: Parameters<typeof program.inStore>) => {
    const { status, json, text } = await program.inStore(...request)
    assert.ok(status < 300, text)
    return json
  }
  await must('PATCH', '/products/lamp', { taxRate: 5 })
  await must('PATCH', '/products/map', { taxRate: 0 })
  const at = () => new Date(service.clock.now()).toISOString()
  const report = async (from: string, to: string) => (await must('GET', `/reports/tax?from=${from}&to=${to}`)).data
  const sum = async () => {
    await service.db.run`update sale_entry set at = (at at time zone 'UTC' - interval '1 minute') at time zone 'UTC'`
    await newRunner(service).runDue()
    assert.equal((await service.db.one<{ n: number }>`select count(*) as n from sale_entry`).n, 0)
  }
  return { service, scene, must, at, report, sum }
}

test('tax counts in the period of its order, and refunded tax in the period of its refund', async (t) => {
  const { service, scene, must, at, report, sum } = await open(t, 0, 1)
  await must('PATCH', '/products/mug', { price: 100 })
  await must('PATCH', '/products/lamp', { price: 100 })
  const first = at()
  const order = await scene.order({ mug: 4, lamp: 2 })
  service.clock.advance(days(45))
  const second = at()
  await order.refund({ items: [{ id: order.lines[0] ?? '', quantity: 1 }] })
  service.clock.advance(hours(1))
  const third = at()
  // 99 of each is left of a unit of 100: 4 * 99 * 1.18 and 2 * 99 * 1.05, less the unit before.
  assert.equal(order.total, 675.18)
  await order.refund({ amount: round((675.18 - 116.82) / 2) })
  service.clock.advance(days(40))
  const end = at()
  const row = (rate: number, [taxable, tax, refundedTaxable, refundedTax]: readonly number[]) => ({
    ...{ rate, taxable, tax, refundedTaxable, refundedTax },
    netTaxable: round((taxable ?? 0) - (refundedTaxable ?? 0)),
    netTax: round((tax ?? 0) - (refundedTax ?? 0)),
  })
  const check = async () => {
    assert.deepEqual(await report(first, second), [row(5, [198, 9.9, 0, 0]), row(18, [396, 71.28, 0, 0])])
    assert.deepEqual(await report(second, third), [row(18, [0, 0, 99, 17.82])])
    const half = [row(5, [0, 0, 99, 4.95]), row(18, [0, 0, 148.5, 26.73])]
    assert.deepEqual(await report(third, end), half)
    assert.deepEqual(await report(first, end), [row(5, [198, 9.9, 99, 4.95]), row(18, [396, 71.28, 247.5, 44.55])])
    assert.deepEqual(await scene.findings(), [])
  }
  await check()
  await sum()
  await check()
  // The rest of the order is refunded: nothing is left of any rate.
  await order.refund()
  service.clock.advance(1000)
  for (const { netTax, netTaxable } of await report(first, at())) assert.deepEqual([netTax, netTaxable], [0, 0])
})

test('the tax report equals a plain recount of orders and refunds, in every period', async (t) => {
  const { service, scene, must, at, report, sum } = await open(t)
  const moments = [at()]
  const orders = []
  for (let n = 0; n < 9; n++) {
    const order = await scene.order({ mug: 1 + (n % 3), lamp: 2, ...(n % 2 === 0 ? { map: 1 } : {}) })
    orders.push(order)
    await must('POST', `/orders/${order.id}/invoice`)
    service.clock.advance(hours(31) + n * days(3))
    const older = orders[Math.floor(n / 2)]
    const [mug = '', lamp = ''] = older?.lines ?? []
    if (n % 3 === 0) await older?.refund({ amount: 10.07 + n })
    if (n % 3 === 1) await older?.refund({ items: [{ id: mug, quantity: 1 }] })
    if (n % 3 === 2) await older?.refund({ items: [{ id: lamp, quantity: 1 }] })
    if (n === 6) await orders[1]?.refund()
    service.clock.advance(hours(2))
    moments.push(at())
    if (n === 4) await sum()
  }
  const cancelled = await scene.order({ mug: 1 }, { method: 'cod', isPaid: false })
  assert.equal((await cancelled.cancel()).status, 200)
  const { data: list } = await must('GET', '/orders?limit=100')
  const notes: { at: number; taxes: { rate: number; baseMinor: number; taxMinor: number }[] }[] = []
  for (const { id } of list) {
    const { refunds } = await must('GET', `/orders/${id}`)
    for (const refund of refunds) {
      await must('POST', `/orders/${id}/refunds/${refund.id}/credit-note`)
      const { content } = await service.db.one<{ content: (typeof notes)[number] }>`
        select content from invoice where refund_id = ${refund.id}`
      notes.push({ at: Date.parse(refund.createdAt), taxes: content.taxes })
    }
  }
  assert.equal(notes.length, 10)
  const lines = await service.db.many<{ at: Date; rate: number; tax: number }>`
    select o.created_at as at, l.tax_rate::float8 as rate, l.tax_minor as tax from order_line l
    join orders o on o.store_id = l.store_id and o.id = l.order_id where o.status <> 'cancelled'`
  const recount = (from: string, to: string, rate: number) => {
    const isIn = (ms: number) => ms >= Date.parse(from) && ms < Date.parse(to)
    const charged = lines.filter((line) => line.rate === rate && isIn(line.at.getTime()))
    const refunded = notes.filter((note) => isIn(note.at)).flatMap((note) => note.taxes.filter((x) => x.rate === rate))
    const tax = charged.reduce((all, line) => all + line.tax, 0)
    const refundedTax = refunded.reduce((all, one) => all + one.taxMinor, 0)
    const refundedTaxable = refunded.reduce((all, one) => all + one.baseMinor, 0)
    return [tax, refundedTax, refundedTaxable, tax - refundedTax].map((minor) => minor / 100)
  }
  const check = async () => {
    for (const [i, from] of moments.entries()) {
      for (const to of moments.slice(i + 1)) {
        const rows = await report(from, to)
        for (const rate of [5, 18]) {
          const found = rows.find((row: { rate: number }) => row.rate === rate)
          const { tax = 0, refundedTax = 0, refundedTaxable = 0, netTax = 0 } = found ?? {}
          assert.deepEqual(
            [tax, refundedTax, refundedTaxable, netTax],
            recount(from, to, rate),
            `${from} ${to} ${rate}`,
          )
        }
      }
    }
    assert.deepEqual(await scene.findings(), [])
  }
  await check()
  await sum()
  await check()
})

test('of a cancelled order neither tax nor its refund counts', async (t) => {
  const { service, scene, at, report, sum } = await open(t)
  const from = at()
  const order = await scene.order({ mug: 2, lamp: 1 })
  service.clock.advance(1000)
  await order.refund({ amount: 20 })
  service.clock.advance(1000)
  assert.ok((await report(from, at())).every((row: { refundedTax: number }) => row.refundedTax > 0))
  await service.db.run`update orders set status = 'cancelled' where id = ${order.id}`
  const { storeId } = await service.db.one<{ storeId: number }>`
    select store_id as "storeId" from orders where id = ${order.id}`
  await service.db.run`
    with written as (select * from orders where id = ${order.id}) ${saleEntry(storeId, order.id, sql`written`, -1)}`
  assert.deepEqual(await report(from, at()), [])
  await sum()
  service.clock.advance(days(1))
  assert.deepEqual(await report(from, at()), [])
})
