import { VitrineError } from './errors.ts'
import type { ErrorCode } from './types.ts'

/** What one try needs. */
export type Sending = {
  fetch: typeof globalThis.fetch
  address: string
  init: RequestInit
  timeoutMs: number
  signal: AbortSignal | undefined
  /** Is shown the headers of any answer, before it counts. */
  look: ((headers: Headers, status: number) => Promise<void>) | undefined
}

export type Reply = { headers: Headers; status: number; body: unknown }

/** One try: an answer that went well, or a `VitrineError`. */
export const sendOnce = async ({ fetch, address, init, timeoutMs, signal, look }: Sending): Promise<Reply> => {
  if (signal?.aborted) throw aborted(signal)
  const controller = new AbortController()
  const abort = () => controller.abort()
  const timer = setTimeout(abort, timeoutMs)
  signal?.addEventListener('abort', abort)
  let response: Response | undefined
  try {
    // Every try has a signal of its own, and the other settings of the first.
    init.signal = controller.signal
    response = await fetch(address, init)
    const { status, headers } = response
    const body = hasBody(status) ? await response.json() : undefined
    if (look !== undefined) await look(headers, status)
    if (status >= 400) throw refusal(response, body)
    return { headers, status, body }
  } catch (error) {
    if (error instanceof VitrineError) throw error
    if (signal?.aborted) throw aborted(signal)
    if (controller.signal.aborted) {
      throw new VitrineError('TIMEOUT', `There was no answer within ${timeoutMs} ms.`, { cause: error })
    }
    // Whatever else goes wrong with reading a body does so on the way here. By name: a `fetch` that was handed in may
    // come from another realm, with a SyntaxError of its own.
    if (response !== undefined && (error as Error).name === 'SyntaxError') throw badAnswer(response, error)
    throw new VitrineError('NETWORK', 'The service could not be reached.', { cause: error })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

/** A redirect has none that matters, and browsers show one as status 0. */
const hasBody = (status: number) => status !== 204 && status !== 0 && (status < 300 || status >= 400)

const badAnswer = (response: Response, cause?: unknown) =>
  new VitrineError('BAD_ANSWER', `The answer with status ${response.status} is not one of Vitrine.`, {
    ...detailsOf(response),
    cause,
  })

const refusal = (response: Response, body: unknown) => {
  const { error, code } = (body ?? {}) as { error?: unknown; code?: unknown }
  if (typeof error !== 'string' || typeof code !== 'string') return badAnswer(response)
  return new VitrineError(code as ErrorCode, error, detailsOf(response))
}

const detailsOf = ({ status, headers }: Response) => ({
  status,
  requestId: headers.get('x-request-id'),
  retryAfterSeconds: secondsToWait(headers.get('retry-after')),
})

/** Seconds, as Vitrine sends them, or a date, as proxies may. */
const secondsToWait = (text: string | null) => {
  if (text === null) return null
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000)
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null
}

export const aborted = (signal: AbortSignal) =>
  new VitrineError('ABORTED', 'The call was aborted.', { cause: signal.reason })
