import { signal } from '@preact/signals'

/** Part of the title of every page. Empty until it is known. */
export const siteName = signal('')

let wordError = (_error: unknown) => 'Something went wrong on this page. Please try again.'

/** A message for the person who uses the page. */
export const problemText = (error: unknown): string => wordError(error)

/** Sets how errors are worded. */
export const wordErrors = (word: (error: unknown) => string) => {
  wordError = word
}
