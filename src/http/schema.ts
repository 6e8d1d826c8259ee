import Type, { type Static, type TSchema } from 'typebox'

/**
 * Schemas that several endpoints share carry a name. OpenAPI refers to them by it, and validation sees them in place,
 * so a name costs nothing at run time.
 */
const names = new WeakMap<object, string>()

export const named = <S extends TSchema>(name: string, schema: S): S => {
  names.set(schema, name)
  return schema
}

export const nameOf = (schema: object) => names.get(schema)

/** One of these texts and no other, which types of clients can then tell apart. */
export const oneOf = <const Values extends readonly string[]>(values: Values, options: { description?: string } = {}) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...options })

/** The value or null, written so that serialisers and OpenAPI tools both read it well. */
export const nullable = <S extends TSchema & { type: string }>(schema: S) =>
  Type.Unsafe<Static<S> | null>({ ...schema, type: [schema.type, 'null'] })

export const pageLimit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'How many to answer with' }),
)
export const pageCursor = Type.Optional(
  Type.String({ maxLength: 1000, description: 'The `nextCursor` of the page before' }),
)

/** The envelope of every list that is not a bare array. */
export const page = <S extends TSchema>(item: S) =>
  Type.Object({
    data: Type.Array(item),
    nextCursor: nullable(Type.String({ description: 'Opaque; null on the last page' })),
    hasMore: Type.Boolean(),
  })

export const ErrorBody = named(
  'Error',
  Type.Object({
    error: Type.String({ description: 'For people' }),
    code: Type.String({ description: 'For programs; stable' }),
  }),
)
