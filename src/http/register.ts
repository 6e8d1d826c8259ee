import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import { inspectText } from './body.ts'
import { type AnswerCache, makeCachedAnswer } from './cached-answers.ts'
import type { ReadClientAddress } from './client-address.ts'
import type { Access, Answer, Call, Endpoint, PublicCaller, Route, Scope } from './endpoint.ts'
import { ErrorBody } from './schema.ts'
import { sendAnswer } from './send-answer.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    endpoint?: Endpoint
    invalidInput?: 400 | 422
  }
  interface FastifyRequest {
    ctx: RequestContext | null
  }
}

/** The least that this layer must know of whoever calls: under which store and outlet an answer may be kept. */
export type RequestContext = { cacheStore: number; cacheScope: number }

const admitAnyone = (request: FastifyRequest, clientAddress: string): PublicCaller => ({
  cacheStore: 0,
  cacheScope: 0,
  remoteAddress: request.socket.remoteAddress ?? '',
  clientAddress,
  headers: request.headers,
})

/** What an endpoint says of its callers. */
export type Needs = { access: Access; scope: Scope | undefined; once: boolean }

/** What admission looks at: the headers, and who sent them. */
export type RequestHead = { headers: IncomingHttpHeaders; clientAddress: string }
/** Registers what to do when the caller hangs up before the answer, and returns how to take that back. */
export type OnGone = (leave: () => void) => () => void

/** Decides whether a request may go on. Answers at once when everything needed is in memory. */
export type Admit = (
  head: RequestHead,
  setHeader: (name: string, value: string) => unknown,
  needs: Needs,
  onGone: OnGone,
) => RequestContext | Promise<RequestContext>

export type RegisterOptions = { admit: Admit; answers: AnswerCache; clientAddressOf: ReadClientAddress }

/** Turns declared endpoints into routes: admission, validation, the handler, and only declared fields out. */
export const registerRoutes = (server: FastifyInstance, routes: readonly Route[], options: RegisterOptions) => {
  for (const route of routes) server.route(toFastifyRoute(route, options))
}

const toFastifyRoute = (
  { endpoint, handle, identify }: Route,
  { admit, answers, clientAddressOf }: RegisterOptions,
): RouteOptions => {
  const needs: Needs = { access: endpoint.access, scope: endpoint.scope, once: endpoint.once === true }
  const okStatus = endpoint.okStatus ?? 200

  const onRequest: RouteOptions['onRequest'] = (request, reply, done) => {
    const proceed = (ctx: RequestContext) => {
      request.ctx = ctx
      if (!endpoint.cached) return done()
      const known = answers.get(ctx.cacheStore, cacheKey(ctx, request))
      if (known === undefined) done()
      else sendAnswer(request, reply, known, apiAnswer)
    }
    const refuse = (error: unknown) => done(error as Error)
    try {
      const clientAddress = clientAddressOf(request.raw)
      const anyone = () => admitAnyone(request, clientAddress)
      const admitted =
        endpoint.access === 'public'
          ? ((identify?.(anyone(), keepable(request.params)) ?? anyone()) as RequestContext | Promise<RequestContext>)
          : admit(
              { headers: request.headers, clientAddress },
              (name, value) => reply.header(name, value),
              needs,
              onGoneOf(reply),
            )
      if (admitted instanceof Promise) admitted.then(proceed).catch(refuse)
      else proceed(admitted)
    } catch (error) {
      refuse(error)
    }
  }

  // A cached answer is read once for all who ask for it, so nobody who hangs up may end the reading.
  const onGoneOf = endpoint.cached ? () => staysOn : watchCaller

  const answer = (request: FastifyRequest): Promise<Answer<unknown>> =>
    handle({ ctx: request.ctx, params: request.params, query: request.query, body: request.body } as Call<
      Endpoint,
      unknown
    >)

  const handler: RouteOptions['handler'] = async (request, reply) => {
    const ctx = request.ctx as RequestContext
    if (endpoint.cached) {
      const made = await answers.fill(ctx.cacheStore, cacheKey(ctx, request), async () => {
        const { body, headers } = await answer(request)
        const text = reply.getSerializationFunction(String(okStatus))?.(body as Record<string, unknown>) ?? ''
        return makeCachedAnswer(text as string, {
          headers: (headers ?? {}) as Record<string, string>,
          route: endpoint.path,
          scope: endpoint.scope,
        })
      })
      return sendAnswer(request, reply, made, apiAnswer)
    }
    const { body, status, headers } = await answer(request)
    reply.code(status ?? okStatus).headers(headers ?? {})
    if (endpoint.contentType !== undefined) reply.type(endpoint.contentType)
    return reply.send(endpoint.ok === null ? undefined : body)
  }

  return {
    method: endpoint.method,
    url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    schema: fastifySchema(endpoint, okStatus),
    ...(endpoint.head === false ? { exposeHeadRoute: false } : {}),
    config: { endpoint, invalidInput: endpoint.invalidInput ?? 400 },
    onRequest,
    preValidation: refuseUnkeepableText,
    handler,
  } as RouteOptions
}

const staysOn: OnGone = () => () => {}

const watchCaller =
  ({ raw }: FastifyReply): OnGone =>
  (leave) => {
    if (raw.closed) process.nextTick(leave)
    raw.once('close', leave)
    return () => raw.off('close', leave)
  }

const fastifySchema = (endpoint: Endpoint, okStatus: number) => {
  const schema: Record<string, TSchema | Record<string, TSchema>> = {}
  if (endpoint.params !== undefined) schema.params = endpoint.params
  if (endpoint.query !== undefined) schema.querystring = endpoint.query
  if (endpoint.body !== undefined) schema.body = endpoint.body
  if (endpoint.ok !== null) {
    const other = endpoint.otherStatus === undefined ? {} : { [endpoint.otherStatus]: endpoint.ok }
    schema.response = { [okStatus]: endpoint.ok, ...other, default: ErrorBody }
  }
  return schema
}

/** The outlet and the address as it was sent: a repeated question is answered without even being parsed. */
const cacheKey = (ctx: RequestContext, request: FastifyRequest) => ctx.cacheScope + (request.raw.url as string)

/** Checked before anyone looks them up. */
const keepable = (values: unknown) => {
  for (const value of Object.values(values as Record<string, string>)) if (typeof value === 'string') inspectText(value)
  return values as Record<string, string>
}

const refuseUnkeepableText: RouteOptions['preValidation'] = (request, _reply, done) => {
  try {
    keepable(request.query)
    keepable(request.params)
    done()
  } catch (error) {
    done(error as Error)
  }
}

const apiAnswer = {
  type: 'application/json; charset=utf-8',
  cacheControl: 'private, no-cache',
  vary: 'Origin, Accept-Encoding',
} as const
