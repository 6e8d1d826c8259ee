/**
 * A country of ISO 3166-1 by its two letters, in upper case; undefined for anything else. The list is Node's own, less
 * what else is in it: codes that have been replaced (Intl turns them into the new ones), reserved ones, and those that
 * are no place at all. Kosovo's XK is in no standard and in every carrier's list, so it stays.
 */
export const readCountry = (text: string): string | undefined => {
  // Before the case is changed, because other alphabets have letters that turn into ours.
  if (!/^[A-Za-z]{2}$/.test(text)) return undefined
  const code = text.toUpperCase()
  if (noCountries.has(code) || names.of(code) === undefined) return undefined
  return new Intl.Locale(`und-${code}`).region === code ? code : undefined
}

const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

const noCountries = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'.split(' '))
