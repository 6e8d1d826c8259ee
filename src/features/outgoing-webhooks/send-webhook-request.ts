import { ResolverFailed, UrlRefused } from '../../core/address-guard.ts'
import { type HttpAnswer, sendRequest } from '../../core/http-request.ts'
import { shortenText } from '../../core/text.ts'
import { errorCode, errorMessage } from '../../core/thrown.ts'
import { TimeLimitExceeded, withTimeLimit } from '../../core/time-limit.ts'
import { signWebhook } from '../../core/webhook-signature.ts'
import type { OutgoingWebhooks } from '../context.ts'

/** More than is kept, so that the connection can be used again after an answer of the usual size. */
const maxAnswerBytes = 16_384
const keptAnswerBytes = 1024
const maxErrorLength = 500

export type WebhookRequest = {
  url: string
  eventId: string
  body: string
  /** Each of them signs. */
  secrets: readonly string[]
  nowMs: number
}

export type WebhookAnswer = {
  /** Null if there was no answer. */
  status: number | null
  headers: HttpAnswer['headers']
  durationMs: number
  /** Why it failed, in words. Empty after a status from 200 to 299. */
  error: string
  /** The beginning of the answer. */
  answer: string
  /** Nothing was sent for a reason of this service, which says nothing about the endpoint. */
  isOwnFault: boolean
}

/** Sends a request and reports what happened. Rejects only if `signal` aborts. */
export const sendWebhookRequest = async (
  { guard, userAgent, callLimitMs }: Pick<OutgoingWebhooks, 'guard' | 'userAgent' | 'callLimitMs'>,
  request: WebhookRequest,
  signal: AbortSignal,
): Promise<WebhookAnswer> => {
  const { url, eventId, body, secrets } = request
  const timestampSeconds = Math.floor(request.nowMs / 1000)
  const headers = {
    'content-type': 'application/json',
    'user-agent': userAgent,
    'webhook-id': eventId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signWebhook(secrets, { id: eventId, timestampSeconds, body }),
  }
  const startedMs = performance.now()
  const duration = () => ({ durationMs: Math.round(performance.now() - startedMs) })
  try {
    const answer = await withTimeLimit({ limitMs: callLimitMs, signal, name: 'the request' }, async (limited) => {
      const addresses = await guard.check(url)
      limited.throwIfAborted()
      const limits = { signal: limited, maxAnswerBytes, cutsLongAnswer: true }
      return sendRequest({ method: 'POST', url, headers, body, addresses, ...limits })
    })
    const { status } = answer
    const kept = { error: judgeStatus(answer), answer: keepText(answer.text), isOwnFault: false }
    return { status, headers: answer.headers, ...kept, ...duration() }
  } catch (error) {
    signal.throwIfAborted()
    const fault = { error: describeFault(error, callLimitMs), isOwnFault: error instanceof ResolverFailed }
    return { status: null, headers: {}, answer: '', ...fault, ...duration() }
  }
}

const judgeStatus = ({ status, headers }: HttpAnswer): string => {
  if (status >= 200 && status < 300) return ''
  if (status < 300 || status >= 400) return `The endpoint answered ${status}.`
  const target = shortenText(headers.location ?? '', 200)
  return `The endpoint answered ${status}${target === '' ? '' : ` to ${target}`}. Redirects are not followed.`
}

/** PostgreSQL cannot store NUL in a text. A character that the cut has split is dropped. */
const keepText = (text: string) =>
  new TextDecoder().decode(Buffer.from(text).subarray(0, keptAnswerBytes), { stream: true }).replaceAll('\0', '\ufffd')

const faults: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed without an answer.',
  EPIPE: 'The connection was closed without an answer.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The host cannot be reached.',
  ETIMEDOUT: 'The connection was not accepted in time.',
  ENOTFOUND: 'The host has no address.',
  EAI_AGAIN: 'The name servers of the host do not answer.',
}

const describeFault = (error: unknown, limitMs: number): string => {
  if (error instanceof UrlRefused || error instanceof ResolverFailed) return error.message
  if (error instanceof TimeLimitExceeded) return `There was no answer within ${limitMs / 1000} seconds.`
  // If several addresses were tried, the first failure counts.
  const fault = error instanceof AggregateError ? error.errors[0] : error
  return faults[errorCode(fault) ?? ''] ?? shortenText(`The request failed: ${errorMessage(fault)}`, maxErrorLength)
}
