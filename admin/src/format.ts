import { isVitrineError } from './api.ts'

/** As the browser is set, because staff of one store may read different languages. */
const locale = () => navigator.language

export const money = (amount: number, currency: string) =>
  new Intl.NumberFormat(locale(), { style: 'currency', currency }).format(amount)

export const dateTime = (iso: string) =>
  new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' }).format(
    new Date(iso),
  )

export const counted = (count: number, one: string, many = `${one}s`) =>
  `${new Intl.NumberFormat(locale()).format(count)} ${count === 1 ? one : many}`

/** A message for staff. */
export const wordProblem = (error: unknown): string => {
  if (!isVitrineError(error)) return 'Something went wrong on this page. Please try again.'
  if (error.code === 'NETWORK') return 'The service cannot be reached. Check your connection and try again.'
  if (error.code === 'TIMEOUT') return 'The service is taking too long to respond. Please try again.'
  if (error.code === 'RATE_LIMITED') return `Too many attempts. Please wait ${waitText(error.retryAfterSeconds)}.`
  if (error.code === 'FORBIDDEN') return 'Your role does not allow this.'
  if (error.status >= 500 || error.status === 0) return 'The service is having a problem. Please try again shortly.'
  return error.message.slice(0, 1).toUpperCase() + error.message.slice(1)
}

const waitText = (seconds: number | null) => {
  if (seconds === null) return 'a moment'
  return seconds < 90 ? counted(Math.ceil(seconds), 'second') : counted(Math.ceil(seconds / 60), 'minute')
}
