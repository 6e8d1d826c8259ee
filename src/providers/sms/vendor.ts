import type { IncomingMessage } from 'node:http'
import { toFields } from '../../core/fields.ts'
import { openAnswer } from '../../core/http-request.ts'
import { type SmsMessage, SmsRefused, SmsUncertain } from './sender.ts'

/** `body` is undefined if it was incomplete, late or too large. */
export type VendorAnswer = { status: number; body: string | undefined }

export type VendorRequest = {
  vendor: string
  headers: Record<string, string>
  body: string
  timeoutMs: number | undefined
}

const defaultTimeoutMs = 10_000
const maxAnswerBytes = 64 * 1024

/** Redirects are not followed: the one-time password would go to a URL that the operator did not configure. */
export const postToVendor = async (url: string | URL, request: VendorRequest): Promise<VendorAnswer> => {
  const { vendor, headers, body, timeoutMs = defaultTimeoutMs } = request
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const answer = await openAnswer({ method: 'POST', url: String(url), headers, body, signal })
    return { status: answer.statusCode ?? 0, body: await readBody(answer) }
  } catch (error) {
    throw explainLost(vendor, error)
  }
}

/** Never throws: the status is already known and often sufficient. */
const readBody = async (answer: IncomingMessage) => {
  const parts: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const part of answer) {
      bytes += part.byteLength
      // Leaving the loop closes the connection.
      if (bytes > maxAnswerBytes) return undefined
      parts.push(part)
    }
  } catch {
    return undefined
  }
  return Buffer.concat(parts).toString('utf8')
}

/**
 * The error for a request without an answer. The message of an invalid request may quote its headers, and other fields of
 * a network error what the vendor has sent, so neither is kept.
 */
export const explainLost = (vendor: string, error: unknown) => {
  if (!(error instanceof Error)) return new SmsUncertain(`The request to ${vendor} failed.`)
  if (error.name === 'AbortError') return new SmsUncertain(`${vendor} did not answer in time.`)
  if (error instanceof TypeError) return new SmsRefused(`The request to ${vendor} could not be made.`)
  const { code, syscall } = toFields(error)
  const cause = Object.assign(new Error(error.message), { code, syscall })
  return isFromConnecting(error)
    ? new SmsRefused(`${vendor} cannot be reached.`, { cause })
    : new SmsUncertain(`The connection to ${vendor} was lost.`, { cause })
}

/**
 * Whether the error happened before the request could be sent. If a host has several addresses and all fail, Node reports
 * one AggregateError. The certificate is checked before the request is sent.
 */
const isFromConnecting = (cause: unknown): boolean => {
  if (cause instanceof AggregateError && cause.errors.length > 0) return cause.errors.every(isFromConnecting)
  const { syscall, code } = toFields(cause)
  if (syscall === 'connect' || syscall === 'getaddrinfo') return true
  return /^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT_)/.test(String(code))
}

/** For a response that does not accept the message: 4xx is a refusal, everything else is uncertain. */
export const errorForStatus = (vendor: string, status: number, detail?: string) => {
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

/** The vendor's error code and message for the log, with secrets, one-time password and phone numbers redacted. */
export const quoteVendor = (fields: Record<string, unknown>, { code, text }: SmsMessage, secrets: readonly string[]) =>
  [fields.code, fields.message]
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .map((part) => redact(String(part), [...secrets, text, code]))
    .join(': ')

const phoneInAnyForm = /\+?\d(?:[\s().-]{0,2}\d){6,}/g

const redact = (message: string, secrets: readonly string[]) =>
  secrets
    .filter((value) => value !== '')
    .reduce((rest, value) => rest.replaceAll(value, '[hidden]'), message)
    .replaceAll(phoneInAnyForm, '[hidden]')
    .slice(0, 300)
