import { fail } from './errors.ts'

/** The schema of `from` and `to`. */
export const momentPattern = '^\\d{4}-\\d{2}-\\d{2}(T.{1,40})?$'

/**
 * The limits of a period as given in a query: days such as 2026-11-15, in the time zone and both included, or times such
 * as 2026-11-15T08:00:00Z, of which `to` is excluded. Null: no limit.
 */
export const readPeriod = ({ from, to }: { from?: string; to?: string }, timezone: string) => ({
  from: from === undefined ? null : readMoment('from', from, timezone, 0),
  to: to === undefined ? null : readMoment('to', to, timezone, 1),
})

/** A time such as 2026-11-15T08:00:00Z. */
export const readInstant = (name: string, text: string): Date => {
  try {
    return new Date(Temporal.Instant.from(text).epochMilliseconds)
  } catch {
    throw fail('BAD_REQUEST', `${name} must be a time such as 2026-11-15T08:00:00Z.`)
  }
}

const readMoment = (name: string, text: string, timezone: string, daysAfter: number): Date => {
  try {
    const instant = text.includes('T')
      ? Temporal.Instant.from(text)
      : Temporal.PlainDate.from(text).add({ days: daysAfter }).toZonedDateTime(timezone).toInstant()
    return new Date(instant.epochMilliseconds)
  } catch {
    throw fail('BAD_REQUEST', `${name} must be a day such as 2026-11-15, or a time such as 2026-11-15T08:00:00Z.`)
  }
}
