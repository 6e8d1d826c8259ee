import { isVitrineError } from './api.ts'
import { store } from './session.ts'

/** Money, dates and numbers are written as in the store, so that all of its staff read the same. */
const locale = () => store.value?.locale ?? navigator.language

export const money = (amount: number, currency = store.value?.currency ?? 'USD') =>
  new Intl.NumberFormat(locale(), { style: 'currency', currency }).format(amount)

/** For the scale of a chart: ₹12K. */
export const shortMoney = (amount: number) =>
  new Intl.NumberFormat(locale(), {
    ...{ style: 'currency', currency: store.value?.currency ?? 'USD', notation: 'compact', maximumFractionDigits: 1 },
  }).format(amount)

export const number = (value: number) => new Intl.NumberFormat(locale()).format(value)

export const percent = (share: number) =>
  new Intl.NumberFormat(locale(), { style: 'percent', maximumFractionDigits: 1 }).format(share)

const format = (iso: string, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(locale(), { ...options, timeZone: store.value?.timezone }).format(new Date(iso))

/** The year is left out if it is the current one. */
const dayOf = (iso: string): Intl.DateTimeFormatOptions => ({
  day: 'numeric',
  month: 'short',
  ...(new Date(iso).getFullYear() === new Date().getFullYear() ? {} : { year: 'numeric' }),
})

export const date = (iso: string) => format(iso, dayOf(iso))

export const dateTime = (iso: string) => format(iso, { ...dayOf(iso), hour: 'numeric', minute: '2-digit' })

/** "India" for IN. Shoppers may have typed something that is no code. */
export const countryName = (code: string) =>
  /^[A-Z]{2}$/.test(code) ? new Intl.DisplayNames(locale(), { type: 'region' }).of(code) : code

export const counted = (count: number, one: string, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`

/** A form is not complete. The message says what is missing. */
export class Incomplete extends Error {}

/** A message for staff. */
export const wordProblem = (error: unknown): string => {
  if (error instanceof Incomplete) return error.message
  if (!isVitrineError(error)) return 'Something went wrong on this page. Please try again.'
  if (error.code === 'NETWORK') return 'The service cannot be reached. Check your connection and try again.'
  if (error.code === 'TIMEOUT') return 'The service is taking too long to respond. Please try again.'
  if (error.code === 'RATE_LIMITED') return `Too many attempts. Please wait ${waitText(error.retryAfterSeconds)}.`
  if (error.code === 'FORBIDDEN') return 'Your role does not allow this.'
  if (error.message.includes('Idempotency-Key'))
    return 'Your first attempt has succeeded after all, and nothing was done twice. Close this and look before you try again.'
  if (error.status === 401) return 'Your session has ended. Sign in again, then try again.'
  // Other failures of the service say what failed, such as a carrier.
  if (error.status === 500 || error.status === 0 || error.code === 'BAD_ANSWER')
    return 'The service is having a problem. Please try again shortly.'
  return error.message.slice(0, 1).toUpperCase() + error.message.slice(1)
}

const waitText = (seconds: number | null) => {
  if (seconds === null) return 'a moment'
  return seconds < 90 ? counted(Math.ceil(seconds), 'second') : counted(Math.ceil(seconds / 60), 'minute')
}

/** A number as the store writes it, for an input. */
export const inputNumber = (value: number | null, minimumFractionDigits = 0) =>
  value === null
    ? ''
    : new Intl.NumberFormat(locale(), {
        ...{ useGrouping: false, minimumFractionDigits, maximumFractionDigits: 3, numberingSystem: 'latn' },
      }).format(value)

/** An amount for an input: 12.50, but 12 if there is no fraction. */
export const inputMoney = (value: number) =>
  inputNumber(value, Number.isInteger(value) ? 0 : money(0).match(/\d/g)?.slice(1).length)

/** What was typed as a number, with the separators of the store or with others. Null if it is none. */
export const readNumber = (text: string): number | null => {
  const typed = text.replaceAll(/[\s\u00a0\u202f']/g, '')
  const isComma = new Intl.NumberFormat(locale()).format(1.5).includes(',')
  const [decimal, group] = isComma ? [',', '.'] : ['.', ',']
  // "12,50" is no group of three digits, so it is a fraction wherever it is typed.
  const isOther = !typed.includes(decimal) && new RegExp(`^-?\\d+[${group}]\\d{1,2}$`).test(typed)
  const plain = isOther ? typed.replace(group, '.') : typed.replaceAll(group, '').replace(decimal, '.')
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : null
}
