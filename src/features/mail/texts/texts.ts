import { type Language, languages } from '../../../core/languages.ts'
import { en } from './en.ts'
import { hi } from './hi.ts'
import type { Texts } from './texts-type.ts'

/** A new language is a file beside `en.ts`, listed here and in `core/languages.ts`. */
const catalogues: Record<Language, Texts> = { en, hi }

export const textsIn = (language: Language): Texts => catalogues[language]

/** The first of these languages or locales that there are texts in, such as `hi` for `hi-IN`; English otherwise. */
export const pickMailLanguage = (wanted: readonly (string | null | undefined)[]): Language => {
  for (const name of wanted) {
    const [primary] = (name ?? '').toLowerCase().split(/[-_]/, 1)
    const found = languages.find((language) => language === primary)
    if (found !== undefined) return found
  }
  return 'en'
}
