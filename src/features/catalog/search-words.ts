import { mustExist } from '../../core/must-exist.ts'
import { cutText } from './product-input.ts'

/**
 * Splits text into words, for products and for queries alike. In code instead of the database, so that both always
 * agree and search does not depend on locales and extensions of the database.
 */

/** The words to index for a text: its words, and the singular of English plurals. */
export const wordsToIndex = (...texts: readonly string[]): string[] => {
  const words = new Set<string>()
  for (const text of texts) {
    for (const { piece, unspaced } of piecesOf(text)) {
      if (unspaced) for (const pair of pairsOf(piece)) words.add(pair)
      else words.add(piece).add(singularOf(piece))
    }
  }
  return [...words]
}

export type QueryWord = {
  text: string
  /** Matches every word that begins with it. False for a single letter, which would match half the catalog. */
  prefix: boolean
  /** Typos in it can be corrected: a long enough word in a script with spaces. */
  correctable: boolean
}

export const wordsToFind = (text: string): QueryWord[] => {
  const words = new Map<string, QueryWord>()
  for (const { piece, unspaced } of piecesOf(text)) {
    // A run without spaces is searched by its pairs, and by its last character only if there is no pair.
    const found = unspaced ? pairsOf(piece).slice(0, Math.max(1, [...piece].length - 1)) : [singularOf(piece)]
    for (const word of found) {
      const prefix = unspaced || word.length > 1
      // A repeated word counts at its last position, because the last word may still be incomplete.
      words.delete(word)
      words.set(word, { text: word, prefix, correctable: !unspaced && isCorrectable(word) })
    }
  }
  return [...words.values()].slice(0, maxWords)
}

/** Only letters, and long enough to tell a typo from another word. */
export const isCorrectable = (word: string) => /^[\p{L}\p{M}]{4,}$/u.test(word)

const maxWords = 12
const maxWordLength = 60

/** The form in which names are sorted and compared: lower case without accents. */
export const fold = (text: string) =>
  text
    .normalize('NFKD')
    // Marks of Latin, Greek and Cyrillic letters and Arabic vowel signs. Marks of Indic scripts are part of the word.
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

/** Scripts without spaces between words. */
const unspacedScripts =
  '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}ー'
const alikePieces = new RegExp(`([${unspacedScripts}]+)|([^${unspacedScripts}]+)`, 'gu')

const piecesOf = (text: string) => {
  const pieces: { piece: string; unspaced: boolean }[] = []
  for (const [run] of fold(text).matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    for (const [piece, unspaced] of run.matchAll(alikePieces)) {
      pieces.push({ piece: unspaced ?? cutText(piece, maxWordLength), unspaced: unspaced !== undefined })
    }
  }
  return pieces
}

/** Overlapping pairs of characters and the last character, so that a prefix search finds any part of a run. */
const pairsOf = (run: string) => {
  const characters = [...run]
  return characters.map((character, i) => character + (characters[i + 1] ?? ''))
}

/** Handles common English plurals: shoes, dresses, berries. Index and query both use it, so a wrong result matches too. */
export const singularOf = (word: string): string => {
  if (word.length < 4 || !/^[a-z]+s$/.test(word) || /(ss|us|is)$/.test(word)) return word
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`
  return /(ch|sh|ss|x|zz)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1)
}

/**
 * The candidates closest to a misspelt word by edit distance: an extra, missing, wrong or swapped letter counts 1. The
 * maximum distance is 1, or 2 for words of six letters and more.
 */
export const closestWords = (misspelt: string, candidates: readonly string[]): string[] => {
  const maxDistance = misspelt.length < 6 ? 1 : 2
  const ranked = candidates
    .map((word) => ({ word, distance: editDistance(misspelt, word) }))
    .filter(({ distance }) => distance <= maxDistance)
    .sort((a, b) => a.distance - b.distance)
  return ranked.filter(({ distance }) => distance === ranked[0]?.distance).map(({ word }) => word)
}

/** One letter is extra, missing or wrong, or two are swapped. */
export const isNear = (misspelt: string, word: string) => editDistance(misspelt, word) <= 1

/** Optimal string alignment distance. */
const editDistance = (a: string, b: string): number => {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  const distanceAt = (i: number, j: number) => mustExist(rows[i]?.[j], 'a cell that was filled before')
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= b.length; j++) {
      const wrong = distanceAt(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const best = Math.min(distanceAt(i - 1, j) + 1, distanceAt(i, j - 1) + 1, wrong)
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(isSwapped ? Math.min(best, distanceAt(i - 2, j - 2) + 1) : best)
    }
  }
  return distanceAt(a.length, b.length)
}
