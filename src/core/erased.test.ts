import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eraseAll, eraseJson, nameForms, phoneForms, sqlPatternOf, toPersonalValues } from './erased.ts'

const values = toPersonalValues([...nameForms('Ali Rao (Jr.)'), 'ali@post.example', ...phoneForms('+91 98765 43210')])

test('texts that name the person are replaced, whole words only', () => {
  const erase = (text: string) => eraseJson({ message: text }, values)
  for (const text of ['Ali called.', 'by ALI@post.example', 'tel 919876543210.', 'Rao', 'x9876543210y', '(Jr.)']) {
    assert.deepEqual(erase(text), { message: '[erased]' }, text)
  }
  for (const text of ['quality', 'Paid by upi.', 'Alibi', 'raoul', '']) assert.deepEqual(erase(text), { message: text })
})

test('objects and fields about a person are replaced by their names, and the shape stays', () => {
  const order = {
    ...{
      id: 'ord_1',
      number: 1001,
      status: 'paid',
      totalMinor: 5000,
      note: 'Ring twice',
      lines: [{ name: 'Ali mug' }],
    },
    customer: { id: 'cus_1', name: 'Bo', email: 'b@o.example', phone: '' },
    shippingAddress: { name: 'Bo', city: 'Pune', country: 'IN', line2: '' },
    billingAddress: null,
    payment: { method: 'upi', upiId: 'bo@upi', last4: '' },
    contact: 919876543210,
  }
  assert.deepEqual(eraseJson(order, values), {
    ...{ id: 'ord_1', number: 1001, status: 'paid', totalMinor: 5000, note: '[erased]', lines: [{ name: 'Ali mug' }] },
    customer: { id: 'cus_1', name: '[erased]', email: '[erased]', phone: '' },
    shippingAddress: { name: '[erased]', city: '[erased]', country: 'IN', line2: '' },
    billingAddress: null,
    payment: { method: 'upi', upiId: '[erased]', last4: '' },
    contact: null,
  })
})

test('without values nothing is looked for', () => {
  assert.equal(sqlPatternOf([]), null)
  assert.deepEqual(eraseJson({ message: 'Ali' }, []), { message: 'Ali' })
  assert.deepEqual(toPersonalValues(['', ' ab ', null, undefined, '[erased]']), [])
  assert.deepEqual(eraseAll({ a: { before: true, after: 'x' } }), { a: { before: true, after: '[erased]' } })
})
