import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OperatorError } from '../core/operator-error.ts'
import { explainFailure, fields, makeVisible, table, toJson } from './output.ts'

const attack = 'Eve\x1b]0;owned\x07\x1b[2J\u009b31m\u202efdp.exe\u2066\x7f\r\u2028'
const harmless = /^(?:\n|[^\p{Cc}\u2028-\u202e\u2066-\u2069])*$/u

test('control characters and changes of writing direction are shown as escapes', () => {
  assert.equal(makeVisible(attack), 'Eve\\x1b]0;owned\\x07\\x1b[2J\\x9b31m\\u202efdp.exe\\u2066\\x7f\\x0d\\u2028')
  for (const text of ['Zoë Ünal', 'मसाला चाय', 'שלום', '日本', '👩‍🍳', 'two\nlines'])
    assert.equal(makeVisible(text), text)
})

test('a value in a table or a list of fields cannot forge a row', () => {
  const row = 'Eve\n1002  ord_forged  paid'
  assert.deepEqual(table(['customer'], [[row]]).split('\n'), ['customer', 'Eve\\n1002  ord_forged  paid'])
  assert.deepEqual(fields({ customer: row, note: attack }).split('\n').length, 2)
  assert.match(fields({ note: attack }), harmless)
  assert.match(table(['name'], [[attack]]), harmless)
})

test('columns are as wide as their escaped values', () => {
  const [heading, ...rows] = table(
    ['a', 'b'],
    [
      ['\x1b', 'x'],
      ['abcd', 'y'],
    ],
  ).split('\n')
  assert.deepEqual([heading, ...rows], ['a     b', '\\x1b  x', 'abcd  y'])
})

test('JSON output escapes control characters and parses to the same values', () => {
  const text = toJson({ name: attack, nested: [attack] })
  assert.match(text, harmless)
  assert.deepEqual(JSON.parse(text), { name: attack, nested: [attack] })
})

test('an error message escapes control characters in the input that it quotes', () => {
  for (const json of [true, false]) {
    assert.match(explainFailure(new OperatorError(`There is no order ${attack}.`), json), harmless)
  }
})
