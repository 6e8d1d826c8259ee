import { hash } from 'node:crypto'

/** A part of a statement with its parameters. Fragments nest; parameters never become SQL text. */
export class Fragment {
  readonly strings: readonly string[]
  readonly values: readonly unknown[]

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings
    this.values = values
  }
}

export const sql = (strings: TemplateStringsArray, ...values: unknown[]) => new Fragment(strings, values)

/** A condition that holds. */
export const always = sql`true`

/** Conditions joined by `and`; pass only those that apply. */
export const allOf = (conditions: readonly Fragment[]) =>
  conditions.reduce((joined, condition) => sql`${joined} and ${condition}`)

export type Statement = { name: string; text: string; values: unknown[] }

/** Turns a template into a named prepared statement. Equal texts have one name, so they share one plan on a connection. */
export const toStatement = (strings: TemplateStringsArray, values: unknown[]): Statement => {
  const parameters: unknown[] = []
  const shape = follow(start, strings, values, parameters)
  shape.statement ??= nameText(writeText(strings, values))
  const { name, text } = shape.statement
  return { name, text, values: parameters }
}

/**
 * The templates of a statement in their order, with the places of parameters: two with the same shape have the same text. A
 * shape that is known is found in a quarter of the time that it takes to put its text together and to find that.
 */
type Shape = {
  withParameter: Shape | undefined
  withTemplate: Map<readonly string[] | string, Shape> | undefined
  statement: { name: string; text: string } | undefined
}

const newShape = (): Shape => ({ withParameter: undefined, withTemplate: undefined, statement: undefined })

/** There are a few hundred statements, since values never become text. */
const start = newShape()

const follow = (from: Shape, strings: readonly string[], values: readonly unknown[], parameters: unknown[]): Shape => {
  // A template is one object for good. Other texts, such as numbers, are made each time.
  const key = 'raw' in strings ? strings : JSON.stringify(strings)
  from.withTemplate ??= new Map()
  let shape = from.withTemplate.get(key)
  if (shape === undefined) {
    shape = newShape()
    from.withTemplate.set(key, shape)
  }
  for (const value of values) {
    if (value instanceof Fragment) {
      shape = follow(shape, value.strings, value.values, parameters)
      continue
    }
    if (typeof value === 'function') {
      throw new TypeError(`a function is no parameter; was ${value.name} to be called?`)
    }
    parameters.push(value)
    shape.withParameter ??= newShape()
    shape = shape.withParameter
  }
  return shape
}

const named = new Map<string, { name: string; text: string }>()

/** A prepared statement without parameters. */
export const nameText = (text: string): { name: string; text: string } => {
  let statement = named.get(text)
  if (statement === undefined) {
    statement = { name: `v_${hash('sha256', text, 'hex').slice(0, 24)}`, text }
    named.set(text, statement)
  }
  return statement
}

const writeText = (strings: readonly string[], values: readonly unknown[]): string => {
  let count = 0
  const write = (strings: readonly string[], values: readonly unknown[]): string =>
    strings.reduce((text, part, i) => {
      const value = values[i - 1]
      return `${text}${value instanceof Fragment ? write(value.strings, value.values) : `$${++count}`}${part}`
    })
  return write(strings, values)
}
