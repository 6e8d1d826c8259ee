import { VitrineError } from './errors.ts'
import { within } from './time.ts'

export type Patience = {
  retries: number
  maxRetryAfterSeconds: number
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

const firstDelayMs = 250
const passingStatuses = [429, 502, 503, 504]

/** Tries again what failed for a reason that passes. The caller decides that a second try can do no harm. */
export const tryAgain = <Result>(
  attempt: () => Promise<Result>,
  patience: Patience,
  signal: AbortSignal | undefined,
  tries = 0,
): Promise<Result> =>
  attempt().catch(async (error) => {
    const { retries, maxRetryAfterSeconds, sleep } = patience
    if (tries >= retries || !(error instanceof VitrineError) || !passes(error)) throw error
    const { retryAfterSeconds } = error
    if (retryAfterSeconds !== null && retryAfterSeconds > maxRetryAfterSeconds) throw error
    const ms = retryAfterSeconds === null ? delayMs(tries) : retryAfterSeconds * 1000
    await within(() => sleep(ms, signal), Number.POSITIVE_INFINITY, signal)
    return tryAgain(attempt, patience, signal, tries + 1)
  })

const passes = ({ code, status }: VitrineError) =>
  code === 'NETWORK' || code === 'TIMEOUT' || passingStatuses.includes(status)

/** Twice as long each time, and never quite the same, so that clients that failed together do not return together. */
const delayMs = (tries: number) => firstDelayMs * 2 ** tries * (0.5 + Math.random() / 2)
