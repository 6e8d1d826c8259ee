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

/**
 * Turns a template into a named prepared statement. The name is a hash of the text, so equal statements share one plan
 * on every connection. The text of a template without nested fragments is built only once.
 */
export const toStatement = (strings: TemplateStringsArray, values: unknown[]): Statement => {
  const flat = !values.some((value) => value instanceof Fragment)
  if (flat) {
    let known = flatTexts.get(strings)
    if (known === undefined) {
      known = nameText(strings.reduce((text, part, i) => `${text}$${i}${part}`))
      flatTexts.set(strings, known)
    }
    return { name: known.name, text: known.text, values }
  }
  const parts: string[] = []
  const parameters: unknown[] = []
  append(new Fragment(strings, values), parts, parameters)
  const text = parts.join('')
  let known = composedTexts.get(text)
  if (known === undefined) {
    known = nameText(text)
    composedTexts.set(text, known)
  }
  return { name: known.name, text, values: parameters }
}

type NamedText = { name: string; text: string }
const flatTexts = new WeakMap<TemplateStringsArray, NamedText>()
const composedTexts = new Map<string, NamedText>()

const nameText = (text: string): NamedText => ({ name: `v_${hash('sha256', text, 'hex').slice(0, 24)}`, text })

const append = (fragment: Fragment, parts: string[], parameters: unknown[]) => {
  for (const [i, part] of fragment.strings.entries()) {
    parts.push(part)
    if (i === fragment.values.length) return
    const value = fragment.values[i]
    if (value instanceof Fragment) {
      append(value, parts, parameters)
    } else {
      parameters.push(value)
      parts.push(`$${parameters.length}`)
    }
  }
}
