import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '../core/errors.ts'
import { shortenText } from '../core/text.ts'
import { pathOf } from './request-log.ts'
import { hasUndecodableUrl } from './server.ts'

type CountUnknown = (request: FastifyRequest, setHeader: (name: string, value: string) => unknown) => Promise<void>

/** Answers 404 before the body is read. */
export const refuseUnknownRoutes = (server: FastifyInstance, count: CountUnknown) => {
  const refuse = async (request: FastifyRequest, reply: FastifyReply) => {
    if (request.originalUrl.startsWith('/v1')) {
      await count(request, (name, value) => reply.header(name, value))
    }
    throw hasUndecodableUrl(request.raw)
      ? fail('BAD_REQUEST', 'The URL is not valid.')
      : fail('NOT_FOUND', `There is no ${request.method} ${shortenText(pathOf(request.originalUrl), 200)}.`)
  }
  server.addHook('onRequest', (request, reply, done) => {
    if (request.is404) refuse(request, reply).catch(done)
    else done()
  })
}
