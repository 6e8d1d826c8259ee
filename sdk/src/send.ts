import { SessionOver, VitrineError } from './errors.ts'
import { within } from './time.ts'
import type { ErrorCode } from './types.ts'

/** What one try needs. */
type Sending = {
  fetch: typeof globalThis.fetch
  address: string
  init: RequestInit
  timeoutMs: number
  signal: AbortSignal | undefined
  /** Whether the request itself is ended with the call, which costs a fiftieth of a quick one. */
  isStopped: boolean
  /** Is shown the headers of any answer, before it counts. */
  look: ((headers: Headers, status: number) => Promise<void>) | undefined
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

export type Reply = { headers: Headers; status: number; body: unknown }

/** One try: an answer that went well, or a `VitrineError`. */
export const sendOnce = (sending: Sending): Promise<Reply> => {
  const { timeoutMs, signal, isStopped } = sending
  const begin = () => exchange(sending)
  if (!isStopped) return within(begin, timeoutMs, signal)
  const controller = new AbortController()
  // Every try has a signal of its own, and the other settings of the first.
  sending.init.signal = controller.signal
  return within(begin, timeoutMs, signal, () => controller.abort())
}

const exchange = async ({ fetch, address, init, look }: Sending): Promise<Reply> => {
  let response: Response | undefined
  let body: unknown
  try {
    response = await fetch(address, init)
    if (hasBody(response.status)) body = await response.json()
  } catch (cause) {
    // Whatever else goes wrong with reading a body does so on the way here. By name: a `fetch` that was handed in may
    // come from another realm, with a SyntaxError of its own.
    if (response !== undefined && isObject(cause) && cause.name === 'SyntaxError') throw badAnswer(response, cause)
    throw new VitrineError('NETWORK', 'The service could not be reached.', { cause })
  }
  const { status, headers } = response
  if (look !== undefined) await look(headers, status)
  if (status >= 400) throw refusal(response, body)
  return { headers, status, body }
}

/** A redirect has none that matters, and browsers show one as status 0. */
const hasBody = (status: number) => status !== 204 && status !== 0 && (status < 300 || status >= 400)

const badAnswer = (response: Response, cause?: unknown) =>
  new VitrineError('BAD_ANSWER', `The answer with status ${response.status} is not one of Vitrine.`, {
    ...detailsOf(response),
    cause,
  })

const refusal = (response: Response, body: unknown) => {
  const { error, code } = isObject(body) ? body : {}
  if (typeof error !== 'string' || typeof code !== 'string') return badAnswer(response)
  const isOver = code === 'UNAUTHORIZED' && /\bbearer\b/i.test(response.headers.get('www-authenticate') ?? '')
  return new (isOver ? SessionOver : VitrineError)(code as ErrorCode, error, detailsOf(response))
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
