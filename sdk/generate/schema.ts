import { nameOf } from '../../src/http/schema.ts'

/** The part of JSON Schema that contracts use. */
export type Schema = {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  maxItems?: number
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  description?: string
  default?: unknown
}

export type Named = Map<string, Schema>

const lineWidth = 120

/** `input`: what is left out may also be given as `undefined`, so that callers need not build objects bit by bit. */
export type Style = { input: boolean; named: Named; indent: string }

/** The TypeScript type of a schema. A named one is written by its name, and noted to be written out elsewhere. */
export const typeOf = (schema: Schema, style: Style): string => {
  const name = nameOf(schema)
  if (name === undefined) return bareTypeOf(schema, style)
  style.named.set(name, schema)
  return name
}

export const bareTypeOf = (schema: Schema, style: Style): string => {
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ')
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.type === undefined) return 'unknown'
  const kinds = Array.isArray(schema.type) ? schema.type : [schema.type]
  return kinds.map((kind) => typeOfKind(kind, schema, style)).join(' | ')
}

/** As JSON: whatever a text holds is escaped, and the formatter puts our quotes around it. */
const literal = (value: unknown) => JSON.stringify(value)

const typeOfKind = (kind: string, schema: Schema, style: Style): string => {
  if (kind === 'integer' || kind === 'number') return 'number'
  if (kind === 'string' || kind === 'boolean' || kind === 'null') return kind
  if (kind === 'array') {
    if (schema.maxItems === 0 || schema.items === undefined) return 'never[]'
    const item = typeOf(schema.items, style)
    // The formatter takes away the brackets that are not needed.
    return `(${item})[]`
  }
  if (kind === 'object') return objectType(schema, style)
  throw new Error(`no TypeScript is known for the kind "${kind}"`)
}

const objectType = ({ properties, required = [], patternProperties }: Schema, style: Style) => {
  if (patternProperties !== undefined) {
    const [value = {}] = Object.values(patternProperties)
    return `Record<string, ${typeOf(value, style)}>`
  }
  if (properties === undefined) return 'Record<string, unknown>'
  const inner = { ...style, indent: `${style.indent}  ` }
  const lines = Object.entries(properties).flatMap(([name, field]) =>
    fieldLines(name, field, required.includes(name), inner),
  )
  return lines.length === 0 ? 'Record<string, never>' : `{\n${lines.join('\n')}\n${style.indent}}`
}

const fieldLines = (name: string, field: Schema, isRequired: boolean, style: Style) => {
  const type = typeOf(field, style)
  const orLeftOut = style.input && !isRequired && type !== 'unknown' ? ' | undefined' : ''
  const line = `${style.indent}${/^[a-z_]\w*$/i.test(name) ? name : literal(name)}${isRequired ? '' : '?'}: ${type}${orLeftOut}`
  return [...commentLines(describeField(field), style.indent), line]
}

const describeField = (field: Schema) => {
  if (nameOf(field) !== undefined) return ''
  const preset = field.default === undefined ? '' : `Default: ${JSON.stringify(field.default)}.`
  const text = field.description ?? ''
  return text !== '' && preset !== '' ? `${text.replace(/\.?$/, '.')} ${preset}` : `${text}${preset}`
}

/** A comment that editors show, broken at the width of a line. */
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
