import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'

/** `fixedBy` is the save mode that accepts the product as it is. */
export type InputFault = { field: string; message: string; fixedBy?: 'replace' }

const stockFault =
  'must be a whole number from 0 to 1000000000, an object of them by outlet id, or null for not tracked'
const imageFault = 'must be a URL of at most 2000 characters, or an object with url and alt'

/** One fault per field, worded for the author of the file. */
export const shapeFaults = (schema: TSchema, value: unknown): InputFault[] => {
  const faults = new Map<string, string>()
  for (const { instancePath, keyword, message, params } of Value.Errors(schema, value)) {
    const field = instancePath.slice(1).replaceAll('/', '.')
    if (keyword === 'required') {
      for (const name of params.requiredProperties) {
        faults.set(field === '' ? name : `${field}.${name}`, 'is required')
      }
    } else if (keyword === 'anyOf') {
      // The errors of the alternatives were already added. Errors of nested fields are more specific than this one.
      const within = [...faults.keys()].some((faulty) => faulty.startsWith(`${field}.`))
      if (within) faults.delete(field)
      else faults.set(field, /^images\./.test(field) ? imageFault : stockFault)
    } else if (keyword === 'minLength') {
      faults.set(field, 'must not be empty')
    } else if (keyword === 'enum') {
      faults.set(field, `must be one of ${params.allowedValues.join(', ')}`)
    } else if (!faults.has(field || 'product')) {
      faults.set(field || 'product', message)
    }
  }
  return [...faults].map(([field, message]) => ({ field, message }))
}

/** No field of a product is nested as deeply. */
const maxDepth = 32

/** What JSON allows and PostgreSQL cannot store: some text, and nesting without end. */
export const textFaults = (value: unknown, field: string, depth = 0): InputFault[] => {
  if (typeof value === 'string') {
    if (value.includes('\0')) return [{ field, message: 'contains a NUL character' }]
    return value.isWellFormed()
      ? []
      : [{ field, message: 'contains half of a surrogate pair, which is not a valid character' }]
  }
  if (typeof value !== 'object' || value === null) return []
  if (depth > maxDepth) return [{ field, message: `is nested more than ${maxDepth} levels deep` }]
  return Object.entries(value).flatMap(([name, part]) => {
    const partField = field === '' ? name : `${field}.${name}`
    return [...textFaults(name, field), ...textFaults(part, partField, depth + 1)]
  })
}
