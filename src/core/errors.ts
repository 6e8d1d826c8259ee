/**
 * Every error that the API can return, with its status and default text. The catalogue is closed: a test compares
 * docs/errors.md with it, and OpenAPI lists its codes.
 */
export const errorCatalogue = {
  BAD_REQUEST: { status: 400, text: 'The request is not valid.' },
  COUPON_INVALID: { status: 400, text: 'This coupon cannot be used for this order.' },
  UNAUTHORIZED: { status: 401, text: 'Credentials are missing or not valid.' },
  SECOND_FACTOR_REQUIRED: { status: 401, text: 'The code of the second factor is required.' },
  FORBIDDEN: { status: 403, text: 'These credentials do not allow this.' },
  NOT_FOUND: { status: 404, text: 'Not found.' },
  REQUEST_TIMEOUT: { status: 408, text: 'The request took too long to arrive.' },
  CONFLICT: { status: 409, text: 'The request conflicts with the current state.' },
  INSUFFICIENT_STOCK: { status: 409, text: 'There is not enough stock for this quantity.' },
  STALE_CHECKOUT: { status: 409, text: 'The cart or its prices have changed since they were shown.' },
  GONE: { status: 410, text: 'This has expired or was already used.' },
  COUPON_EXPIRED: { status: 410, text: 'This coupon has expired.' },
  PRECONDITION_FAILED: { status: 412, text: 'This has changed since you read it.' },
  PAYLOAD_TOO_LARGE: { status: 413, text: 'The request body is larger than 1 MiB.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, text: 'Send the body as application/json.' },
  UNPROCESSABLE_ENTITY: { status: 422, text: 'The input is not valid.' },
  RATE_LIMITED: { status: 429, text: 'Rate limit exceeded. Try again later.' },
  HEADERS_TOO_LARGE: { status: 431, text: 'The request headers are too large.' },
  INTERNAL: { status: 500, text: 'Something went wrong on our side.' },
  BAD_GATEWAY: { status: 502, text: 'A service that this request depends on failed.' },
  SERVICE_UNAVAILABLE: { status: 503, text: 'The service cannot answer right now. Try again shortly.' },
} as const satisfies Record<string, { status: number; text: string }>

export type ErrorCode = keyof typeof errorCatalogue

export class Failure extends Error {
  override name = 'Failure'
  readonly code: ErrorCode
  readonly status: number
  readonly headers: Record<string, string>

  constructor(code: ErrorCode, text?: string, options: FailureOptions = {}) {
    super(text ?? errorCatalogue[code].text, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.status = errorCatalogue[code].status
    this.headers = options.headers ?? {}
  }
}

/** `cause` goes to the log only. `headers` are sent with the answer, such as Retry-After. */
export type FailureOptions = { cause?: unknown; headers?: Record<string, string> }

export const fail = (code: ErrorCode, text?: string, options?: FailureOptions) => new Failure(code, text, options)

/** The body of every error. */
export const errorBody = (code: ErrorCode, text: string = errorCatalogue[code].text) => ({ error: text, code })
