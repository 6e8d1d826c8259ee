import type { CallOptions, SenderOptions } from './options.ts'
import { type Encode, type HttpOperation, type Input, makeRequest } from './request.ts'
import { type RetryPolicy, withRetries } from './retry.ts'
import { type OnHeaders, type Reply, sendOnce } from './send.ts'
import { sleepFor } from './time.ts'

const defaultTimeoutMs = 30_000

/** What all clients share: it makes requests, and sends them with time limits and with retries where that is safe. */
export const createSender = (options: SenderOptions, own: Record<string, string>) => {
  if (!/^https?:\/\/[^/]/.test(options.url))
    throw new TypeError(`url must start with https:// or http://, not "${options.url}".`)
  let { url } = options
  while (url.endsWith('/')) url = url.slice(0, -1)
  const fixed = toHeaders({ accept: 'application/json', ...own, ...options.headers })
  const fetch: typeof globalThis.fetch = options.fetch ?? ((...args) => globalThis.fetch(...args))
  const defaultPolicy: RetryPolicy = {
    retries: options.retries ?? 2,
    maxRetryAfterSeconds: options.maxRetryAfterSeconds ?? 60,
    sleep: options.sleep ?? sleepFor,
  }
  const timeoutOf = ({ timeoutMs }: CallOptions) => timeoutMs ?? options.timeoutMs ?? defaultTimeoutMs

  /** Returns the headers of a call, and the function that sends it with these headers or others. */
  const prepare = (operation: HttpOperation, input: Input, given: CallOptions, encode?: Encode) => {
    const { address, body } = makeRequest(url, operation, input, encode)
    const { method = 'GET', once, redirect } = operation
    const own: HeaderMap = { ...fixed }
    // `fetch` sets the type of a form, with its boundary.
    if (typeof body === 'string') own['content-type'] = 'application/json'
    if (once) Object.assign(own, toHeaders({ 'idempotency-key': given.idempotencyKey ?? randomKey() }))
    if (given.headers !== undefined) Object.assign(own, toHeaders(given.headers))

    const send = <Body>(
      headers: HeaderMap,
      read: (response: Response) => Promise<Body>,
      onHeaders?: OnHeaders,
      policy = defaultPolicy,
    ): Promise<Reply<Body>> => {
      const init: RequestInit = { method, headers }
      if (body !== undefined) init.body = body
      if (redirect) init.redirect = 'manual'
      const { signal } = given
      const timeoutMs = timeoutOf(given)
      // A read with the default timeout and no signal is not aborted, only ignored: it can do no harm.
      const isAbortable = method !== 'GET' || signal !== undefined || timeoutMs !== defaultTimeoutMs
      const attempt = () => sendOnce({ fetch, address, init, timeoutMs, signal, isAbortable, onHeaders, read })
      // A GET with a redirect is not retried, because each call counts as a download.
      return once || (method === 'GET' && !redirect) ? withRetries(attempt, policy, signal) : attempt()
    }
    return { headers: own, send }
  }

  return { defaultPolicy, timeoutOf, prepare }
}

export type Sender = ReturnType<typeof createSender>

/** Not `randomUUID`, which browsers provide only in secure contexts. */
const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** By lower-case name. A plain object, because `fetch` would copy a `Headers`. */
export type HeaderMap = Record<string, string>

/** Checks header values here, because `fetch` would report an invalid one like a network error. */
const toHeaders = (given: Record<string, string>): HeaderMap => {
  const headers: HeaderMap = {}
  for (const [name, value] of Object.entries(given)) {
    try {
      new Headers().set(name, value)
    } catch (cause) {
      throw new TypeError(
        `The header ${name} is invalid: its name or value has characters that a header must not have.`,
        { cause },
      )
    }
    headers[name.toLowerCase()] = value
  }
  return headers
}
