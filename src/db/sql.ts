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

/** Conditions joined by `and`; pass only those that apply. */
export const allOf = (conditions: readonly Fragment[]) =>
  conditions.reduce((joined, condition) => sql`${joined} and ${condition}`)

export type Statement = { name: string; text: string; values: unknown[] }

/** Turns a template into a named prepared statement. Equal texts have one name, so they share one plan on a connection. */
export const toStatement = (strings: TemplateStringsArray, values: unknown[]): Statement => {
  const parts: string[] = []
  const parameters: unknown[] = []
  append(new Fragment(strings, values), parts, parameters)
  const text = parts.join('')
  return { ...nameText(text), values: parameters }
}

/** There are a few hundred texts, since values never become text. */
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

const append = (fragment: Fragment, parts: string[], parameters: unknown[]) => {
  for (const [i, part] of fragment.strings.entries()) {
    parts.push(part)
    if (i === fragment.values.length) return
    const value = fragment.values[i]
    if (value instanceof Fragment) {
      append(value, parts, parameters)
    } else if (typeof value === 'function') {
      throw new TypeError(`a function is no parameter; was ${value.name} to be called?`)
    } else {
      parameters.push(value)
      parts.push(`$${parameters.length}`)
    }
  }
}
