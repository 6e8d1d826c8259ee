import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { DomainError } from '../core/domain-errors.ts'
import { type ErrorCode, errorBody, Failure, fail } from '../core/errors.ts'
import type { AnswerCache, CachedAnswer } from './cached-answers.ts'
import { toFailure } from './domain-errors.ts'
import type { RequestContext } from './door.ts'
import type { Endpoint } from './endpoint.ts'
import type { FastRead, FindRead } from './fast-reads.ts'
import { compressAnswer, encodingFor, matchesEtag } from './negotiation.ts'
import { requestId } from './request-id.ts'
import type { LogRequest, SeriesOf } from './request-log.ts'

/** A caller whose rights are cached. */
export type Recognised = {
  /** The public id, for the log. */
  storeId: string
  cacheStore: number
  cacheScope: number
  mayRead(endpoint: Endpoint): boolean
  /** For reads of any caller of this store and outlet. */
  readCtx(): RequestContext
  /** Counts the request. Returns the rate limit headers, and the failure when the limit is exceeded. */
  count(request: IncomingMessage): Counted | Promise<Counted>
}
export type Counted = { headers: readonly string[]; failure: Failure | null }

/** Null when the caches cannot decide. `sinceStartMs` is the result of `performance.now()`. */
export type Recognise = (headers: IncomingHttpHeaders, sinceStartMs: number) => Recognised | null

export type FastLaneOptions = {
  /** Paths of cached endpoints start with this. */
  prefix: string
  /** Response headers that pages of other origins may read. */
  exposedHeaders: string
  recognise: Recognise
  answers: Pick<AnswerCache, 'get'>
  /** Finds reads whose answer is not cached. None while spans are recorded, which are named by the router. */
  findRead: FindRead
  isDraining: () => boolean
  seriesOf: SeriesOf
  logRequest: LogRequest
  /** Logs the cause of an answer with status 500. */
  logFailure: (failed: { id: string; url: string; code: ErrorCode; error: unknown }) => void
  /** Whether successful requests are logged too. */
  logsAll: boolean
}

type Started = {
  request: IncomingMessage
  response: ServerResponse
  url: string
  id: string
  storeId: string
  atMs: number
  endpoint: Endpoint
  /** The rate limit headers. */
  rate: readonly string[]
}

/**
 * Answers catalog reads of a cached caller before any routing (decisions 0004 and 0035): from the cache, or by calling the
 * operation. Returns true when it has handled the request. All other requests, and all whose input is not valid, go through
 * Fastify, which applies the same rules.
 */
export const createFastLane = (options: FastLaneOptions) => {
  const { prefix, recognise, answers, findRead, isDraining, logRequest, logFailure, logsAll } = options
  const seriesByEndpoint = new WeakMap<Endpoint, ReturnType<SeriesOf>>()

  const seriesOf = (endpoint: Endpoint) => {
    let series = seriesByEndpoint.get(endpoint)
    if (series === undefined) {
      series = options.seriesOf('GET', endpoint.path)
      seriesByEndpoint.set(endpoint, series)
    }
    return series
  }

  const observe = ({ url, id, storeId, atMs, endpoint }: Started, status: number, code?: ErrorCode) => {
    const ms = performance.now() - atMs
    seriesOf(endpoint)(status, ms / 1000)
    if (status < 400 && !logsAll) return
    logRequest({ id, method: 'GET', url, status, ms, code, storeId })
  }

  const headersOf = (started: Started) => {
    const headers = commonHeaders(started, options.exposedHeaders)
    if (isDraining()) headers.push('connection', 'close')
    return headers
  }

  const sendAnswer = (started: Started, answer: CachedAnswer) => {
    const sent = writeAnswer(started, headersOf(started), answer)
    if (typeof sent === 'number') observe(started, sent)
    else sent.then((status) => observe(started, status)).catch((error: unknown) => failRequest(started, error))
  }

  /** Answers a failed request as the error handler of Fastify would. */
  const failRequest = (started: Started, error: unknown) => {
    const failure = failureOf(error, started.endpoint)
    const { id, url } = started
    const { status, code } = failure
    if (status >= 500) logFailure({ id, url, code, error: failure.cause ?? failure })
    if (started.response.headersSent) return void started.response.destroy()
    writeFailure(started, headersOf(started), failure)
    observe(started, status, code)
  }

  const proceed = (started: Started, { headers, failure }: Counted, given: CachedAnswer | StartRead) => {
    started.rate = headers
    if (failure !== null) failRequest(started, failure)
    else if (typeof given !== 'function') sendAnswer(started, given)
    else
      given()
        .then((answer) => sendAnswer(started, answer))
        .catch((error: unknown) => failRequest(started, error))
  }

  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const { url } = request
    if (request.method !== 'GET' || url === undefined || !url.startsWith(prefix) || isDraining()) return false
    const atMs = performance.now()
    const caller = recognise(request.headers, atMs)
    if (caller === null) return false
    const answer = answers.get(caller.cacheStore, caller.cacheScope + url, atMs)
    const read = answer === undefined && !hasBody(request) ? findRead(url) : undefined
    const endpoint = (answer ?? read)?.endpoint
    if (endpoint === undefined || !caller.mayRead(endpoint)) return false
    const given = answer ?? read?.start(caller.readCtx())
    if (given === undefined) return false
    const id = requestId(request.headers['x-request-id'])
    const { storeId } = caller
    const started: Started = { request, response, url, id, storeId, atMs, endpoint, rate: [] }
    try {
      const counted = caller.count(request)
      if (counted instanceof Promise)
        counted.then((result) => proceed(started, result, given)).catch((error: unknown) => failRequest(started, error))
      else proceed(started, counted, given)
    } catch (error) {
      failRequest(started, error)
    }
    return true
  }
}

