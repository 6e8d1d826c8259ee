import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type, { type TSchema } from 'typebox'
import { compileLiteral } from './compilers.ts'
import { describeSchemaError } from './describe-schema-error.ts'

test('a refusal of input is a sentence without patterns', () => {
  const describe = (schema: TSchema, value: unknown) => {
    const validate = compileLiteral(Type.Object({ field: schema }))
    assert.equal(validate({ field: value }), false)
    return describeSchemaError('body', validate.errors?.[0])
  }
  assert.equal(describe(Type.String(), 1), 'field must be a string.')
  assert.equal(describe(Type.Integer(), '1'), 'field must be an integer.')
  assert.equal(describe(Type.Unsafe({ type: ['array', 'null'] }), 1), 'field must be an array or null.')
  assert.equal(describe(Type.String({ minLength: 8 }), 'a'), 'field must have at least 8 characters.')
  assert.equal(describe(Type.String({ minLength: 1 }), ''), 'field must not be empty.')
  assert.equal(describe(Type.String({ maxLength: 1 }), 'ab'), 'field must have at most 1 character.')
  assert.equal(describe(Type.Array(Type.String(), { minItems: 2 }), []), 'field must have at least 2 entries.')
  assert.equal(describe(Type.Array(Type.String(), { maxItems: 1 }), ['', '']), 'field must have at most 1 entry.')
  assert.equal(describe(Type.String({ pattern: '^[0-9]+$' }), 'x'), 'field has the wrong form.')
  assert.equal(describe(Type.Enum(['a', 'b']), 'c'), 'field must be one of a, b.')
  assert.equal(describe(Type.Integer({ maximum: 100 }), 101), 'field must be <= 100.')
})
