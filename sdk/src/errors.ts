import type { ErrorCode } from './types.ts'

/** Errors of the client itself. `BAD_ANSWER`: the answer is not from Vitrine, for example the error page of a proxy. */
export type ClientErrorCode = 'NETWORK' | 'TIMEOUT' | 'ABORTED' | 'BAD_ANSWER'

type Details = { status?: number; requestId?: string | null; retryAfterSeconds?: number | null; cause?: unknown }

/** The error of a failed call. Programs decide by `code`; the message is for people. */
export class VitrineError extends Error {
  override name = 'VitrineError'
  readonly code: ErrorCode | ClientErrorCode
  /** The HTTP status; 0 without an answer. */
  readonly status: number
  /** The id of the request in the logs of the service. */
  readonly requestId: string | null
  /** The `Retry-After` of the answer. */
  readonly retryAfterSeconds: number | null

  constructor(code: ErrorCode | ClientErrorCode, message: string, details: Details = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined)
    this.code = code
    this.status = details.status ?? 0
    this.requestId = details.requestId ?? null
    this.retryAfterSeconds = details.retryAfterSeconds ?? null
  }
}

/** The session is missing or has expired. An invalid store key is `UNAUTHORIZED` too, but not this class. */
export class SessionEnded extends VitrineError {}

/** Whether `error` is a `VitrineError`, and has this code if one is given. */
export const isVitrineError = <Code extends VitrineError['code']>(
  error: unknown,
  code?: Code,
): error is VitrineError & { code: Code } =>
  error instanceof VitrineError && (code === undefined || error.code === code)
