import { type AnswerCache, type CachedAnswer, makeCachedAnswer } from './cached-answers.ts'
import type { RequestContext } from './door.ts'
import { SerializedBody } from './endpoint.ts'
import { answerCall, type CheckedInput, type Operation } from './operations.ts'

/** The outlet and the raw URL, so that a repeated request is answered without parsing its query. */
export const cacheKeyOf = (ctx: Pick<RequestContext, 'cacheScope'>, url: string) => ctx.cacheScope + url

/**
 * Calls the operation, unless a request for the same URL waits for it already. The cache notices changes during the read,
 * but not those between the read of the context and this one, so such an answer is not kept.
 */
export const fillAnswer = (
  answers: Pick<AnswerCache, 'fill'>,
  operation: Operation,
  ctx: RequestContext,
  url: string,
  input: CheckedInput,
): Promise<CachedAnswer> => {
  const make = async () => {
    const { body, headers, products, asOfMs } = await answerCall(operation, ctx, input)
    return makeCachedAnswer(operation.serialize(body), {
      ...{ headers, endpoint: operation.endpoint, products, asOfMs },
      fingerprint: body instanceof SerializedBody ? body.fingerprint : undefined,
    })
  }
  return ctx.isCurrent?.() === false ? make() : answers.fill(ctx.cacheStore, cacheKeyOf(ctx, url), make)
}
