export type TimeLimit = {
  limitMs: number
  /** Ends the work early. */
  signal?: AbortSignal | undefined
  /** Names the work in the error. */
  name: string
}

/** The work did not end within its limit. It may still run, so nothing is known about its effect. */
export class TimeLimitExceeded extends Error {
  override name = 'TimeLimitExceeded'
}

/**
 * Runs work with a time limit. The work gets a signal that aborts at the limit; the caller goes on at that moment even
 * if the work ignores the signal and never settles.
 */
export const withTimeLimit = async <Result>(
  { limitMs, signal: outer, name }: TimeLimit,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  outer?.throwIfAborted()
  const controller = new AbortController()
  const { signal } = controller
  const timer = setTimeout(
    () => controller.abort(new TimeLimitExceeded(`${name} took longer than ${limitMs} ms`)),
    limitMs,
  )
  const abort = () => controller.abort(outer?.reason)
  outer?.addEventListener('abort', abort, { once: true })
  try {
    return await new Promise<Result>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      work(signal).then(resolve, reject)
    })
  } finally {
    clearTimeout(timer)
    outer?.removeEventListener('abort', abort)
  }
}
