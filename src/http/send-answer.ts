import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CachedAnswer } from './cached-answers.ts'
import { encodeAnswer, matchesEtag } from './negotiation.ts'

export type Presentation = { type: string; cacheControl: string; vary: string }

/** Sends a cached answer: 304 if the caller's ETag matches, otherwise compressed if the caller accepts that. */
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
  // Set only when the bytes are ready: if compression fails, the error is sent uncompressed.
  const send = (ready: Buffer) => {
    if (encoding !== 'identity') reply.header('content-encoding', encoding)
    return reply.header('content-type', type).send(ready)
  }
  return bytes instanceof Promise ? bytes.then(send) : send(bytes)
}
