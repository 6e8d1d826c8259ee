import { isVitrineError } from './shop.ts'
import { storeInfo } from './state.ts'

const locale = () => storeInfo.value?.locale ?? 'en-IN'

export const money = (amount: number, currency = storeInfo.value?.currency ?? 'INR') => {
  const digits = Number.isInteger(amount) ? { minimumFractionDigits: 0 } : {}
  return new Intl.NumberFormat(locale(), { style: 'currency', currency, ...digits }).format(amount)
}

export const date = (iso: string) =>
  new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'long', year: 'numeric' }).format(new Date(iso))

export const dateTime = (iso: string) =>
  new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' }).format(
    new Date(iso),
  )

export const plural = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`

export const countryName = (code: string) => {
  try {
    return new Intl.DisplayNames([locale()], { type: 'region' }).of(code) ?? code
  } catch {
    return code
  }
}

/** A number without `+` is an Indian one, because the demo store is in India. */
export const internationalPhone = (text: string) => {
  const digits = text.replace(/[^\d+]/g, '')
  if (digits.startsWith('+')) return digits
  if (digits.startsWith('00')) return `+${digits.slice(2)}`
  return `+91${digits.replace(/^0/, '')}`
}

/** A message for the shopper. */
export const errorText = (error: unknown): string => {
  if (!isVitrineError(error)) return 'Something went wrong on this page. Please try again.'
  if (error.code === 'NETWORK') return 'The shop cannot be reached. Check your connection and try again.'
  if (error.code === 'TIMEOUT') return 'The shop is taking too long to respond. Please try again.'
  if (error.code === 'RATE_LIMITED') {
    const seconds = error.retryAfterSeconds
    return seconds ? `Too many attempts. Please wait ${waitText(seconds)}.` : 'Too many attempts. Please wait a moment.'
  }
  if (error.status >= 500 || error.status === 0) return 'The shop is having a problem. Please try again shortly.'
  return wordMessage(error.message)
}

/** Texts for developers, by their beginning, and what they mean to a shopper. */
const messages: [start: string, text: string][] = [
  ['email is used for sign-in', 'You sign in with this e-mail address. You can replace it, but not remove it.'],
  ['email ', 'Please enter an e-mail address such as asha@example.com.'],
  ['phone ', 'Please enter a phone number with its country code, such as +91 98765 43210.'],
  ['name ', 'Please enter a name.'],
  ['password ', 'Please choose a password of at least 8 characters.'],
  ['newPassword ', 'Please choose a password of at least 8 characters.'],
  ['This change needs the current password', 'Please enter your current password.'],
]

const wordMessage = (message: string) => {
  const known = messages.find(([start]) => message.startsWith(start))
  if (known) return known[1]
  // The API begins a message with the name of the field that it refuses.
  return /^[a-z]/.test(message) ? 'Please check what you have entered.' : message
}

const waitText = (seconds: number) =>
  seconds < 90 ? plural(Math.ceil(seconds), 'second') : plural(Math.ceil(seconds / 60), 'minute')
