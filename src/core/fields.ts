export type Fields = Readonly<Record<string, unknown>>

/** The fields of a value of unknown type. Empty for anything but an object. */
export const toFields = (value: unknown): Fields => (isObject(value) ? value : {})

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null
