import type { SchemaError } from './compilers.ts'

/** "limit must be <= 100.", "items/0/quantity must be an integer." */
export const describeSchemaError = (part: string, error: SchemaError | undefined) => {
  if (error === undefined) return undefined
  const { keyword, params } = error
  const field = error.instancePath.slice(1)
  if (keyword === 'required') return `${[field, params.missingProperty].filter(Boolean).join('/')} is required.`
  if (field === '' && part === 'body' && keyword === 'type') return 'A JSON object is required as the body.'
  return `${field || part} ${describeRule(error)}.`
}

/** The words of the validator are for programmers, and name patterns. */
const describeRule = ({ keyword, params, message }: SchemaError): string => {
  switch (keyword) {
    case 'enum':
      return `must be one of ${params.allowedValues.join(', ')}`
    case 'type':
      return `must be ${String(params.type).split(',').map(withArticle).join(' or ')}`
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`
    case 'maxLength':
      return `must have at most ${count(params.limit, 'character')}`
    case 'minItems':
      return `must have at least ${count(params.limit, 'entry', 'entries')}`
    case 'maxItems':
      return `must have at most ${count(params.limit, 'entry', 'entries')}`
    case 'pattern':
      return 'has the wrong form'
    default:
      return message ?? 'is not valid'
  }
}

const withArticle = (type: string) => (type === 'null' ? type : `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`)

const count = (number: number, one: string, many = `${one}s`) => `${number} ${number === 1 ? one : many}`
