import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CachedAnswer } from './cached-answers.ts'
import { encodeAnswer, matchesEtag } from './negotiation.ts'

export type Presentation = { type: string; cacheControl: string; vary: string }

/** Sends ready bytes: nothing but headers when the caller has them already, compressed when it can read that. */
export const sendAnswer = (
  request: FastifyRequest,
  reply: FastifyReply,
  answer: CachedAnswer,
  { type, cacheControl, vary }: Presentation,
) => {
  reply.headers(answer.headers)
  reply.header('etag', answer.etag)
  reply.header('cache-control', cacheControl)
  reply.header('vary', vary)
  if (matchesEtag(request.headers['if-none-match'], answer.etag)) return reply.code(304).send()
  const { encoding, bytes } = encodeAnswer(answer, request.headers['accept-encoding'])
  reply.header('content-type', type)
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  if (bytes instanceof Promise) return bytes.then((ready) => reply.send(ready))
  return reply.send(bytes)
}
