import { Ajv, type ErrorObject } from 'ajv'
import fastJson from 'fast-json-stringify'
import type { TSchema } from 'typebox'

export type SchemaFault = ErrorObject
export type Validate = { (value: unknown): boolean; errors?: SchemaFault[] | null }

const common = { allErrors: false, useDefaults: true, strict: false } as const

/**
 * Text in an address may stand for a number or a truth value, and parameters that nobody declared are dropped. A JSON
 * body says what it means, so it is taken as it is.
 */
const textual = new Ajv({ ...common, coerceTypes: true, removeAdditional: 'all' })
// JSON can write a number that is too large for one, and it arrives as infinity.
const literal = new Ajv({ ...common, coerceTypes: false, strictNumbers: true })

export const compileTextual = (schema: TSchema): Validate => textual.compile(schema)
export const compileLiteral = (schema: TSchema): Validate => literal.compile(schema)

/** Writes declared fields only, so that a new column cannot leak. */
export const compileSerializer = (schema: TSchema): ((value: unknown) => string) => fastJson(schema as fastJson.Schema)
