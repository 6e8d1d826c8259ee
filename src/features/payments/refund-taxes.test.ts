import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { PaidLine, TaxedOrder } from './refund-taxes.sql.ts'
import { creditTaxes } from './refund-taxes.ts'

const anOrder = fc
  .record({
    lines: fc.array(
      fc.record({
        rate: fc.constantFrom<number>(0, 5, 12.5, 18),
        quantity: fc.integer({ min: 1, max: 5 }),
        netMinor: fc.integer({ min: 0, max: 100_000 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    shippingMinor: fc.constantFrom<number>(0, 1, 4_999),
  })
  .map(({ lines, shippingMinor }): TaxedOrder => {
    const paid = lines.map(({ rate, quantity, netMinor }, i): PaidLine => {
      const taxMinor = Math.round((netMinor * rate) / 100)
      return { id: `line_${i}`, quantity, rate, taxMinor, paidMinor: netMinor + taxMinor }
    })
    const totalMinor = paid.reduce((sum, { paidMinor }) => sum + paidMinor, shippingMinor)
    return { totalMinor, lines: paid, refunds: [] }
  })

/** A part of the money that is left, or units of a line. */
const aRefund = fc.oneof(
  fc.record({ share: fc.double({ min: 0.01, max: 1, noNaN: true }) }),
  fc.record({ line: fc.nat(3), units: fc.integer({ min: 1, max: 5 }) }),
)

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0)

test('by rate, refunds return at most the tax and money of an order, and all of it with the last one', () => {
  fc.assert(
    fc.property(anOrder, fc.array(aRefund, { maxLength: 8 }), (order, requests) => {
      const refund = (amountMinor: number, items: { id: string; quantity: number }[]) => {
        const taxes = creditTaxes(order, { amountMinor, items })
        assert.ok(sumOf(taxes.map(({ baseMinor, taxMinor }) => baseMinor + taxMinor)) <= amountMinor)
        order.refunds.push({ id: `ref_${order.refunds.length}`, amountMinor, items, taxes })
      }
      const left = () => order.totalMinor - sumOf(order.refunds.map(({ amountMinor }) => amountMinor))
      for (const request of requests) {
        if ('share' in request) {
          const amountMinor = Math.round(left() * request.share)
          if (amountMinor > 0) refund(amountMinor, [])
          continue
        }
        const line = order.lines[request.line]
        if (line === undefined) continue
        const items = order.refunds.flatMap((made) => made.items).filter(({ id }) => id === line.id)
        const quantity = Math.min(request.units, line.quantity - sumOf(items.map((item) => item.quantity)))
        if (quantity === 0) continue
        const upTo = (units: number) => Math.floor((line.paidMinor * units) / line.quantity)
        const before = sumOf(items.map((item) => item.quantity))
        const amountMinor = upTo(before + quantity) - upTo(before)
        if (amountMinor > 0 && amountMinor <= left()) refund(amountMinor, [{ id: line.id, quantity }])
      }
      const compare = (isWhole: boolean) => {
        for (const rate of new Set(order.lines.map((line) => line.rate))) {
          const lines = order.lines.filter((line) => line.rate === rate)
          const taxes = order.refunds.flatMap((made) => made.taxes).filter((tax) => tax.rate === rate)
          const charged = { tax: sumOf(lines.map((l) => l.taxMinor)), paid: sumOf(lines.map((l) => l.paidMinor)) }
          const returned = {
            tax: sumOf(taxes.map((t) => t.taxMinor)),
            paid: sumOf(taxes.map((t) => t.baseMinor + t.taxMinor)),
          }
          if (isWhole) assert.deepEqual(returned, charged)
          assert.ok(returned.tax <= charged.tax && returned.paid <= charged.paid)
          assert.ok(taxes.every(({ taxMinor }) => taxMinor >= 0))
        }
      }
      compare(false)
      if (left() > 0) refund(left(), [])
      compare(true)
    }),
    { numRuns: 2_000 },
  )
})

test('an amount returns the same share of each rate, and units the tax of their line', () => {
  const order: TaxedOrder = {
    totalMinor: 118_00 + 105_00 + 50_00 + 27_00,
    lines: [
      { id: 'mug', quantity: 4, rate: 18, paidMinor: 118_00, taxMinor: 18_00 },
      { id: 'lamp', quantity: 1, rate: 5, paidMinor: 105_00, taxMinor: 5_00 },
      { id: 'map', quantity: 1, rate: 0, paidMinor: 50_00, taxMinor: 0 },
    ],
    refunds: [],
  }
  assert.deepEqual(creditTaxes(order, { amountMinor: 30_00, items: [] }), [
    { rate: 18, baseMinor: 10_00, taxMinor: 1_80 },
    { rate: 5, baseMinor: 10_00, taxMinor: 50 },
    { rate: 0, baseMinor: 5_00, taxMinor: 0 },
  ])
  assert.deepEqual(creditTaxes(order, { amountMinor: 29_50, items: [{ id: 'mug', quantity: 1 }] }), [
    { rate: 18, baseMinor: 25_00, taxMinor: 4_50 },
  ])
})
