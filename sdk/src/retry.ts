import { VitrineError } from './errors.ts'
import { withTimeout } from './time.ts'

export type RetryPolicy = {
  retries: number
  maxRetryAfterSeconds: number
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

const firstDelayMs = 250
const transientStatuses = [429, 502, 503, 504]

/** Retries an attempt that failed with a transient error. Callers use it only for calls that are safe to repeat. */
export const withRetries = <Result>(
  attempt: () => Promise<Result>,
  policy: RetryPolicy,
  signal: AbortSignal | undefined,
  tries = 0,
): Promise<Result> =>
  attempt().catch(async (error) => {
    const { retries, maxRetryAfterSeconds, sleep } = policy
    if (tries >= retries || !(error instanceof VitrineError) || !isTransient(error)) throw error
    const { retryAfterSeconds } = error
    if (retryAfterSeconds !== null && retryAfterSeconds > maxRetryAfterSeconds) throw error
    const ms = retryAfterSeconds === null ? delayMs(tries) : retryAfterSeconds * 1000
    await withTimeout(() => sleep(ms, signal), Number.POSITIVE_INFINITY, signal)
    return withRetries(attempt, policy, signal, tries + 1)
  })

const isTransient = ({ code, status }: VitrineError) =>
  code === 'NETWORK' || code === 'TIMEOUT' || transientStatuses.includes(status)

/** Exponential backoff with jitter, so that clients that failed together do not retry together. */
const delayMs = (tries: number) => firstDelayMs * 2 ** tries * (0.5 + Math.random() / 2)
