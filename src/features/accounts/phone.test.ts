import assert from 'node:assert/strict'
import { test } from 'node:test'
import { normalisePhone } from './phone.ts'

const e164 = (text: string) => normalisePhone(text)?.e164

test('different spellings of a number normalise to the same E.164 number', () => {
  for (const text of [
    '+919876543210',
    '+91 98765 43210',
    ' +91-98765-43210 ',
    '+91 (98765) 43210',
    '+91.98765.43210',
    '+91 098765 43210',
    '00919876543210',
    '00 91 98765 43210',
    '＋９１ ９８７６５ ４３２１０',
    '+٩١٩٨٧٦٥٤٣٢١٠',
    '+۹۱۹۸۷۶۵۴۳۲۱۰',
    '+९१ ९८७६५ ४३२१०',
    '००९१९८७६५४३२१०',
    '\u202a+91\u00a098765\u00a043210\u202c',
    '+91 98765\u200b43210',
  ]) {
    assert.deepEqual(normalisePhone(text), { e164: '+919876543210', country: 'IN' }, JSON.stringify(text))
  }
  assert.equal(e164('+54 11 15 1234 5678'), e164('+54 9 11 1234 5678'))
})

test('a zero that is part of the number stays, and a national trunk prefix is removed', () => {
  assert.equal(e164('+39 06 1234 5678'), '+390612345678')
  assert.equal(e164('+44 (0)20 7946 0958'), '+442079460958')
})

test('an incomplete or national number is refused', () => {
  for (const text of [
    '',
    '+',
    '00',
    '9876543210',
    '09876543210',
    '919876543210',
    '+91',
    '+999 123 456 789',
    '+0 98765 43210',
    '++919876543210',
    'call +919876543210',
    '+919876543210 and more',
    '+919876543210, +919876543211',
    '+1-800-FLOWERS',
    'tel:+919876543210',
    '+919876543210 ext. 5',
    '+919876543210;ext=5',
    `+${'9'.repeat(300)}`,
    '+91\n98765\0 43210',
  ]) {
    assert.equal(normalisePhone(text), undefined, JSON.stringify(text))
  }
})

test('a digit too few or too many is refused', () => {
  for (const text of ['+91 98765 4321', '+91 98765 432101', '+1 202 555 012', '+1 202 555 01234', '+44 7700 90012']) {
    assert.equal(normalisePhone(text), undefined, text)
  }
})

test('landline numbers are accepted as contact numbers', () => {
  assert.deepEqual(normalisePhone('+49 30 901820'), { e164: '+4930901820', country: 'DE' })
  assert.deepEqual(normalisePhone('+91 22 2266 5050'), { e164: '+912222665050', country: 'IN' })
})

test('numbers reserved for examples and tests are accepted', () => {
  assert.deepEqual(normalisePhone('+1 202 555 0123'), { e164: '+12025550123', country: 'US' })
  assert.deepEqual(normalisePhone('+15005550006'), { e164: '+15005550006', country: 'US' })
  assert.deepEqual(normalisePhone('+44 7700 900123'), { e164: '+447700900123', country: undefined })
})

test('a number in an unknown range is accepted if its length is right', () => {
  assert.deepEqual(normalisePhone('+1 999 555 0123'), { e164: '+19995550123', country: undefined })
  assert.deepEqual(normalisePhone('+254 312 345 678'), { e164: '+254312345678', country: 'KE' })
})
