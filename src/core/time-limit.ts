export type TimeLimit = {
  limitMs: number
  /** Ends the work early. */
  signal?: AbortSignal | undefined
  /** Describes the work in the error message. */
  name: string
}

/** The work did not end within its limit. It may still be running, so its outcome is unknown. */
export class TimeLimitExceeded extends Error {
  override name = 'TimeLimitExceeded'
}

/**
 * Runs work with a time limit. At the limit, the work's signal aborts and the returned promise rejects, even if the work
 * ignores the signal and never settles.
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
