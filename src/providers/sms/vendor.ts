import { toFields } from '../../core/fields.ts'
import { type SmsMessage, SmsRefused, SmsUncertain } from './sender.ts'

/** `body` is undefined when it was cut off, did not end in time, or was larger than any honest answer. */
export type VendorAnswer = { status: number; body: string | undefined }

export type VendorRequest = {
  vendor: string
  headers: Record<string, string>
  body: string
  timeoutMs: number | undefined
}

const usualTimeoutMs = 10_000
const longestAnswerBytes = 64 * 1024

/** One POST. Redirects are not followed: the password would go to an address that nobody configured. */
export const askVendor = async (url: string | URL, request: VendorRequest): Promise<VendorAnswer> => {
  const { vendor, headers, body, timeoutMs = usualTimeoutMs } = request
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    return { status: response.status, body: await readBody(response) }
  } catch (error) {
    throw explain(vendor, error)
  }
}

/** The status is known by now, and often says enough; so a body that goes wrong is no error of its own. */
const readBody = async (response: Response) => {
  const parts: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const part of response.body ?? []) {
      bytes += part.byteLength
      // Leaving the loop ends the connection.
      if (bytes > longestAnswerBytes) return undefined
      parts.push(part)
    }
  } catch {
    return undefined
  }
  return Buffer.concat(parts).toString('utf8')
}

/** A cause is kept only when it comes from the network: those that complain of a request may quote its headers. */
const explain = (vendor: string, error: unknown) => {
  if (!(error instanceof Error)) return new SmsUncertain(`The request to ${vendor} failed.`)
  if (error.name === 'TimeoutError') return new SmsUncertain(`${vendor} did not answer in time.`)
  if (error.cause === undefined) return new SmsRefused(`The request to ${vendor} could not be made.`)
  return isFromConnecting(error.cause)
    ? new SmsRefused(`${vendor} cannot be reached.`, { cause: error.cause })
    : new SmsUncertain(`The connection to ${vendor} was lost.`, { cause: error.cause })
}

/**
 * Whether it failed before there was a connection to send anything on. Several addresses that all failed come as one
 * error that holds theirs. A certificate is checked before the request goes out.
 */
const isFromConnecting = (cause: unknown): boolean => {
  if (cause instanceof AggregateError && cause.errors.length > 0) return cause.errors.every(isFromConnecting)
  const { syscall, code } = toFields(cause)
  if (syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT') return true
  return /^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT_)/.test(String(code))
}

/** For everything but a yes, by the status alone: 4xx is a no, and whatever else came is neither. */
export const refusalOrDoubt = (vendor: string, status: number, detail?: string) => {
  const options = detail === undefined ? undefined : { cause: new Error(detail) }
  return status >= 400 && status < 500
    ? new SmsRefused(`${vendor} refused the message with ${status}.`, options)
    : new SmsUncertain(`${vendor} answered with ${status}.`, options)
}

/** The fields of a JSON object, or undefined for anything else. */
export const readFields = (body: string | undefined): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(body ?? '')
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** A vendor's code and words for the log, without what they may repeat: secrets, the password, a phone number. */
export const quoteVendor = (fields: Record<string, unknown>, { code, text }: SmsMessage, secrets: readonly string[]) =>
  [fields.code, fields.message]
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .map((part) => hide(String(part), [...secrets, text, code]))
    .join(': ')

const phoneInAnyForm = /\+?\d(?:[\s().-]{0,2}\d){6,}/g

const hide = (words: string, hidden: readonly string[]) =>
  hidden
    .filter((value) => value !== '')
    .reduce((rest, value) => rest.replaceAll(value, '[hidden]'), words)
    .replaceAll(phoneInAnyForm, '[hidden]')
    .slice(0, 300)
