/**
 * Text becomes words here, for products and for queries alike, so that both always agree and the database's locale
 * does not matter.
 */

/** Words of a text in their order: lower case, accents of Latin, Greek and Cyrillic folded, punctuation gone. */
export const splitWords = (text: string): string[] => {
  const words: string[] = []
  for (const [run] of fold(text).matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    for (const [piece] of run.matchAll(unspacedOrSpaced)) {
      if (isUnspaced(piece)) words.push(...pairsOf(piece))
      else words.push(piece.slice(0, longestWord))
    }
  }
  return words
}

/** The words under which a text is found: those it has, and the singular of English plurals. */
export const wordsToIndex = (...texts: readonly string[]): string[] => {
  const words = new Set<string>()
  for (const word of texts.flatMap(splitWords)) words.add(word).add(singularOf(word))
  return [...words]
}

const longestWord = 60

/** The folded form of a text, as names are compared. */
export const fold = (text: string) =>
  text
    .normalize('NFKD')
    // Marks above and below letters, and Arabic vowel signs; the vowel signs of Hindi and its kin are letters in effect.
    .replaceAll(/[\u0300-\u036f\u064b-\u0652\u0670]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[øđłßæœıþ]/g, (letter) => plainLetters[letter] ?? letter)

const plainLetters: Record<string, string> = {
  ø: 'o',
  đ: 'd',
  ł: 'l',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
  þ: 'th',
}

/** Scripts that put no space between words. */
const unspaced = '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}ー'
const unspacedOrSpaced = new RegExp(`[${unspaced}]+|[^${unspaced}]+`, 'gu')
const isUnspaced = (piece: string) => new RegExp(`^[${unspaced}]`, 'u').test(piece)

/** Overlapping pairs of characters, and the last one alone, so that any part of a run is found by its beginning. */
const pairsOf = (run: string) => {
  const characters = [...run]
  return characters.map((character, i) => character + (characters[i + 1] ?? ''))
}

/** Words of a query: as above, but a run without spaces asks for its pairs only, not for its last character alone. */
export const wordsToFind = (text: string): string[] => {
  const words: string[] = []
  for (const [run] of fold(text).matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    for (const [piece] of run.matchAll(unspacedOrSpaced)) {
      if (!isUnspaced(piece)) words.push(singularOf(piece.slice(0, longestWord)))
      else words.push(...([...piece].length === 1 ? [piece] : pairsOf(piece).slice(0, -1)))
    }
  }
  return [...new Set(words)].slice(0, mostWords)
}

const mostWords = 12

/** Enough of English plurals for a shop: shoes, dresses, berries. Both sides use it, so a wrong one still matches. */
export const singularOf = (word: string): string => {
  if (word.length < 4 || !/^[a-z]+s$/.test(word) || /(ss|us|is)$/.test(word)) return word
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`
  return /(ch|sh|ss|x|zz)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1)
}
