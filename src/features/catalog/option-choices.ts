import { fail } from '../../core/errors.ts'
import type { OutletId } from '../context.ts'
import type { OptionFilter } from './catalog.sql.ts'

const maxChoices = 10

/**
 * Reads `Colour:Indigo,Size:S,Size:M`: Indigo, in S or M. In names and values a backslash comes before a comma, a colon
 * or a backslash that is part of the text.
 */
export const readOptionFilter = (text: string, outletId: OutletId): OptionFilter => {
  const wanted = new Map<string, Set<string>>()
  const pairs = splitAt(text, ',')
  if (pairs.length > maxChoices) throw fail('BAD_REQUEST', `options may name ${maxChoices} values at most.`)
  for (const pair of pairs) {
    const [name = '', ...rest] = splitAt(pair, ':').map(dropBackslashes)
    const value = rest.join(':')
    if (name === '' || value === '') {
      throw fail('BAD_REQUEST', 'options must look like Colour:Indigo,Size:S.')
    }
    wanted.set(name, (wanted.get(name) ?? new Set()).add(value))
  }
  const choices = [...wanted].map(([name, values]) => ({ name, values: [...values] }))
  const query = choices.map(({ name, values }) => {
    const words = values.map((value) => quote(`${outletId}=${cut(`${name}\u001f${value}`)}`))
    return `(${words.join(' | ')})`
  })
  return { choices, query: query.join(' & ') }
}

/** Splits where the mark stands without a backslash before it; backslashes stay, for the next split. */
const splitAt = (text: string, mark: ',' | ':'): string[] => {
  const parts: string[] = []
  let part = ''
  for (let i = 0; i < text.length; i++) {
    if (text[i] === mark) {
      parts.push(part)
      part = ''
    } else if (text[i] === '\\') part += text.slice(i, ++i + 1)
    else part += text[i]
  }
  return [...parts, part]
}

const dropBackslashes = (text: string) => text.replaceAll(/\\(.?)/gsu, '$1')

/** As `refreshListings` cuts it; both count whole characters. */
const cut = (text: string) => [...text].slice(0, 300).join('')

/** One word of a tsquery, whatever is in it. */
const quote = (word: string) => `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
