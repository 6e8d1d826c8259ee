import type { Commonness, KnownWord, StoreCtx } from '../context.ts'
import { wordsToFind } from './search-words.ts'

/**
 * A word of a query with its possible corrections. `whole`: does not match as a prefix. How common it is as a whole word
 * and as a prefix is known for common words only.
 */
export type Term = {
  alternatives: readonly string[]
  prefix: boolean
  whole: boolean
  common: { whole: Commonness; begun: Commonness }
}

/**
 * The words of a query, and the number of products of the store when its words were counted; 0 if they were not. `asOfMs`:
 * when the words were looked up.
 */
export type Terms = { terms: readonly Term[]; products: number; asOfMs: number }

/**
 * Reads a query, with likely corrections for misspelt words. Only correctable words are stored in the vocabulary, so
 * shorter words always match as prefixes.
 */
export const readTerms = async (ctx: StoreCtx, text: string): Promise<Terms> => {
  const asked = wordsToFind(text)
  if (asked.length === 0) return { terms: [], products: 0, asOfMs: performance.now() }
  const { db, store, searchWords } = ctx
  const { words, asOfMs } = await searchWords.lookUp(
    db,
    store.id,
    asked.map((word) => word.text),
  )
  const knownOf = new Map(words.map((known) => [known.word, known]))
  const terms: Term[] = []
  for (const [i, { text: word, prefix, correctable }] of asked.entries()) {
    const known = knownOf.get(word)
    const isUnknown = correctable && known?.isBegun === false
    const corrections = isUnknown ? await searchWords.correct(db, store.id, word) : []
    const isWhole = correctable && (known?.isWhole ?? false)
    const whole = isWhole || (corrections.length > 0 && i < asked.length - 1)
    terms.push({ alternatives: [word, ...corrections], prefix, whole, common: commonnessOf(known, corrections) })
  }
  return { terms, products: words[0]?.products ?? 0, asOfMs }
}

/** A corrected word is read as a rare one. */
const commonnessOf = (known: KnownWord | undefined, corrections: readonly string[]) =>
  known === undefined || corrections.length > 0
    ? { whole: null, begun: null }
    : { whole: known.whole, begun: known.begun ?? known.whole }

export const loosen = (term: Term): Term => ({ ...term, whole: false })
export const tighten = (term: Term): Term => ({ ...term, whole: true })
export const loosenLast = (terms: readonly Term[]) => [...terms.slice(0, -1), ...terms.slice(-1).map(loosen)]

/** Whether the term matches words that only begin with it. */
export const isBegun = ({ prefix, whole }: Pick<Term, 'prefix' | 'whole'>) => prefix && !whole

/** How common the term is in the form in which it is searched. */
export const commonness = (term: Term): Commonness => (isBegun(term) ? term.common.begun : term.common.whole)
