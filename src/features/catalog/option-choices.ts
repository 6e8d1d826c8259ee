import { fail } from '../../core/errors.ts'
import type { OutletId } from '../context.ts'
import type { OptionFilter } from './catalog.sql.ts'

const maxChoices = 10

/**
 * Parses `Colour:Indigo,Size:S,Size:M`: Indigo, in S or M. In names and values, commas, colons and backslashes are
 * escaped with a backslash.
 */
export const readOptionFilter = (text: string, outletId: OutletId): OptionFilter => {
  const wanted = new Map<string, Set<string>>()
  const pairs = splitAt(text, ',')
  if (pairs.length > maxChoices) throw fail('BAD_REQUEST', `options can have at most ${maxChoices} values.`)
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

/** Splits at unescaped marks. Backslashes stay for the next split. */
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

/** Must match the truncation in `refreshListings`, which counts code points too. */
const cut = (text: string) => [...text].slice(0, 300).join('')

/** Quotes any text as one word of a tsquery. */
const quote = (word: string) => `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
