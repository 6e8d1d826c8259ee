import type { FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '../core/errors.ts'
import { parseRawBody, type RawBody } from './body.ts'
import type { Arrival, Door, RequestContext } from './door.ts'

export type ArrivalOf = (request: FastifyRequest, reply: FastifyReply, readBody?: Arrival['readBody']) => Arrival

type Pending = { admitted: Promise<RequestContext>; deliver(bytes: Buffer): void; abandon(reason: Error): void }

/**
 * Admission for families that read raw bodies. The door starts with the headers. Fastify reads the body only when the
 * door calls `readBody`, so a caller can be refused by its headers alone. The body is parsed after the door has admitted
 * the caller.
 */
export const admitBeforeParsing = (door: Door, arrivalOf: ArrivalOf) => {
  const pending = new WeakMap<FastifyRequest, Pending>()

  const onRequest = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
    const { promise: body, resolve: deliver, reject: abandon } = Promise.withResolvers<Buffer>()
    body.catch(() => {})
    let isReading = false
    const startReading = () => {
      if (!isReading) done()
      isReading = true
    }
    const readBody = () => {
      startReading()
      return body
    }
    // In the next microtask, because preValidation of a request without a body runs inside `done` and needs `pending`.
    const admitted = Promise.resolve().then(() => door.admit(arrivalOf(request, reply, readBody)))
    pending.set(request, { admitted, deliver, abandon })
    admitted.then(startReading, (error: Error) => {
      if (!isReading) done(error)
    })
  }

  const preValidation = async (request: FastifyRequest) => {
    const waiting = pending.get(request)
    if (waiting === undefined) throw new Error('preValidation ran before onRequest')
    // Without a body, Fastify calls no parser.
    const raw = (request.body as RawBody | undefined) ?? { bytes: Buffer.alloc(0), isJson: true }
    waiting.deliver(raw.bytes)
    request.ctx = await waiting.admitted
    request.body = parseRawBody(raw)
  }

  // A body that is too large, incomplete or aborted never reaches preValidation. The door must not wait for it.
  const onError = async (request: FastifyRequest, _reply: FastifyReply, error: Error) =>
    pending.get(request)?.abandon(error)
  const onRequestAbort = async (request: FastifyRequest) =>
    pending.get(request)?.abandon(fail('BAD_REQUEST', 'The body is incomplete.'))

  return { onRequest, preValidation, onError, onRequestAbort }
}
