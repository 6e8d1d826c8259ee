import { parsePhoneNumberFromString as parseWithTypes } from 'libphonenumber-js/max'
import { getExampleNumber, type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import examples from 'libphonenumber-js/mobile/examples'
import { mustExist } from '../../core/must-exist.ts'

export type Phone = { e164: string; country: string | undefined }

/**
 * A phone number in international form ("+" or "00" first, however it is spaced and in whatever digits) as E.164, so
 * that one number is one identity however it is typed. Anything else is undefined.
 */
export const normalisePhone = (text: string): Phone | undefined => {
  const number = parsePhoneNumberFromString(plainText(text), { extract: false })
  // A text message cannot be sent to an extension, and without it the number would be somebody else's.
  if (number === undefined || number.ext !== undefined) return undefined
  if (!number.isValid() && !hasMobileLength(number)) return undefined
  return { e164: number.number, country: number.country }
}

/**
 * Ranges are opened faster than services are updated, and whoever has a new number must be able to sign in. So a number
 * of a range that the metadata does not know counts as long as it has as many digits as mobile numbers of its country
 * have, or of one of the countries that share its calling code (+1, +44, +7). Another length is a slip of the finger.
 *
 * The smallest set of metadata serves this best: it describes a country loosely where the others list its ranges of
 * today. All sets cost about the same (75 to 80 ms of starting time, 1.8 to 2.2 MB of heap), so size decided nothing.
 */
const hasMobileLength = (number: PhoneNumber) =>
  number
    .getPossibleCountries()
    .some((country) => getExampleNumber(country, examples)?.nationalNumber.length === number.nationalNumber.length)

/**
 * Whether a code may be sent there. Strangers choose the number and the operator pays, so numbers that charge extra and
 * numbers that are nobody's phone are refused, and so are all of satellites and international networks, which have no
 * country. Landlines are allowed: some can receive messages, and in many countries they look like mobiles.
 *
 * Only the largest set of metadata knows all types. It costs some 30 ms of starting time and 1.2 MB of heap.
 */
export const mayReceiveCodes = ({ e164 }: Pick<Phone, 'e164'>): boolean => {
  const number = parseWithTypes(e164)
  if (number === undefined || number.isNonGeographic()) return false
  const type = number.getType()
  // Of +1 these are the numbers that messaging services set aside for trials.
  if (type === 'PERSONAL_NUMBER') return number.countryCallingCode === '1'
  return type === undefined || !withoutCodes.has(type)
}

const withoutCodes = new Set<string>(['PREMIUM_RATE', 'SHARED_COST', 'TOLL_FREE', 'UAN', 'PAGER', 'VOICEMAIL'])

/** What people paste: full-width signs, digits of any script, invisible marks of direction around a copied contact. */
const plainText = (text: string) =>
  text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\p{Nd}/gu, asciiDigit)
    .trim()
    .replace(/^00/, '+')

/** Unicode keeps the digits of a script together, zero first, so the distance from the first one is the value. */
const asciiDigit = (digit: string) => {
  const point = mustExist(digit.codePointAt(0), 'a digit')
  let first = point
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first--
  return String((point - first) % 10)
}
