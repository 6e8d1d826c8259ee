import Type, { type Static, type TSchema } from 'typebox'

/**
 * Names of schemas that several endpoints share. OpenAPI refers to them by name. Validation uses the schemas directly, so
 * names cost nothing at run time.
 */
const names = new WeakMap<object, string>()

export const named = <S extends TSchema>(name: string, schema: S): S => {
  names.set(schema, name)
  return schema
}

export const nameOf = (schema: object) => names.get(schema)

/** A string enum, typed as a union. */
export const oneOf = <const Values extends readonly string[]>(values: Values, options: { description?: string } = {}) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...options })

/** The value or null, in the form that serializers and OpenAPI tools both support. */
export const nullable = <S extends TSchema & { type: string }>(schema: S) =>
  Type.Unsafe<Static<S> | null>({ ...schema, type: [schema.type, 'null'] })

export const pageLimit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Maximum number of items on a page' }),
)
export const pageCursor = Type.Optional(
  Type.String({ maxLength: 1000, description: 'The `nextCursor` of the previous page' }),
)

/** The envelope of every list that is not a bare array. */
export const page = <S extends TSchema>(item: S) =>
  Type.Object({
    data: Type.Array(item),
    nextCursor: nullable(Type.String({ description: 'Opaque; null on the last page' })),
    hasMore: Type.Boolean(),
  })

/** The envelope of every list of the admin API. */
export const countedPage = <S extends TSchema>(item: S) =>
  Type.Object({
    ...page(item).properties,
    total: Type.Integer({ description: 'How many items match; 10,000 if there are more' }),
    totalIsExact: Type.Boolean(),
  })

export const listFormat = Type.Optional(
  oneOf(['json', 'csv'], { description: '`csv`: everything that matches, as one file' }),
)

export const ErrorBody = named(
  'Error',
  Type.Object({
    error: Type.String({ description: 'Message for people; may change' }),
    code: Type.String({ description: 'Code for programs; stable' }),
  }),
)
