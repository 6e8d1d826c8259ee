import { Ajv } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'

const common = { allErrors: false, useDefaults: true, strict: false } as const

/**
 * Text in an address may stand for a number or a truth value, and parameters that nobody declared are dropped. A JSON
 * body says what it means, so it is taken as it is.
 */
const textual = new Ajv({ ...common, coerceTypes: true, removeAdditional: 'all' })
// JSON can write a number that is too large for one, and it arrives as infinity.
const literal = new Ajv({ ...common, coerceTypes: false, strictNumbers: true })

export const compileValidator: FastifySchemaCompiler<object> = ({ schema, httpPart }) =>
  (httpPart === 'body' ? literal : textual).compile(schema)
