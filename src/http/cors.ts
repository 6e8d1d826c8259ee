import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, onRequestHookHandler } from 'fastify'
import { fail } from '../core/errors.ts'

/** The CORS rules for all paths below a prefix. */
export type CrossOrigin = {
  prefix: string
  methods: string
  requestHeaders: string
  responseHeaders: string
}

/** Whether any store allows this origin. A preflight names no store, and the page must be able to read errors too. */
export type IsKnownOrigin = (origin: string, request: IncomingMessage) => boolean | Promise<boolean>

export const allowCrossOrigin = (server: FastifyInstance, allowed: CrossOrigin, isKnownOrigin: IsKnownOrigin) => {
  server.addHook('onRequest', markAnswers(allowed, isKnownOrigin))
  server.options(`${allowed.prefix}/*`, (request, reply) => {
    if (request.headers.origin === undefined || reply.getHeader('access-control-allow-origin') === undefined) {
      throw fail('FORBIDDEN', 'This origin is not on any allowlist.')
    }
    return reply
      .code(204)
      .header('access-control-allow-methods', allowed.methods)
      .header('access-control-allow-headers', allowed.requestHeaders)
      .header('access-control-max-age', '600')
      .header('vary', 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers')
      .send()
  })
}

const markAnswers =
  ({ prefix, responseHeaders }: CrossOrigin, isKnownOrigin: IsKnownOrigin): onRequestHookHandler =>
  (request, reply, done) => {
    if (!request.originalUrl.startsWith(prefix)) return done()
    reply.header('vary', 'Origin')
    const { origin } = request.headers
    if (origin === undefined) return done()
    const finish = (known: boolean) => {
      if (known) markAllowed(reply, origin, responseHeaders)
      done()
    }
    const known = isKnownOrigin(origin, request.raw)
    if (known instanceof Promise) known.then(finish).catch((error) => done(error))
    else finish(known)
  }

const markAllowed = (reply: FastifyReply, origin: string, responseHeaders: string) =>
  reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', responseHeaders)
