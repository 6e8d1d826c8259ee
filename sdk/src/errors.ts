import type { ErrorCode } from './types.ts'

/** Why there is no answer: `BAD_ANSWER` is one that no Vitrine sends, such as the error page of a proxy. */
export type ClientErrorCode = 'NETWORK' | 'TIMEOUT' | 'ABORTED' | 'BAD_ANSWER'

type Details = { status?: number; requestId?: string | null; retryAfterSeconds?: number | null; cause?: unknown }

/** Everything that goes wrong with a call. Decide by `code`; the message is for people. */
export class VitrineError extends Error {
  override name = 'VitrineError'
  readonly code: ErrorCode | ClientErrorCode
  /** The status of the answer; 0 without one. */
  readonly status: number
  /** Names the request in the logs of the service. */
  readonly requestId: string | null
  /** How long the service asks to wait. */
  readonly retryAfterSeconds: number | null

  constructor(code: ErrorCode | ClientErrorCode, message: string, details: Details = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined)
    this.code = code
    this.status = details.status ?? 0
    this.requestId = details.requestId ?? null
    this.retryAfterSeconds = details.retryAfterSeconds ?? null
  }
}

/** A refusal that is about the session, and not about the key of the store, which is `UNAUTHORIZED` as well. */
export class SessionOver extends VitrineError {}

/** Whether it is an error of this client, and of this code where one is given. */
export const isVitrineError = <Code extends VitrineError['code']>(
  error: unknown,
  code?: Code,
): error is VitrineError & { code: Code } =>
  error instanceof VitrineError && (code === undefined || error.code === code)
