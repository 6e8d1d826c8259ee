/**
 * An ISO 3166-1 alpha-2 code in upper case, or undefined. The list comes from Node's Intl, without replaced codes (Intl
 * maps them to their successors), reserved codes, and codes that are not countries. XK (Kosovo) is not in the standard
 * but carriers use it, so it is accepted.
 */
export const readCountry = (text: string): string | undefined => {
  // Checked before toUpperCase, which maps some non-Latin letters to A-Z.
  if (!/^[A-Za-z]{2}$/.test(text)) return undefined
  const code = text.toUpperCase()
  if (notCountries.has(code) || names.of(code) === undefined) return undefined
  return new Intl.Locale(`und-${code}`).region === code ? code : undefined
}

const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

const notCountries = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'.split(' '))
