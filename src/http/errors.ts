import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../core/domain-errors.ts'
import { type ErrorCode, errorBody, errorCatalogue, Failure, fail } from '../core/errors.ts'
import { toFailure } from './domain-errors.ts'
import { loggedPathOf } from './request-log.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the error that answered the request. */
    errorCode: ErrorCode | null
  }
}

/** Turns every error of a request into `{error, code}`. */
export const answerErrors = (server: FastifyInstance) => {
  server.setErrorHandler((error: FastifyError | Failure, request, reply) => {
    const confirm = request.ctx?.confirm
    const { status, code } = failureOf(request, error)
    if (confirm === undefined || status >= 500 || code === 'UNAUTHORIZED') return sendFailure(request, reply, error)
    // A caller who must be refused is told that, whatever else is wrong with the request.
    return confirm().then(
      () => sendFailure(request, reply, error),
      (refusal) => sendFailure(request, reply, refusal),
    )
  })
}

const failureOf = (request: FastifyRequest, error: unknown) =>
  error instanceof Failure ? error : translate(error as FastifyError | DomainError, request)

export const sendFailure = (request: FastifyRequest, reply: FastifyReply, error: unknown) => {
  const failure = failureOf(request, error)
  request.errorCode = failure.code
  if (failure.status >= 500) {
    const { id, method, originalUrl: url } = request
    logServerError(request.log, { id, method, url, code: failure.code, error: failure.cause ?? error })
  }
  // Errors are JSON, whatever content type the route has set.
  return reply
    .code(failure.status)
    .headers(failure.headers)
    .removeHeader('etag')
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(errorBody(failure.code, failure.message))
}

const serverErrorMessages: Partial<Record<ErrorCode, string>> = {
  BAD_GATEWAY: 'upstream failed',
  SERVICE_UNAVAILABLE: 'service unavailable',
}

type ServerError = { id: string; method: string; url: string; code: ErrorCode; error: unknown }

/** Logs the cause of a 5xx answer. The text that the caller received does not help an operator. */
export const logServerError = (logger: FastifyBaseLogger, { id, method, url, code, error }: ServerError) => {
  const message = serverErrorMessages[code] ?? 'internal error'
  logger.error({ req: id, method, path: loggedPathOf(url), code, err: error }, message)
}

const byFastifyCode: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'BAD_REQUEST',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'BAD_REQUEST',
  FST_ERR_BAD_URL: 'BAD_REQUEST',
  FST_ERR_ASYNC_CONSTRAINT: 'BAD_REQUEST',
}

const translate = (error: FastifyError | DomainError, request: FastifyRequest): Failure => {
  if (error instanceof DomainError) return toFailure(error, request.routeOptions.config.endpoint?.invalidInput)
  const code = byFastifyCode[error.code]
  if (code === 'UNSUPPORTED_MEDIA_TYPE' && request.routeOptions.config.endpoint?.maxFileBytes !== undefined)
    return fail(code, 'Send the body as multipart/form-data.')
  if (code !== undefined) return fail(code)
  // The client closed the connection while sending the body.
  if (error.code === 'ECONNRESET' || error.code === 'ECONNABORTED')
    return fail('BAD_REQUEST', 'The body is incomplete.')
  return fail('INTERNAL', undefined, { cause: error })
}

/** Answers requests that Node rejects by itself: malformed HTTP, headers too large, too slow. */
export const answerBrokenConnection = (error: Error & { code?: string }, socket: Socket) => {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const code: ErrorCode =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'HEADERS_TOO_LARGE'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'REQUEST_TIMEOUT'
        : 'BAD_REQUEST'
  const { status } = errorCatalogue[code]
  const body = JSON.stringify(errorBody(code))
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      'x-content-type-options: nosniff\r\n' +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}
