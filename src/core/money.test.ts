import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currencyExponent, isCurrency, maxMinor, toMinor, toWire } from './money.ts'

test('currencies have the decimals of ISO 4217, even where the data in Node differs', () => {
  const decimals = { INR: 2, USD: 2, HUF: 2, PKR: 2, IDR: 2, AFN: 2, JPY: 0, KRW: 0, ISK: 0, KWD: 3, IQD: 3, CLF: 4 }
  for (const [currency, exponent] of Object.entries(decimals)) assert.equal(currencyExponent(currency), exponent)
})

test('only ISO 4217 codes are currencies', () => {
  assert.ok(isCurrency('INR') && isCurrency('KWD'))
  for (const code of ['', 'inr', 'ABC', 'RUPEE']) assert.equal(isCurrency(code), false)
})

test('amounts are converted to minor units without rounding errors', () => {
  assert.equal(toMinor(449.5, 'INR'), 44950)
  assert.equal(toMinor(0.1 + 0.2, 'INR'), 30)
  assert.equal(toMinor(1.005, 'KWD'), 1005)
  assert.equal(toMinor(19.99, 'USD'), 1999)
  assert.equal(toMinor(980, 'JPY'), 980)
  assert.equal(toMinor(0, 'INR'), 0)
  assert.equal(toMinor(9_999_999_999.99, 'INR'), 999_999_999_999)
})

test('an amount with too many decimals, a negative, too large or non-finite one is refused', () => {
  for (const amount of [0.001, 449.505, 9_999_999_999.994, -1, -0.01, 1e13, 1e300, Infinity, -Infinity, NaN]) {
    assert.equal(toMinor(amount, 'INR'), null, String(amount))
  }
  assert.equal(toMinor(9.5, 'JPY'), null)
  assert.equal(toMinor(1.2345, 'KWD'), null)
  assert.equal(toMinor((maxMinor + 1) / 100, 'INR'), null)
})

test('minor units survive a round trip through JSON, in currencies with 0, 2 and 3 decimals', () => {
  for (const currency of ['JPY', 'INR', 'KWD']) {
    for (const minor of [0, 1, 7, 99, 100, 101, 29_995, 123_456_789, 99_999_999_999, maxMinor]) {
      const wire = JSON.parse(JSON.stringify(toWire(minor, currency)))
      assert.equal(toMinor(wire, currency), minor)
    }
  }
  assert.equal(JSON.stringify(toWire(44_910, 'INR')), '449.1')
})
