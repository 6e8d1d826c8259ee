import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, onRequestHookHandler } from 'fastify'
import { fail } from '../core/errors.ts'

const allowedHeaders = [
  'authorization',
  'content-type',
  'idempotency-key',
  'if-none-match',
  'x-api-key',
  'x-customer-id',
  'x-guest-token',
  'x-outlet-id',
  'x-request-id',
  'x-store-key',
].join(', ')

export const exposedHeaders = [
  'etag',
  'link',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'retry-after',
  'www-authenticate',
  'x-cart-id',
  'x-guest-token',
  'x-has-more',
  'x-next-cursor',
  'x-request-id',
].join(', ')

/** Whether any store lists this origin. A preflight names no store, and an error must be readable by the page too. */
export type IsKnownOrigin = (origin: string, request: IncomingMessage) => boolean | Promise<boolean>

export const allowCrossOrigin = (server: FastifyInstance, isKnownOrigin: IsKnownOrigin) => {
  server.addHook('onRequest', markAnswers(isKnownOrigin))
  server.options('/v1/*', (request, reply) => {
    if (request.headers.origin === undefined || reply.getHeader('access-control-allow-origin') === undefined) {
      throw fail('FORBIDDEN', 'This origin is on no allowlist.')
    }
    return reply
      .code(204)
      .header('access-control-allow-methods', 'GET, HEAD, POST, PATCH, DELETE')
      .header('access-control-allow-headers', allowedHeaders)
      .header('access-control-max-age', '600')
      .header('vary', 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers')
      .send()
  })
}

const markAnswers =
  (isKnownOrigin: IsKnownOrigin): onRequestHookHandler =>
  (request, reply, done) => {
    if (!request.originalUrl.startsWith('/v1')) return done()
    reply.header('vary', 'Origin')
    const { origin } = request.headers
    if (origin === undefined) return done()
    const finish = (known: boolean) => {
      if (known) markAllowed(reply, origin)
      done()
    }
    const known = isKnownOrigin(origin, request.raw)
    if (known instanceof Promise) known.then(finish).catch((error) => done(error))
    else finish(known)
  }

const markAllowed = (reply: FastifyReply, origin: string) =>
  reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', exposedHeaders)
