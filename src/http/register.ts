import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { OnDisconnect } from '../core/on-disconnect.ts'
import { acceptRawBodies } from './body.ts'
import type { AnswerCache } from './cached-answers.ts'
import type { ReadClientAddress } from './client-address.ts'
import type { RequestContext } from './door.ts'
import type { Endpoint, UploadedFile } from './endpoint.ts'
import { cacheKeyOf, fillAnswer } from './fill-answer.ts'
import { answerCall, type Operation } from './operations.ts'
import { type ArrivalOf, admitBeforeParsing } from './raw-admission.ts'
import { type Presentation, sendAnswer } from './send-answer.ts'
import { acceptUploads, createUploadSlots, type UploadSlots, withUpload } from './upload.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    endpoint?: Endpoint
  }
  interface FastifyRequest {
    ctx: RequestContext | null
  }
}

export type RegisterOptions = { answers: AnswerCache; clientAddressOf: ReadClientAddress; maxUploads: number }

/** Registers operations as Fastify routes: admission, validation, handler, response filter. */
export const registerRoutes = (
  server: FastifyInstance,
  operations: readonly Operation[],
  options: RegisterOptions,
): void => {
  const isRaw = ({ endpoint }: Operation) => endpoint.family.readsRawBody === true
  const takesFile = ({ endpoint }: Operation) => endpoint.maxFileBytes !== undefined
  const others = operations.filter((one) => !isRaw(one) && !takesFile(one))
  for (const operation of others) server.route(toFastifyRoute(operation, options))
  // Separate scopes, because Fastify chooses parsers by scope.
  server.register(async (scope) => {
    acceptRawBodies(scope)
    for (const operation of operations.filter(isRaw)) scope.route(toFastifyRoute(operation, options))
  })
  server.register(async (scope) => {
    await acceptUploads(scope)
    const slots = createUploadSlots(options.maxUploads)
    for (const operation of operations.filter(takesFile)) {
      scope.route({ ...toFastifyRoute(operation, options), handler: answerUpload(operation, slots) })
    }
  })
}

const toFastifyRoute = (operation: Operation, options: RegisterOptions): RouteOptions => {
  const { endpoint } = operation
  const arrivalOf = createArrivals(operation, options.clientAddressOf)
  const admission =
    endpoint.family.readsRawBody === true
      ? admitBeforeParsing(operation.door, arrivalOf)
      : { onRequest: admitByHead(operation, arrivalOf, options.answers) }
  return {
    method: endpoint.method,
    url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    ...(endpoint.head === false ? { exposeHeadRoute: false } : {}),
    config: { endpoint },
    ...admission,
    handler: chooseHandler(operation, options.answers),
  }
}

const chooseHandler = (operation: Operation, answers: AnswerCache): RouteOptions['handler'] => {
  if (operation.endpoint.cached) return answerFromCache(operation, answers)
  return (request, reply) => answerUncached(operation, request, reply)
}

const answerUpload =
  (operation: Operation, slots: UploadSlots): RouteOptions['handler'] =>
  (request, reply) =>
    slots.hold(request.ctx?.cacheStore ?? 0, () =>
      withUpload(request, operation.endpoint.maxFileBytes ?? 0, ({ fields, file }) => {
        request.body = fields
        return answerUncached(operation, request, reply, file)
      }),
    )

const createArrivals = (operation: Operation, clientAddressOf: ReadClientAddress): ArrivalOf => {
  // A cached answer is read once for all callers, so the disconnect of one must not abort the read.
  const onDisconnectOf = operation.endpoint.cached ? () => ignoreDisconnect : watchConnection
  const hasNoRawBody = () => Promise.reject(new Error(`${operation.name} does not read raw bodies`))
  return (request, reply, readBody = hasNoRawBody) => ({
    route: operation,
    headers: request.headers,
    params: request.params as Record<string, string>,
    clientAddress: clientAddressOf(request.raw),
    requestId: request.id,
    peer: request.raw.socket,
    setHeader: (name, value) => reply.header(name, value),
    onDisconnect: onDisconnectOf(reply),
    readBody,
  })
}

const ignoreDisconnect: OnDisconnect = () => () => {}

const watchConnection =
  ({ raw }: FastifyReply): OnDisconnect =>
  (leave) => {
    if (raw.closed) process.nextTick(leave)
    raw.once('close', leave)
    return () => raw.off('close', leave)
  }

type OnRequest = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void

/** Refuses callers before their body is read. */
const admitByHead =
  ({ door, endpoint }: Operation, arrivalOf: ArrivalOf, answers: AnswerCache): OnRequest =>
  (request, reply, done) => {
    const refuse = (error: unknown) => done(error as Error)
    const proceed = (ctx: RequestContext) => {
      request.ctx = ctx
      const cached = endpoint.cached ? answers.get(ctx.cacheStore, cacheKeyOf(ctx, urlOf(request))) : undefined
      if (cached === undefined) return done()
      const sent = sendAnswer(request, reply, cached, apiAnswer)
      if (sent instanceof Promise) sent.catch(refuse)
    }
    try {
      const admitted = door.admit(arrivalOf(request, reply))
      if (admitted instanceof Promise) admitted.then(proceed).catch(refuse)
      else proceed(admitted)
    } catch (error) {
      refuse(error)
    }
  }

/** Checks access again, so that an operation never runs with a context that may not call it. */
const readRequest = (
  { door, endpoint, readInput }: Operation,
  { ctx, params, query, body }: FastifyRequest,
  file?: UploadedFile,
) => {
  door.authorize(ctx, endpoint)
  return readInput({ params, query, body, file })
}

const answerUncached = async (
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  file?: UploadedFile,
) => {
  const { ok, okStatus = 200, contentType } = operation.endpoint
  const input = readRequest(operation, request, file)
  const { body, status, headers, stream } = await answerCall(operation, request.ctx, input)
  await request.ctx?.confirm?.()
  reply.code(status ?? okStatus).headers(headers ?? {})
  if (stream !== undefined) {
    return reply.type(stream.contentType).send(Readable.from(sendParts(stream.chunks, request.ctx)))
  }
  if (contentType !== undefined) return reply.type(contentType).send(body)
  if (ok === null) return reply.send()
  return reply.type(apiAnswer.type).send(operation.serialize(body))
}

/** A file of many parts takes as long as it takes: the limit of waits is for callers who have no answer yet. */
async function* sendParts<Part>(parts: AsyncIterable<Part>, ctx: RequestContext | null) {
  for await (const part of parts) {
    yield part
    ctx?.waitAnew?.()
  }
}

const answerFromCache =
  (operation: Operation, answers: AnswerCache): RouteOptions['handler'] =>
  async (request, reply) => {
    const ctx = request.ctx as RequestContext
    const input = readRequest(operation, request)
    return sendAnswer(request, reply, await fillAnswer(answers, operation, ctx, urlOf(request), input), apiAnswer)
  }

const urlOf = (request: FastifyRequest) => request.raw.url as string

const apiAnswer: Presentation = {
  type: 'application/json; charset=utf-8',
  cacheControl: 'private, no-cache',
  vary: 'Origin, Accept-Encoding',
}