type StartRead = NonNullable<ReturnType<FastRead['start']>>

/** Fastify limits the time of a body, even if nothing reads it. */
const hasBody = ({ headers }: IncomingMessage) =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

const failureOf = (error: unknown, { invalidInput }: Endpoint) => {
  if (error instanceof Failure) return error
  return error instanceof DomainError ? toFailure(error, invalidInput) : fail('INTERNAL', undefined, { cause: error })
}

const commonHeaders = ({ id, request, rate }: Started, exposedHeaders: string) => {
  const list = ['x-request-id', id, 'x-content-type-options', 'nosniff', ...rate]
  const { origin } = request.headers
  if (origin !== undefined) {
    list.push('access-control-allow-origin', origin, 'access-control-expose-headers', exposedHeaders)
  }
  return list
}

/** Returns the status that was sent, or a promise of it while the answer is being compressed. */
const writeAnswer = (started: Started, headers: string[], answer: CachedAnswer): number | Promise<number> => {
  const { request, response } = started
  answer.ready ??= { headers: readyHeadersOf(answer), compressed: {} }
  const { ready } = answer
  headers.push(...ready.headers)
  const asked = request.headers
  if (matchesEtag(asked['if-none-match'], answer.etag)) {
    response.writeHead(304, headers).end()
    return 304
  }
  const accepted = asked['accept-encoding'] as string | undefined
  const encoding = encodingFor(answer, accepted)
  if (encoding === 'identity') {
    ready.text ??= answer.byteLength === answer.text.length ? answer.text : asLatin1(Buffer.from(answer.text))
    return send(started, headers, ready.text)
  }
  const bytes = compressAnswer(answer, encoding)
  headers.push('content-encoding', encoding)
  const sendCompressed = (compressed: Buffer) => {
    ready.compressed[encoding] ??= asLatin1(compressed)
    return send(started, headers, ready.compressed[encoding])
  }
  return bytes instanceof Promise ? bytes.then(sendCompressed) : sendCompressed(bytes)
}

const asLatin1 = (bytes: Buffer) => bytes.toString('latin1')

const readyHeadersOf = ({ headers, etag }: CachedAnswer) => {
  const list = ['etag', etag, 'cache-control', 'private, no-cache', 'vary', 'Origin, Accept-Encoding']
  for (const entry of Object.entries(headers)) list.push(...entry)
  return list
}

/** As a latin1 string, with a character for each byte, the body is written in one chunk with the headers. */
const send = ({ response }: Started, headers: string[], body: string) => {
  headers.push('content-type', 'application/json; charset=utf-8', 'content-length', String(body.length))
  response.writeHead(200, headers).end(body, 'latin1')
  return 200
}

const writeFailure = ({ response }: Started, headers: string[], failure: Failure) => {
  const body = JSON.stringify(errorBody(failure.code, failure.message))
  for (const name in failure.headers) headers.push(name, failure.headers[name] as string)
  headers.push('vary', 'Origin', 'content-type', 'application/json; charset=utf-8')
  headers.push('content-length', String(Buffer.byteLength(body)))
  response.writeHead(failure.status, headers).end(body)
}
