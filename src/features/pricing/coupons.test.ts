import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Coupon, judgeCoupon, priceCart, readCouponCode } from './coupons.ts'

const nowMs = Date.parse('2026-05-01T12:00:00Z')
const store = {
  ...{ locale: 'en-IN', currency: 'INR', taxIncluded: true, shippingFlatMinor: 7_900, shippingFreeAboveMinor: 99_900 },
}

const tenPercent: Coupon = {
  ...{ id: 'cpn_1', code: 'TEN', kind: 'percent', value: 10_000, minSubtotalMinor: 0, used: 0 },
  ...{ startsAtMs: null, endsAtMs: null, usageLimit: null, customerLimit: null, productIds: [], categoryIds: [] },
}

const mug = { productId: 'prod_mug', categoryId: 'cat_mugs', lineTotalMinor: 50_000 }
const card = { productId: 'prod_card', categoryId: null, lineTotalMinor: 10_000 }

const judge = (change: Partial<Coupon>, more: { customerUses?: number; lines?: (typeof mug | typeof card)[] } = {}) =>
  judgeCoupon({ ...tenPercent, ...change }, { store, nowMs, lines: [mug, card], ...more })

const assertRefused = (judged: ReturnType<typeof judge>, reason: string, message: string) =>
  assert.deepEqual(judged, { applies: false, reason, message })

const assertScope = (judged: ReturnType<typeof judge>, inScope: boolean[]) => {
  assert.equal(judged.applies, true)
  assert.deepEqual(judged.applies && judged.inScope, inScope)
}

test('a code is the same in lower case, with surrounding spaces and in full-width letters', () => {
  for (const text of ['WELCOME-10', ' welcome-10\n', 'Welcome-10', 'ｗｅｌｃｏｍｅ－１０']) {
    assert.equal(readCouponCode(text), 'WELCOME-10', text)
  }
  assert.equal(readCouponCode('दीवाली_10'), 'दीवाली_10')
  assert.equal(readCouponCode('straße'), readCouponCode('STRASSE'))
  assert.equal(readCouponCode('x'.repeat(64))?.length, 64)
})

test('a text that is empty, too long or has other characters is not a code', () => {
  for (const text of ['', '  ', 'TWO WORDS', '10%', 'A\0B', "A'B", '🎁', 'A\ud800', 'x'.repeat(65), 'ŉ'.repeat(64)]) {
    assert.equal(readCouponCode(text), null, JSON.stringify(text))
  }
})

test('any code is found again in any case', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.string({ unit: fc.constantFrom(...'İıßẞŉǰΐςΣſKﬁDž_-'), maxLength: 6 }),
  )
  fc.assert(
    fc.property(anyText, (text) => {
      const code = readCouponCode(text)
      if (code === null) return
      for (const again of [code, code.toLowerCase(), text.toLowerCase(), text.toUpperCase()]) {
        assert.equal(readCouponCode(again), code)
      }
    }),
    { numRuns: 1000 },
  )
})

test('a coupon without conditions applies to every line, and to a cart that is still empty', () => {
  assert.deepEqual(judge({}), { applies: true, inScope: [true, true], discount: { kind: 'percent', value: 10_000 } })
  assertScope(judge({}, { lines: [] }), [])
})

test('an unknown code is not found', () => {
  assertRefused(judgeCoupon(null, { store, nowMs, lines: [] }), 'NOT_FOUND', 'There is no coupon with this code.')
})

test('a coupon is valid from its start to its end, to the millisecond', () => {
  assertScope(judge({ startsAtMs: nowMs, endsAtMs: nowMs + 1 }), [true, true])
  assertRefused(judge({ startsAtMs: nowMs + 1 }), 'NOT_STARTED', 'The coupon TEN is not valid yet.')
  assertRefused(judge({ endsAtMs: nowMs }), 'EXPIRED', 'The coupon TEN has expired.')
})

test('a coupon is used up for everyone by its usage limit, and for one customer by the customer limit', () => {
  assertScope(judge({ usageLimit: 3, used: 2 }), [true, true])
  assertRefused(judge({ usageLimit: 3, used: 3 }), 'USAGE_LIMIT', 'The coupon TEN has been used up.')
  assertScope(judge({ customerLimit: 1 }), [true, true])
  assertScope(judge({ customerLimit: 2 }, { customerUses: 1 }), [true, true])
  const message = 'You have already used the coupon TEN the maximum number of times.'
  assertRefused(judge({ customerLimit: 2 }, { customerUses: 2 }), 'USAGE_LIMIT', message)
})

