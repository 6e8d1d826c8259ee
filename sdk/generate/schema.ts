import { nameOf } from '../../src/http/schema.ts'

/** The part of JSON Schema that contracts use. */
export type Schema = {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  maxItems?: number
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  description?: string
  default?: unknown
  /** A type of the client that JSON Schema cannot describe. */
  typeScript?: string
}

export const notice = '// Generated from the contract of the service by `npm run generate`. Do not edit.'

export type Named = Map<string, Schema>

const lineWidth = 120

/** `input`: optional fields also accept `undefined`, which saves callers from building objects conditionally. */
export type Style = { input: boolean; named: Named; indent: string }

/** The TypeScript type of a schema. A named schema becomes its name and is added to `style.named`. */
export const typeOf = (schema: Schema, style: Style): string => {
  const name = nameOf(schema)
  if (name === undefined) return bareTypeOf(schema, style)
  style.named.set(name, schema)
  return name
}

export const bareTypeOf = (schema: Schema, style: Style): string => {
  if (schema.typeScript !== undefined) return schema.typeScript
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ')
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => typeOf(one, style)).join(' | ')
  if (schema.type === undefined) return 'unknown'
  const kinds = Array.isArray(schema.type) ? schema.type : [schema.type]
  return kinds.map((kind) => typeOfKind(kind, schema, style)).join(' | ')
}

/** JSON escapes the text; the formatter changes the quotes. */
const literal = (value: unknown) => JSON.stringify(value)

const typeOfKind = (kind: string, schema: Schema, style: Style): string => {
  if (kind === 'integer' || kind === 'number') return 'number'
  if (kind === 'string' || kind === 'boolean' || kind === 'null') return kind
  if (kind === 'array') {
    if (schema.maxItems === 0 || schema.items === undefined) return 'never[]'
    const item = typeOf(schema.items, style)
    // The formatter removes needless parentheses.
    return `(${item})[]`
  }
  if (kind === 'object') return objectType(schema, style)
  throw new Error(`cannot generate TypeScript for the schema type "${kind}"`)
}

const objectType = (schema: Schema, style: Style) => {
  const { properties, required = [], patternProperties, additionalProperties } = schema
  if (patternProperties !== undefined) {
    const [value = {}] = Object.values(patternProperties)
    return `Record<string, ${typeOf(value, style)}>`
  }
  if (properties === undefined) {
    return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties, style) : 'unknown'}>`
  }
  const inner = { ...style, indent: `${style.indent}  ` }
  const lines = Object.entries(properties).flatMap(([name, field]) =>
    fieldLines(name, field, required.includes(name), inner),
  )
  return lines.length === 0 ? 'Record<string, never>' : `{\n${lines.join('\n')}\n${style.indent}}`
}

const fieldLines = (name: string, field: Schema, isRequired: boolean, style: Style) => {
  const type = typeOf(field, style)
  const orUndefined = style.input && !isRequired && type !== 'unknown' ? ' | undefined' : ''
  const line = `${style.indent}${/^[a-z_]\w*$/i.test(name) ? name : literal(name)}${isRequired ? '' : '?'}: ${type}${orUndefined}`
  return [...commentLines(describeField(field), style.indent), line]
}

const describeField = (field: Schema) => {
  if (nameOf(field) !== undefined) return ''
  const defaultText = field.default === undefined ? '' : `Default: ${JSON.stringify(field.default)}.`
  const text = field.description ?? ''
  return text !== '' && defaultText !== '' ? `${text.replace(/\.?$/, '.')} ${defaultText}` : `${text}${defaultText}`
}

/** A doc comment, wrapped at the line width. */
export const commentLines = (comment: string, indent: string): string[] => {
  if (comment === '') return []
  const text = comment.replaceAll('*/', '*\\/')
  const whole = `${indent}/** ${text} */`
  if (!text.includes('\n') && whole.length <= lineWidth) return [whole]
  const lines = text.split('\n').flatMap((paragraph) => wrap(paragraph, lineWidth - indent.length - ' * '.length))
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`]
}

const wrap = (text: string, width: number): string[] => {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) as string
    if (last === '') lines[lines.length - 1] = word
    else if (`${last} ${word}`.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
