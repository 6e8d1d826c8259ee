export type Fields = Readonly<Record<string, unknown>>

/** The fields of an object whose type is not known yet; none for anything else. */
export const toFields = (value: unknown): Fields => (isObject(value) ? value : {})

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null
