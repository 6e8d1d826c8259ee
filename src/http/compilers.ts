import { Ajv, type ErrorObject } from 'ajv'
import fastJson from 'fast-json-stringify'
import type { TSchema } from 'typebox'

export type SchemaError = ErrorObject
export type Validate = { (value: unknown): boolean; errors?: SchemaError[] | null }

const common = { allErrors: false, useDefaults: true, strict: false } as const

/**
 * For paths and queries: text is converted to numbers and booleans, and undeclared parameters are dropped. JSON bodies
 * have types of their own, so they are taken literally.
 */
const textual = new Ajv({ ...common, coerceTypes: true, removeAdditional: 'all' })
// `strictNumbers` refuses Infinity, which JSON.parse makes of numbers such as 1e999.
const literal = new Ajv({ ...common, coerceTypes: false, strictNumbers: true })

export const compileTextual = (schema: TSchema): Validate => textual.compile(schema)
export const compileLiteral = (schema: TSchema): Validate => literal.compile(schema)

/** Serializes declared fields only, so that a new column cannot leak. */
export const compileSerializer = (schema: TSchema): ((value: unknown) => string) => fastJson(schema as fastJson.Schema)
