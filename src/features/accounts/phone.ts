import type { CountryCode, Examples, PhoneNumber } from 'libphonenumber-js/min'
import { loadLater } from '../../core/later.ts'
import { mustExist } from '../../core/must-exist.ts'

/**
 * The metadata of all countries takes a tenth of a second to load and some megabytes, so it waits for the first number.
 * The smallest set suits `hasMobileLength` best, because it describes countries loosely instead of listing current
 * ranges. Only the largest one knows all types.
 */
const phones = loadLater<typeof import('libphonenumber-js/min')>('libphonenumber-js/min')
const phonesWithTypes = loadLater<typeof import('libphonenumber-js/max')>('libphonenumber-js/max')
const examples = loadLater<Examples>('libphonenumber-js/mobile/examples')

export type Phone = { e164: string; country: string | undefined }

/**
 * Normalises an international phone number (leading "+" or "00", any spacing, digits of any script) to E.164, so that
 * one number is one identity. Undefined for anything else.
 */
export const normalisePhone = (text: string): Phone | undefined => {
  const number = phones().parsePhoneNumberFromString(plainText(text), { extract: false })
  // An extension cannot receive text messages, and the number without it may belong to another person.
  if (number === undefined || number.ext !== undefined) return undefined
  if (!number.isValid() && !hasMobileLength(number)) return undefined
  return { e164: number.number, country: number.country }
}

/**
 * New number ranges open faster than services are updated, and customers with such a number must be able to sign in. So
 * a number in an unknown range is accepted when it has the length of a mobile number of its country, or of a country
 * with the same calling code (+1, +44, +7). Any other length is a typo.
 */
const hasMobileLength = (number: PhoneNumber) =>
  number
    .getPossibleCountries()
    .some((country) => exampleOf(country)?.nationalNumber.length === number.nationalNumber.length)

const exampleOf = (country: CountryCode) => phones().getExampleNumber(country, examples())

/**
 * Whether codes may be sent to this number. Anonymous callers choose the number and the operator pays, so premium-rate
 * numbers, service numbers, and satellite and international networks (which have no country) are refused. Landlines are
 * allowed: some receive messages, and in many countries they cannot be distinguished from mobiles.
 */
export const mayReceiveCodes = ({ e164 }: Pick<Phone, 'e164'>): boolean => {
  const number = phonesWithTypes().parsePhoneNumberFromString(e164)
  if (number === undefined || number.isNonGeographic()) return false
  const type = number.getType()
  // In +1 these include the test numbers of messaging services.
  if (type === 'PERSONAL_NUMBER') return number.countryCallingCode === '1'
  return type === undefined || !withoutCodes.has(type)
}

const withoutCodes = new Set<string>(['PREMIUM_RATE', 'SHARED_COST', 'TOLL_FREE', 'UAN', 'PAGER', 'VOICEMAIL'])

/** Handles pasted text: full-width characters, digits of any script, invisible direction marks of copied contacts. */
const plainText = (text: string) =>
  text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\p{Nd}/gu, asciiDigit)
    .trim()
    .replace(/^00/, '+')

/** In Unicode the digits of a script are contiguous and start with zero, so the offset from the first is the value. */
const asciiDigit = (digit: string) => {
  const point = mustExist(digit.codePointAt(0), 'a digit')
  let first = point
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first--
  return String((point - first) % 10)
}

/**
 * The digits that the text begins a phone number with, and the same behind the calling code of the country. Empty if it
 * is no part of a phone number.
 */
export const phonePrefixes = (text: string, country: string | undefined): string[] => {
  const plain = plainText(text)
  const digits = plain.replaceAll(/\D/g, '')
  if (digits.length < 3 || !/^[\d\s()+./-]*$/.test(plain)) return []
  if (plain.startsWith('+') || country === undefined || !phones().isSupportedCountry(country)) return [digits]
  return [digits, `${phones().getCountryCallingCode(country)}${digits.replace(/^0+/, '')}`]
}
