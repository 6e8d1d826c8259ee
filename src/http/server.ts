import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { errorBody, fail } from '../core/errors.ts'
import { acceptJson, maxBodyBytes } from './body.ts'
import { answerBrokenConnection, answerErrors, sendFailure } from './errors.ts'
import { requestId } from './request-id.ts'

export type ServerOptions = {
  logger: FastifyBaseLogger
  trustProxy: boolean | string[]
  /** Sees each request first; true when it has answered it. */
  fastLane: (request: IncomingMessage, response: ServerResponse) => boolean
  timeouts?: Partial<typeof usualTimeouts>
}

/**
 * In milliseconds: for the headers, for the whole request, between requests, how often the first two are checked, and how
 * long nothing may move on a connection, so that a client that does not read its answer is cut off. The last must be
 * longer than the longest wait for an order.
 */
const usualTimeouts = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  idleTimeout: 60_000,
}

const maxHeaderBytes = 16_384

const badAddresses = new WeakSet<IncomingMessage>()

/** Whether the address of this request could not be decoded. */
export const hasBadAddress = (request: IncomingMessage) => badAddresses.has(request)

/**
 * Fastify would answer an address that cannot be decoded outside of all hooks. It is sent to a place that does not
 * exist instead, so that it is counted, logged and marked like any other refusal.
 */
const divertBadAddress = (request: { url?: string | undefined }) => {
  const { url = '/' } = request
  if (isDecodable(url)) return url
  badAddresses.add(request as IncomingMessage)
  return '/not-an-address'
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

/** The path of `GET http://host/path`, which is how a client addresses a proxy. */
const originForm = (url = '/') => {
  if (url.startsWith('/')) return url
  const [absolute] = /^https?:\/\/[^/?]*/i.exec(url) ?? []
  if (absolute === undefined) return url
  const rest = url.slice(absolute.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** Through the response and not the socket, so that answers to earlier requests on the connection go out first. */
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

/** A Fastify with our limits: how large, how deep, how slow a request may be, and how each fault is answered. */
export const createServer = ({ logger, trustProxy, fastLane, timeouts }: ServerOptions) => {
  const server = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // One logger for all: a child for each request costs more than the few lines that name their request themselves.
    childLoggerFactory: (shared) => shared,
    trustProxy,
    bodyLimit: maxBodyBytes,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    rewriteUrl: divertBadAddress,
    // How long a parameter may be is up to its schema, which answers like every other fault.
    routerOptions: { maxParamLength: maxHeaderBytes, ignoreTrailingSlash: true },
    serverFactory: (handle) => {
      const answer = (request: IncomingMessage, response: ServerResponse) => {
        if (request.headers.host === undefined && request.httpVersion === '1.1') return refuseWithoutHost(response)
        request.url = originForm(request.url)
        if (!fastLane(request, response)) handle(request, response)
      }
      const { idleTimeout, ...times } = { ...usualTimeouts, ...timeouts }
      // By default Node answers a missing Host or an unknown Expect with an empty body.
      const limits = { ...times, maxHeaderSize: maxHeaderBytes, requireHostHeader: false }
      const http = createHttpServer(limits, answer)
      http.setTimeout(idleTimeout)
      http.on('checkExpectation', answer)
      http.on('clientError', (error, socket) => answerBrokenConnection(error, socket as Socket))
      return http
    },
    // A shutdown waits for answers that are under way and closes what is idle.
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
  acceptJson(server)
  answerErrors(server)
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
    done()
  })
  return server
}
