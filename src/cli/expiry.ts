import { OperatorError } from '../core/operator-error.ts'

/** The time of `--expires`. A day without a time means midnight UTC at its beginning. */
export const readExpiry = (text: string) => {
  const ms = parseInstant(text.includes('T') ? text : `${text}T00:00:00Z`)
  if (ms === null) {
    throw new OperatorError(`--expires must be a time such as 2027-01-31T00:00:00Z or a day, not "${text}".`)
  }
  if (ms <= Date.now()) throw new OperatorError(`--expires must be in the future, not "${text}".`)
  return new Date(ms)
}

/** Temporal rejects the 31st of February, which Date turns into a day in March. */
const parseInstant = (text: string) => {
  try {
    return Temporal.Instant.from(text).epochMilliseconds
  } catch {
    return null
  }
}
