import { SessionEnded, VitrineError } from './errors.ts'
import { withTimeout } from './time.ts'
import type { ErrorCode } from './types.ts'

/** Called with the headers of every answer, before the call resolves or rejects. */
export type OnHeaders = (headers: Headers, status: number) => Promise<void>

/** One attempt. */
type Sending<Body> = {
  fetch: typeof globalThis.fetch
  address: string
  init: RequestInit
  timeoutMs: number
  signal: AbortSignal | undefined
  /** Whether a timeout or abort also aborts the request. An AbortController costs 2 % of a fast call. */
  isAbortable: boolean
  onHeaders: OnHeaders | undefined
  /** Reads the body of a successful answer. A SyntaxError means that it is not from Vitrine. */
  read: (response: Response) => Promise<Body>
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** `body` is undefined for an answer without one. */
export type Reply<Body = unknown> = { headers: Headers; status: number; body: Body | undefined }

export const readJson = (response: Response): Promise<unknown> => response.json()

/** Makes one attempt: resolves with a successful answer, or rejects with a `VitrineError`. */
export const sendOnce = <Body>(sending: Sending<Body>): Promise<Reply<Body>> => {
  const { timeoutMs, signal, isAbortable } = sending
  const begin = () => exchange(sending)
  if (!isAbortable) return withTimeout(begin, timeoutMs, signal)
  const controller = new AbortController()
  // Every attempt has its own signal and shares the other settings.
  sending.init.signal = controller.signal
  return withTimeout(begin, timeoutMs, signal, () => controller.abort())
}

const exchange = async <Body>({ fetch, address, init, onHeaders, read }: Sending<Body>): Promise<Reply<Body>> => {
  let response: Response | undefined
  let body: Body | undefined
  let problem: unknown
  try {
    response = await fetch(address, init)
    if (response.status >= 400) problem = await readJson(response)
    else if (hasBody(response.status)) body = await read(response)
  } catch (cause) {
    // A SyntaxError means that the body is not JSON; any other error is one of the network. Checked by name, because a
    // custom `fetch` may come from another realm with its own SyntaxError.
    if (response !== undefined && isObject(cause) && cause.name === 'SyntaxError') throw badAnswer(response, cause)
    throw new VitrineError('NETWORK', 'The service could not be reached.', { cause })
  }
  const { status, headers } = response
  if (onHeaders !== undefined) await onHeaders(headers, status)
  if (status >= 400) throw refusal(response, problem)
  return { headers, status, body }
}

/** The body of a redirect is not needed, and browsers report a redirect as status 0. */
const hasBody = (status: number) => status !== 204 && status !== 0 && status < 300

const badAnswer = (response: Response, cause?: unknown) =>
  new VitrineError('BAD_ANSWER', `The answer with status ${response.status} did not come from Vitrine.`, {
    ...detailsOf(response),
    cause,
  })

const refusal = (response: Response, body: unknown) => {
  const { error, code } = isObject(body) ? body : {}
  if (typeof error !== 'string' || typeof code !== 'string') return badAnswer(response)
  const hasSessionEnded = code === 'UNAUTHORIZED' && /\bbearer\b/i.test(response.headers.get('www-authenticate') ?? '')
  return new (hasSessionEnded ? SessionEnded : VitrineError)(code as ErrorCode, error, detailsOf(response))
}

const detailsOf = ({ status, headers }: Response) => ({
  status,
  requestId: headers.get('x-request-id'),
  retryAfterSeconds: parseRetryAfter(headers.get('retry-after')),
})

/** Seconds, as Vitrine sends them, or a date, as proxies may. */
const parseRetryAfter = (text: string | null) => {
  if (text === null) return null
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000)
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null
}
