import { hours, minutes, seconds } from '../../core/clock.ts'

/** The delays between attempts: ten attempts within about three days. */
const delaysMs = [seconds(5), minutes(5), minutes(30), hours(2), hours(5), hours(10), hours(14), hours(20), hours(24)]

export const maxAttempts = delaysMs.length + 1

const maxRetryAfterMs = hours(24)

/**
 * The delay after the failure of this attempt, or null after the last one. Up to a tenth longer at random, so that the
 * deliveries of an outage do not all come at the same moment. `retryAfterMs`: what the receiver has asked for.
 */
export const retryDelayMs = (attempt: number, retryAfterMs: number, random = Math.random()): number | null => {
  const delayMs = delaysMs[attempt - 1]
  if (delayMs === undefined) return null
  return Math.round(Math.max(delayMs, Math.min(retryAfterMs, maxRetryAfterMs)) * (1 + random / 10))
}

/** Statuses of a server, or a proxy in front of it, that has too much to do. */
const busyStatuses: ReadonlySet<number | null> = new Set([429, 502, 503, 504])
const busyPauseMs = seconds(10)

/** How long an endpoint is left alone after a failure: as long as it has asked for, or shortly if it is overloaded. */
export const pauseAfterMs = (status: number | null, retryAfterMs: number): number => {
  if (retryAfterMs > 0) return Math.min(retryAfterMs, maxRetryAfterMs)
  return busyStatuses.has(status) ? busyPauseMs : 0
}

/** `Retry-After` is a number of seconds or a date. Zero if it is missing, malformed or in the past. */
export const readRetryAfterMs = (header: string | undefined, nowMs: number): number => {
  const text = header?.trim() ?? ''
  if (text === '') return 0
  const ms = /^\d{1,9}$/.test(text) ? seconds(Number(text)) : Date.parse(text) - nowMs
  return Number.isFinite(ms) ? Math.max(0, ms) : 0
}
