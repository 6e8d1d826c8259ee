import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Fields, toFields } from '../core/fields.ts'
import { AnswerTooLong, sendRequest } from '../core/http-request.ts'

/** The provider has answered no. The same call gets the same answer. */
export class ProviderRefused extends Error {
  override name = 'ProviderRefused'
  readonly status: number
  /** The provider's own code of the error; empty if it has none. */
  readonly code: string
  constructor(message: string, { status, code }: { status: number; code: string }) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** No answer, or one that says nothing about the effect. The call can be repeated. */
export class ProviderUnavailable extends Error {
  override name = 'ProviderUnavailable'
}

/** Besides redirects and server errors. */
const undecidedStatuses = new Set([408, 409, 424, 425, 429])

/**
 * The error for an answer that is not a success. Only a refusal proves that the call had no effect: the provider may have
 * acted before it answered with any other status.
 */
export const toProviderError = (message: string, { status, code }: { status: number; code: string }): Error => {
  const isRefusal = status >= 400 && status < 500 && !undecidedStatuses.has(status)
  return isRefusal ? new ProviderRefused(message, { status, code }) : new ProviderUnavailable(message)
}

export type ProviderAnswer = { status: number; headers: IncomingHttpHeaders; body: Fields }

export type ProviderRequest = {
  provider: string
  method: 'GET' | 'POST'
  url: string
  headers: Readonly<Record<string, string>>
  body?: string
  signal: AbortSignal
  /** Sent once only: the provider would not recognise a repeated request and could act on it twice. */
  isSentOnce?: boolean
}

const maxTries = 3
const firstDelayMs = 300
const maxAnswerBytes = 1024 * 1024

/**
 * Sends a request, and repeats it after a lost connection, 409, 429 and 5xx, until the signal aborts. Returns the last
 * answer unless it is a server error that a later call may not get. Redirects are not followed: the credentials would go
 * to an address that no operator has configured.
 */
export const callProviderApi = async (request: ProviderRequest): Promise<ProviderAnswer> => {
  for (let attempt = 1; ; attempt++) {
    const outcome = await send(request)
    const isLast = attempt === maxTries || request.isSentOnce === true
    if (!(outcome instanceof Error)) {
      if (!isWorthRepeating(outcome)) return outcome
      if (isLast) throw new ProviderUnavailable(`${request.provider} answered with ${outcome.status}.`)
    } else if (isLast || request.signal.aborted) {
      throw outcome
    }
    await pause(request.signal, firstDelayMs * 3 ** (attempt - 1))
  }
}

const isWorthRepeating = ({ status, headers }: ProviderAnswer) => {
  // Stripe says so itself, and replays an answer that it remembers.
  const said = headers['stripe-should-retry']
  if (said === 'true' || said === 'false') return said === 'true'
  if (headers['idempotent-replayed'] === 'true') return false
  return status === 409 || status === 429 || status >= 500
}

/** Half of the delay is random, so that callers who failed together do not come back together. */
const pause = (signal: AbortSignal, delayMs: number) =>
  sleep(delayMs * (0.5 + Math.random() / 2), undefined, { signal })

const send = async ({ provider, ...request }: ProviderRequest): Promise<ProviderAnswer | Error> => {
  try {
    const { status, headers, text } = await sendRequest({ ...request, maxAnswerBytes })
    return { status, headers, body: parse(text) }
  } catch (error) {
    if (error instanceof AnswerTooLong)
      return new ProviderUnavailable(`${provider} sent an answer over ${maxAnswerBytes} bytes.`)
    // Other errors may quote the request or the answer, so only one from the network is kept.
    const isFromNetwork = toFields(error).syscall !== undefined || error instanceof AggregateError
    return new ProviderUnavailable(`${provider} cannot be reached.`, isFromNetwork ? { cause: error } : undefined)
  }
}

const parse = (text: string): Fields => {
  try {
    return toFields(JSON.parse(text))
  } catch {
    return {}
  }
}
