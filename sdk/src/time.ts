import { VitrineError } from './errors.ts'

/** Timers cannot count further, and a longer one would go off at once. */
const longestTimerMs = 2 ** 31 - 1

export const aborted = (signal: AbortSignal | undefined) =>
  new VitrineError('ABORTED', 'The call was aborted.', { cause: signal?.reason })

/** Waits for something that cannot be stopped itself, until the time is over or the caller has lost interest. */
export const within = <Result>(
  begin: () => Promise<Result>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  onFailure?: () => void,
): Promise<Result> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(aborted(signal))
    const abort = () => fail(aborted(signal))
    const timeOut = () => fail(new VitrineError('TIMEOUT', `There was no answer within ${timeoutMs} ms.`))
    const timer = timeoutMs > longestTimerMs ? undefined : setTimeout(timeOut, timeoutMs)
    signal?.addEventListener('abort', abort)
    const rest = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
    const fail = (error: unknown) => {
      rest()
      onFailure?.()
      reject(error)
    }
    begin().then((result) => {
      rest()
      resolve(result)
    }, fail)
  })

/** A timer that is not left running after an abort. */
export const sleepFor = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve) => {
    const stop = () => clearTimeout(timer)
    const wake = () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    const timer = setTimeout(wake, Math.min(ms, longestTimerMs))
    signal?.addEventListener('abort', stop)
  })
