import { VitrineError } from './errors.ts'

/** The maximum delay of a timer; a longer one would fire at once. */
const maxTimerMs = 2 ** 31 - 1

export const aborted = (signal: AbortSignal | undefined) =>
  new VitrineError('ABORTED', 'The call was aborted.', { cause: signal?.reason })

/** Rejects after a timeout or an abort, even if the work itself cannot be stopped. */
export const withTimeout = <Result>(
  begin: () => Promise<Result>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  onFailure?: () => void,
): Promise<Result> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(aborted(signal))
    const abort = () => fail(aborted(signal))
    const timeOut = () => fail(new VitrineError('TIMEOUT', `There was no answer within ${timeoutMs} ms.`))
    const timer = timeoutMs > maxTimerMs ? undefined : setTimeout(timeOut, timeoutMs)
    signal?.addEventListener('abort', abort)
    const cleanUp = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
    const fail = (error: unknown) => {
      cleanUp()
      onFailure?.()
      reject(error)
    }
    begin().then((result) => {
      cleanUp()
      resolve(result)
    }, fail)
  })

/** Clears its timer on abort. */
export const sleepFor = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve) => {
    const stop = () => clearTimeout(timer)
    const wake = () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    const timer = setTimeout(wake, Math.min(ms, maxTimerMs))
    signal?.addEventListener('abort', stop)
  })
