import type { FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '../core/errors.ts'
import { parseRawBody, type RawBody } from './body.ts'
import type { Arrival, Door, RequestContext } from './door.ts'

export type ArrivalOf = (request: FastifyRequest, reply: FastifyReply, readBody?: Arrival['readBody']) => Arrival

type Pending = { admitted: Promise<RequestContext>; deliver(bytes: Buffer): void; giveUp(reason: Error): void }

/**
 * Admission for families that read bodies raw. The door starts with the headers alone. Fastify reads the body only when
 * the door asks for it, so a caller that the headers refuse is refused before that. The body is parsed when the door
 * has admitted the caller.
 */
export const admitBeforeParsing = (door: Door, arrivalOf: ArrivalOf) => {
  const pending = new WeakMap<FastifyRequest, Pending>()

  const onRequest = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
    const { promise: body, resolve: deliver, reject: giveUp } = Promise.withResolvers<Buffer>()
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
    // In the next microtask: preValidation of a request without a body runs inside `done`, and needs `pending`.
    const admitted = Promise.resolve().then(() => door.admit(arrivalOf(request, reply, readBody)))
    pending.set(request, { admitted, deliver, giveUp })
    admitted.then(startReading, (error: Error) => {
      if (!isReading) done(error)
    })
  }

  const preValidation = async (request: FastifyRequest) => {
    const waiting = pending.get(request)
    if (waiting === undefined) throw new Error('preValidation ran before onRequest')
    // Fastify parses nothing when there is no body.
    const raw = (request.body as RawBody | undefined) ?? { bytes: Buffer.alloc(0), isJson: true }
    waiting.deliver(raw.bytes)
    request.ctx = await waiting.admitted
    request.body = parseRawBody(raw)
  }

  // A body that is too large, incomplete or aborted never reaches preValidation, and the door must not wait for it.
  const onError = async (request: FastifyRequest, _reply: FastifyReply, error: Error) =>
    pending.get(request)?.giveUp(error)
  const onRequestAbort = async (request: FastifyRequest) =>
    pending.get(request)?.giveUp(fail('BAD_REQUEST', 'The body is incomplete.'))

  return { onRequest, preValidation, onError, onRequestAbort }
}
