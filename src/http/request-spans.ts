import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import {
  failSpan,
  isTracing,
  linkTo,
  readTraceHeaders,
  runWithin,
  type Span,
  SpanKind,
  startSpan,
} from '../core/tracing.ts'
import type { AnswerCache } from './cached-answers.ts'

/** What to do with the trace of a caller: continue it, or begin a new one with a link to it. */
export type IncomingTrace = 'link' | 'parent'

export type RequestSpans = {
  run(request: IncomingMessage, response: ServerResponse, serve: () => void): void
  /** Notes what only the router knows. */
  observe(server: FastifyInstance): void
  /** The same for answers from the cache, which have no router. */
  noting(answers: Pick<AnswerCache, 'get'>): Pick<AnswerCache, 'get'>
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** A span for each request, around everything that is done for it. Null when nothing is traced. */
export const createRequestSpans = (incoming: IncomingTrace): RequestSpans | null => {
  if (!isTracing()) return null
  const spans = new WeakMap<IncomingMessage, Span>()
  let cachedRoute: string | undefined

  const note = (span: Span, method: string, route: string) => {
    span.updateName(`${method} ${route}`)
    span.setAttribute('http.route', route)
  }
  return {
    run: (request, response, serve) => {
      const given = request.method ?? ''
      const method = methods.has(given) ? given : '_OTHER'
      const from = readTraceHeaders(request.headers)
      // The path may have the id of an order or the token of a link, so only the route is kept.
      const { span, within } = startSpan(method, {
        kind: SpanKind.SERVER,
        attributes: {
          'http.request.method': method,
          'url.scheme': 'encrypted' in request.socket ? 'https' : 'http',
          'network.protocol.version': request.httpVersion,
        },
        ...(incoming === 'parent' ? { parent: from } : { links: linkTo(from) }),
      })
      spans.set(request, span)
      response.once('close', () => {
        const { statusCode, writableFinished } = response
        span.setAttribute('http.response.status_code', statusCode)
        if (!writableFinished) failSpan(span, 'disconnected')
        else if (statusCode >= 500) failSpan(span, String(statusCode))
        span.end()
      })
      cachedRoute = undefined
      runWithin(within, serve)
      if (cachedRoute === undefined || !response.headersSent) return
      note(span, method, cachedRoute)
      span.setAttribute('vitrine.cached', true)
    },
    observe: (server) => {
      server.addHook('onRequest', (request, _reply, done) => {
        const span = spans.get(request.raw)
        const route = request.routeOptions.config.endpoint?.path
        if (span !== undefined && route !== undefined) note(span, request.method, route)
        done()
      })
      server.addHook('onResponse', (request, _reply, done) => {
        const span = spans.get(request.raw)
        const storeId = request.ctx?.store?.publicId
        if (span !== undefined && storeId !== undefined) span.setAttribute('vitrine.store.id', storeId)
        if (span !== undefined && request.errorCode) span.setAttribute('vitrine.error.code', request.errorCode)
        done()
      })
    },
    noting: (answers) => ({
      get: (...key) => {
        const answer = answers.get(...key)
        cachedRoute = answer?.endpoint?.path
        return answer
      },
    }),
  }
}
