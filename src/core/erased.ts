/** Stands where a personal value was. */
export const erasedText = '[erased]'

/** Objects about a person: all their texts are personal, except these. */
const personalObjects = new Set(['customer', 'shippingAddress', 'billingAddress', 'address'])
const keptInObjects = new Set(['id', 'country'])

/** Fields that are personal wherever they are. */
const personalFields = new Set([
  ...['email', 'phone', 'contactPhone', 'note', 'upiId', 'last4', 'recipient', 'line1', 'line2', 'landmark'],
])

/** Fields that programs compare, and goods. A name may be one of their words. */
const plainFields = new Set([
  ...['status', 'paymentStatus', 'paymentMethod', 'deliveryStatus', 'stockState', 'method', 'type', 'currency'],
  ...['needsAttention', 'couponCode', 'id', 'lines', 'items'],
])

/** Shorter ones are in every second text, longer ones in none. */
const [minLength, maxLength] = [3, 200]

/** The personal values of a customer in lower case, to look for in texts that people and providers wrote. */
export type PersonalValues = readonly string[]

export const toPersonalValues = (texts: Iterable<string | null | undefined>): string[] => {
  const values = new Set<string>()
  for (const text of texts) {
    const value = text?.trim().toLowerCase() ?? ''
    if (value.length >= minLength && value.length <= maxLength && value !== erasedText) values.add(value)
  }
  return [...values]
}

/** A name and its parts: notes often have the first name alone. */
export const nameForms = (name: string): string[] => [name, ...name.split(/\s+/)]

/** A phone number in the ways that programs write it. */
export const phoneForms = (phone: string): string[] => {
  const digits = phone.replaceAll(/\D/g, '')
  return digits.length < 6 ? [phone] : [phone, digits, digits.slice(-10)]
}

/** As a regular expression of PostgreSQL, for a text in lower case. Null: there is nothing to look for. */
export const sqlPatternOf = (values: PersonalValues): string | null => {
  const { words, parts } = splitValues(values)
  const bounded = words.length === 0 ? [] : [`(^|[^[:alnum:]])(${words.join('|')})($|[^[:alnum:]])`]
  return [...bounded, ...parts].join('|') || null
}

const patternOf = (values: PersonalValues): RegExp | null => {
  const { words, parts } = splitValues(values)
  const bounded = words.length === 0 ? [] : [`(?<![\\p{L}\\p{N}])(?:${words.join('|')})(?![\\p{L}\\p{N}])`]
  const all = [...bounded, ...parts].join('|')
  return all === '' ? null : new RegExp(all, 'iu')
}

/** Digits and emails are found inside of other text too, everything else only as whole words. */
const splitValues = (values: PersonalValues) => {
  const isPart = (value: string) => value.includes('@') || /^\+?\d+$/.test(value)
  const escapeSyntax = (value: string) => value.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  return {
    words: values.filter((value) => !isPart(value)).map(escapeSyntax),
    parts: values.filter(isPart).map(escapeSyntax),
  }
}

/** The same value without what is personal. The shape stays, so that what reads it still can. */
export const eraseJson = (value: unknown, values: PersonalValues): unknown => eraseMatching(value, patternOf(values))

const eraseMatching = (value: unknown, pattern: RegExp | null): unknown => {
  if (typeof value === 'string') return pattern?.test(value) ? erasedText : value
  if (typeof value === 'number')
    return pattern !== null && value >= 100_000 && pattern.test(String(value)) ? null : value
  if (Array.isArray(value)) return value.map((item) => eraseMatching(item, pattern))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (plainFields.has(name)) return [name, inner]
      if (personalObjects.has(name)) return [name, eraseAll(inner, keptInObjects)]
      return [name, personalFields.has(name) ? eraseAll(inner) : eraseMatching(inner, pattern)]
    }),
  )
}

/** Every text that is not empty, except in the fields of `kept`. */
export const eraseAll = (value: unknown, kept: ReadonlySet<string> = new Set()): unknown => {
  if (typeof value === 'string') return value === '' ? '' : erasedText
  if (Array.isArray(value)) return value.map((item) => eraseAll(item, kept))
  if (typeof value !== 'object' || value === null) return typeof value === 'boolean' ? value : null
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, kept.has(name) ? inner : eraseAll(inner, kept)]),
  )
}
