import assert from 'node:assert/strict'
import { test } from 'node:test'
import { literalNumber } from './plan-hints.ts'
import { allOf, sql, toStatement } from './sql.ts'

const statement = (strings: TemplateStringsArray, ...values: unknown[]) => toStatement(strings, values)

test('values become parameters, in order, and never SQL text', () => {
  const evil = `'; drop table product; --`
  const { text, values } = statement`select * from product where name = ${evil} and seq > ${5}`
  assert.equal(text, 'select * from product where name = $1 and seq > $2')
  assert.deepEqual(values, [evil, 5])
})

test('fragments nest, and their parameters are numbered consecutively', () => {
  const inner = sql`price between ${1} and ${2}`
  const { text, values } = statement`select ${'a'} where ${sql`${inner} or (${inner})`} limit ${3}`
  assert.equal(text, 'select $1 where price between $2 and $3 or (price between $4 and $5) limit $6')
  assert.deepEqual(values, ['a', 1, 2, 1, 2, 3])
})

test('null, undefined, arrays and objects that only look like a fragment stay parameters', () => {
  const lookalike = { strings: ['drop table product'], values: [] }
  const { text, values } = statement`select ${null}, ${undefined}, ${['a', 'b']}, ${lookalike}`
  assert.equal(text, 'select $1, $2, $3, $4')
  assert.deepEqual(values, [null, undefined, ['a', 'b'], lookalike])
  assert.equal(statement`select ${sql`1`}, ${lookalike}`.text, 'select 1, $1')
})

test('conditions are joined by "and"', () => {
  const { text, values } = statement`where ${allOf([sql`a = ${1}`, sql`b`, sql`c = ${2}`])}`
  assert.equal(text, 'where a = $1 and b and c = $2')
  assert.deepEqual(values, [1, 2])
})

test('equal texts share a name whatever their values, and different texts do not', () => {
  const flat = (n: number) => statement`select ${n}`
  const nested = (n: number) => statement`select ${sql`${n}`}`
  assert.equal(flat(1).name, flat(2).name)
  assert.equal(flat(1).name, nested(3).name)
  assert.notEqual(flat(1).name, statement`select ${1} `.name)
})

test('a template used again gets its new values', () => {
  const read = (n: number) => statement`select ${n}`
  assert.deepEqual([read(1).values, read(2).values], [[1], [2]])
})

test('one template has as many texts as its fragments make, however often it was used', () => {
  const of = (one: unknown, other: unknown) => statement`select ${one}, ${other}`
  const x = () => sql`x + ${7}`
  for (let times = 0; times < 2; times++) {
    assert.deepEqual([of(1, 2).text, of(1, 2).values], ['select $1, $2', [1, 2]])
    assert.deepEqual([of(x(), 2).text, of(x(), 2).values], ['select x + $1, $2', [7, 2]])
    assert.deepEqual([of(1, x()).text, of(1, x()).values], ['select $1, x + $2', [1, 7]])
    assert.equal(of(sql`y`, x()).text, 'select y, x + $1')
    for (const limit of [1, 20]) assert.equal(of(literalNumber(limit), 2).text, `select ${limit}, $1`)
  }
})

test('the name of a statement fits the 63 bytes that PostgreSQL keeps', () => {
  const long = statement`select ${sql`${1}`}, ${'x'} from a_table_with_a_very_long_name_indeed_to_make_the_text_long`
  assert.ok(long.name.length < 64)
})
