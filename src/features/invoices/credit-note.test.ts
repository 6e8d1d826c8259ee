import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newStaff } from '../../../test/admin-callers.ts'
import { startTestService, type TestService } from '../../../test/harness.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { openRefundScene } from '../payments/refund-fixture.ts'
import type { RefundRequest } from '../payments/refunds.ts'
import type { InvoiceContent } from './invoice-content.ts'

let service: TestService
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
})
after(() => service.close())

const prices = { Mug: 33.37, Lamp: 49.99, Map: 10.01 }
type Units = Partial<Record<'mug' | 'lamp' | 'map', number>>
type Step = { units: Units } | { amount: number } | 'rest'

/** An order of goods with different tax rates, its invoice, and the credit notes of some refunds. */
const credit = async (isTaxIncluded: boolean, steps: readonly Step[]) => {
  const { shop, order } = await openRefundScene(service, { prices, taxRate: 18, shippingMinor: 4_99, percentOff: 7 })
  const owner = await newStaff(service, shop)
  const must = async (...request: Parameters<typeof owner.inStore>) => {
    const { status, json, text } = await owner.inStore(...request)
    assert.ok(status < 300, text)
    return json
  }
  await must('PATCH', '/settings', { taxIncluded: isTaxIncluded })
  await must('PATCH', '/products/lamp', { taxRate: 5 })
  await must('PATCH', '/products/map', { taxRate: 0 })
  const { id, lines } = await order({ mug: 3, lamp: 3, map: 2 })
  const lineOf = { mug: lines[0] ?? '', lamp: lines[1] ?? '', map: lines[2] ?? '' }
  const itemsOf = (units: Units) =>
    (['mug', 'lamp', 'map'] as const)
      .map((slug) => ({ id: lineOf[slug], quantity: units[slug] ?? 0 }))
      .filter(({ quantity }) => quantity > 0)
  await must('POST', `/orders/${id}/invoice`)
  for (const step of steps) {
    service.clock.advance(1000)
    const body: RefundRequest = step === 'rest' ? {} : 'units' in step ? { items: itemsOf(step.units) } : step
    const refund = await must('POST', `/orders/${id}/refunds`, body)
    await must('POST', `/orders/${id}/refunds/${refund.id}/credit-note`)
  }
  const rows = await service.db.many<{ content: InvoiceContent }>`
    select content from invoice where store_id = ${(await shop.load()).id} order by kind desc, number`
  const [invoice, ...notes] = rows.map(({ content }) => content)
  assert.ok(invoice !== undefined)
  return { invoice, notes }
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)
const taxesOf = (notes: readonly InvoiceContent[], rate: number) => {
  const ofRate = notes.flatMap(({ taxes }) => taxes.filter((tax) => tax.rate === rate))
  return { base: sum(ofRate.map(({ baseMinor }) => baseMinor)), tax: sum(ofRate.map(({ taxMinor }) => taxMinor)) }
}

const refunds: Readonly<Record<string, readonly Step[]>> = {
  'unit by unit': [
    { units: { mug: 1 } },
    { units: { mug: 1, lamp: 2 } },
    { units: { mug: 1, lamp: 1, map: 2 } },
    'rest',
  ],
  'the goods of one rate, then the rest': [{ units: { mug: 3 } }, 'rest'],
  'amounts before and after units': [{ amount: 11.11 }, { units: { lamp: 1 } }, { amount: 0.07 }, 'rest'],
}

for (const isTaxIncluded of [true, false]) {
  for (const [name, steps] of Object.entries(refunds)) {
    test(`credit notes add up to the invoice: ${name}, tax ${isTaxIncluded ? 'included' : 'on top'}`, async () => {
      const { invoice, notes } = await credit(isTaxIncluded, steps)
      assert.equal(notes.length, steps.length)
      for (const { lines, taxes, totalMinor } of notes) {
        assert.equal(sum(lines.map((line) => line.totalMinor)), totalMinor)
        for (const { unitMinor, quantity, discountMinor, taxMinor, totalMinor: lineMinor } of lines) {
          if (unitMinor === null) continue
          assert.equal(unitMinor * quantity - discountMinor + (isTaxIncluded ? 0 : taxMinor), lineMinor)
        }
        assert.ok(sum(taxes.map(({ baseMinor, taxMinor }) => baseMinor + taxMinor)) <= totalMinor)
      }
      assert.equal(sum(notes.map(({ totalMinor }) => totalMinor)), invoice.totalMinor)
      for (const rate of [18, 5]) assert.deepEqual(taxesOf(notes, rate), taxesOf([invoice], rate), `${rate} %`)
    })
  }
}

test('a credit note of one unit has a base and a tax that add up to its total', async () => {
  const { notes } = await credit(true, [{ units: { mug: 1 } }])
  const [note] = notes
  assert.equal(sum(note?.taxes.map(({ baseMinor, taxMinor }) => baseMinor + taxMinor) ?? []), note?.totalMinor)
})