test('a coupon for products and categories applies to lines that match either', () => {
  assertScope(judge({ categoryIds: ['cat_pots', 'cat_mugs'] }), [true, false])
  assertScope(judge({ productIds: ['prod_card'] }), [false, true])
  assertScope(judge({ productIds: ['prod_card'], categoryIds: ['cat_mugs'] }), [true, true])
  const message = 'The coupon TEN does not apply to any item in the cart.'
  assertRefused(judge({ productIds: ['prod_other'] }), 'NOT_APPLICABLE', message)
  assertRefused(judge({ categoryIds: ['cat_mugs'] }, { lines: [card] }), 'NOT_APPLICABLE', message)
  assertRefused(judge({ categoryIds: ['cat_mugs'] }, { lines: [] }), 'NOT_APPLICABLE', message)
})

test('the minimum is compared with the whole cart, and the message says how much is missing', () => {
  assertScope(judge({ minSubtotalMinor: 60_000, productIds: ['prod_card'] }), [false, true])
  assertRefused(
    judge({ minSubtotalMinor: 199_900 }),
    'MIN_SUBTOTAL',
    'The coupon TEN needs a subtotal of ₹1,999 or more. Add items for ₹1,399 to use it.',
  )
  const inStore = (locale: string, currency: string) => {
    const judged = judgeCoupon(
      { ...tenPercent, minSubtotalMinor: 1_234_500 },
      { store: { locale, currency }, nowMs, lines: [{ ...card, lineTotalMinor: 1 }] },
    )
    return judged.applies ? '' : judged.message.replaceAll(/\s/g, ' ')
  }
  assert.match(inStore('de-DE', 'EUR'), /of 12\.345 € or more\. Add items for 12\.344,99 € to/)
  assert.match(inStore('ja-JP', 'JPY'), /of ￥1,234,500 or more\. Add items for ￥1,234,499 to/)
  assert.match(inStore('en', 'KWD'), /of KWD 1,234\.500 or more\. Add items for KWD 1,234\.499 to/)
})

const line = { ...mug, unitMinor: 25_000, quantity: 2, taxRate: 0, digital: false }

test('a cart is priced with its coupon on the lines in scope', () => {
  const lines = [line, { ...line, ...card, unitMinor: 10_000, quantity: 1 }]
  const coupon = { ...tenPercent, categoryIds: ['cat_mugs'] }
  const priced = priceCart({ store, lines, coupon, couponCode: 'TEN', nowMs })
  assert.deepEqual([priced.couponApplied, priced.couponProblem], [true, null])
  assert.deepEqual([priced.subtotalMinor, priced.discountMinor, priced.shippingMinor], [60_000, 5_000, 7_900])
  assert.equal(priced.totalMinor, 62_900)
  assert.deepEqual(
    priced.lines.map(({ discountMinor }) => discountMinor),
    [5_000, 0],
  )
})

test('a coupon that does not apply gives no discount, and the cart has the reason', () => {
  const expired = { ...tenPercent, endsAtMs: nowMs }
  const priced = priceCart({ store, lines: [line], coupon: expired, couponCode: 'TEN', nowMs })
  assert.deepEqual([priced.couponApplied, priced.discountMinor, priced.totalMinor], [false, 0, 57_900])
  assert.deepEqual(priced.couponProblem, { reason: 'EXPIRED', message: 'The coupon TEN has expired.' })

  const unknown = priceCart({ store, lines: [line], coupon: null, couponCode: 'NOPE', nowMs })
  assert.equal(unknown.couponProblem?.reason, 'NOT_FOUND')

  const used = { ...tenPercent, customerLimit: 1 }
  const again = priceCart({ store, lines: [line], coupon: used, couponCode: 'TEN', nowMs, customerUses: 1 })
  assert.equal(again.couponProblem?.reason, 'USAGE_LIMIT')
})

test('a cart without a code has no coupon problem', () => {
  const priced = priceCart({ store, lines: [line], coupon: null, couponCode: null, nowMs })
  assert.deepEqual([priced.couponApplied, priced.couponProblem, priced.totalMinor], [false, null, 57_900])
})
