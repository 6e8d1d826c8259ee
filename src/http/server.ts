import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { errorBody, fail } from '../core/errors.ts'
import { acceptJson, maxBodyBytes } from './body.ts'
import { limitBodyTime } from './body-timeout.ts'
import { answerBrokenConnection, answerErrors, sendFailure } from './errors.ts'
import { requestId } from './request-id.ts'

export type ServerOptions = {
  logger: FastifyBaseLogger
  trustProxy: boolean | string[]
  /** Called first for each request. Returns true if it has handled it. */
  fastLane: (request: IncomingMessage, response: ServerResponse) => boolean
  timeouts?: Partial<typeof defaultTimeouts>
  /** Runs around each request, for spans. */
  around?: ((request: IncomingMessage, response: ServerResponse, serve: () => void) => void) | undefined
}

/**
 * In milliseconds. `requestTimeout` is for all requests, which means uploads; `bodyTimeout` is for the others.
 * `idleTimeout` closes connections without traffic, such as those of clients that do not read their answer. It must be
 * longer than the maximum wait for an order.
 */
const defaultTimeouts = {
  headersTimeout: 15_000,
  requestTimeout: 600_000,
  bodyTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  idleTimeout: 60_000,
}

const maxHeaderBytes = 16_384

const undecodableUrls = new WeakSet<IncomingMessage>()

/** Whether the URL of this request cannot be decoded. */
export const hasUndecodableUrl = (request: IncomingMessage) => undecodableUrls.has(request)

/**
 * Fastify answers a URL that cannot be decoded outside of all hooks. It is rewritten to a path that does not exist, so
 * that the request is counted, logged and gets CORS headers like any other refusal.
 */
const rewriteUndecodableUrl = (request: { url?: string | undefined }) => {
  const { url = '/' } = request
  if (isDecodable(url)) return url
  undecodableUrls.add(request as IncomingMessage)
  return '/undecodable-url'
}

const isDecodable = (url: string) => {
  if (!url.includes('%')) return true
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '')
    return true
  } catch {
    return false
  }
}

/** The path of `GET http://host/path`, the form of requests to a proxy. */
const originForm = (url = '/') => {
  if (url.startsWith('/')) return url
  const [absolute] = /^https?:\/\/[^/?]*/i.exec(url) ?? []
  if (absolute === undefined) return url
  const rest = url.slice(absolute.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** Uses the response and not the socket, so that answers to earlier requests on the connection are sent first. */
const refuseWithoutHost = (response: ServerResponse) => {
  const body = JSON.stringify(errorBody('BAD_REQUEST', 'The request has no Host header.'))
  response
    .writeHead(400, {
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    })
    .end(body)
}

/** Creates the Fastify server with limits for the size, depth and duration of requests, and with the error handler. */
export const createServer = ({ logger, trustProxy, fastLane, timeouts, around }: ServerOptions) => {
  const server = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // One logger for all requests: a child logger per request costs more, and few lines need the request id.
    childLoggerFactory: (shared) => shared,
    trustProxy,
    bodyLimit: maxBodyBytes,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    rewriteUrl: rewriteUndecodableUrl,
    // The schema limits the length of parameters, with the usual error.
    routerOptions: { maxParamLength: maxHeaderBytes, ignoreTrailingSlash: true },
    serverFactory: (handle) => {
      const { idleTimeout, bodyTimeout, ...times } = { ...defaultTimeouts, ...timeouts }
      const serve = (request: IncomingMessage, response: ServerResponse) => {
        if (request.headers.host === undefined && request.httpVersion === '1.1') return refuseWithoutHost(response)
        request.url = originForm(request.url)
        if (fastLane(request, response)) return
        limitBodyTime(request, response, bodyTimeout)
        handle(request, response)
      }
      const answer: typeof serve =
        around === undefined ? serve : (request, response) => around(request, response, () => serve(request, response))
      // By default Node answers a missing Host or an unknown Expect with an empty body.
      const limits = { ...times, maxHeaderSize: maxHeaderBytes, requireHostHeader: false }
      const http = createHttpServer(limits, answer)
      http.setTimeout(idleTimeout)
      http.on('checkExpectation', answer)
      http.on('clientError', (error, socket) => answerBrokenConnection(error, socket as Socket))
      return http
    },
    // A shutdown completes requests in progress and closes idle connections.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) =>
      sendFailure(
        request as FastifyRequest,
        reply as FastifyReply,
        fail('BAD_REQUEST', 'The URL is not valid.', { cause: error }),
      ),
  })
  server.decorateRequest('ctx', null)
  server.decorateRequest('errorCode', null)
  acceptJson(server)
  answerErrors(server)
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
    done()
  })
  return server
}
