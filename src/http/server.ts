import { randomBytes } from 'node:crypto'
import Fastify, { type FastifyBaseLogger, type FastifyReply, type FastifyRequest } from 'fastify'
import { fail } from '../core/errors.ts'
import { acceptJson, maxBodyBytes } from './body.ts'
import { answerBrokenConnection, answerErrors, sendFailure } from './errors.ts'
import { compileValidator } from './validators.ts'

export type ServerOptions = { logger: FastifyBaseLogger; trustProxy: boolean | string[] }

/** A Fastify with our limits: how large, how deep, how slow a request may be, and how each fault is answered. */
export const createServer = ({ logger, trustProxy }: ServerOptions) => {
  const server = Fastify({
    loggerInstance: logger,
    disableRequestLogging: true,
    // One logger for all: a child for each request costs more than the few lines that name their request themselves.
    childLoggerFactory: (shared) => shared,
    trustProxy,
    bodyLimit: maxBodyBytes,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    requestTimeout: 30_000,
    connectionTimeout: 60_000,
    keepAliveTimeout: 65_000,
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: true },
    http: { headersTimeout: 15_000, maxHeaderSize: 16_384 },
    clientErrorHandler: answerBrokenConnection,
    // A shutdown waits for answers that are under way and closes what is idle.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) =>
      sendFailure(
        request as FastifyRequest,
        reply as FastifyReply,
        fail('BAD_REQUEST', 'The address is not valid.', { cause: error }),
      ),
  })
  server.setValidatorCompiler(compileValidator)
  server.decorateRequest('ctx', null)
  acceptJson(server)
  answerErrors(server)
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  return server
}

const processTag = randomBytes(6).toString('base64url')
let requests = 0

/** The caller's own id when it is a reasonable one, so that a request can be followed through several services. */
const requestId = (given: string | string[] | undefined) =>
  typeof given === 'string' && /^[\w.:-]{1,64}$/.test(given) ? given : `${processTag}-${(requests++).toString(36)}`
