import { parsePhoneNumberFromString as parseWithTypes } from 'libphonenumber-js/max'
import {
  getCountryCallingCode,
  getExampleNumber,
  isSupportedCountry,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min'
import examples from 'libphonenumber-js/mobile/examples'
import { mustExist } from '../../core/must-exist.ts'

export type Phone = { e164: string; country: string | undefined }

/**
 * Normalises an international phone number (leading "+" or "00", any spacing, digits of any script) to E.164, so that
 * one number is one identity. Undefined for anything else.
 */
export const normalisePhone = (text: string): Phone | undefined => {
  const number = parsePhoneNumberFromString(plainText(text), { extract: false })
  // An extension cannot receive text messages, and the number without it may belong to another person.
  if (number === undefined || number.ext !== undefined) return undefined
  if (!number.isValid() && !hasMobileLength(number)) return undefined
  return { e164: number.number, country: number.country }
}

/**
 * New number ranges open faster than services are updated, and customers with such a number must be able to sign in. So
 * a number in an unknown range is accepted when it has the length of a mobile number of its country, or of a country
 * with the same calling code (+1, +44, +7). Any other length is a typo.
 *
 * The smallest metadata set suits this best, because it describes countries loosely instead of listing current ranges.
 * All sets cost about the same (75 to 80 ms at startup, 1.8 to 2.2 MB of heap), so size was not a criterion.
 */
const hasMobileLength = (number: PhoneNumber) =>
  number
    .getPossibleCountries()
    .some((country) => getExampleNumber(country, examples)?.nationalNumber.length === number.nationalNumber.length)

/**
 * Whether codes may be sent to this number. Anonymous callers choose the number and the operator pays, so premium-rate
 * numbers, service numbers, and satellite and international networks (which have no country) are refused. Landlines are
 * allowed: some receive messages, and in many countries they cannot be distinguished from mobiles.
 *
 * Only the largest metadata set knows all types. It costs about 30 ms at startup and 1.2 MB of heap.
 */
export const mayReceiveCodes = ({ e164 }: Pick<Phone, 'e164'>): boolean => {
  const number = parseWithTypes(e164)
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
  if (plain.startsWith('+') || country === undefined || !isSupportedCountry(country)) return [digits]
  return [digits, `${getCountryCallingCode(country)}${digits.replace(/^0+/, '')}`]
}
