import { hash } from 'node:crypto'
import { hours } from '../../core/clock.ts'
import { fail } from '../../core/errors.ts'
import type { Tx } from '../../db/database.ts'
import type { Answer } from '../../http/endpoint.ts'
import type { Shopper, ShopperCtx } from '../context.ts'
import { type AnswerKey, claimAnswer, keepAnswer, trimAnswers } from './once.sql.ts'
import { nameShopper } from './shopper.ts'

export { keepAnswer }

export const keptForMs = hours(24)

/** How many keys of one shopper are remembered. The oldest go first (decision 0022). */
export const mostKeysOfShopper = 100

/** The same for a store, all shoppers together. A job sees to it. */
export const mostKeysOfStore = 100_000

/** A call that creates something. */
export type CreatingCall<Body> = {
  /** The operation's name. */
  route: string
  /** The body and the ids in the path, hashed to detect a reused key. */
  request: unknown
  write(tx: Tx): Promise<Answer<Body>>
  /** What is kept in place of the answer: the id of what was made or changed. */
  refer(body: Body): string
  /** The answer to the same call again: what is there now. */
  readAgain(tx: Tx, ref: string): Promise<Answer<Body>>
}

/** Answers that were kept whole, by an earlier version, are repeated as they are. */
type Kept<Body> = { ref: string; status?: 200 | 201 } | Answer<Body>

/**
 * Runs a write in a transaction, and with an `Idempotency-Key` at most once: what it led to is kept in that same
 * transaction, and the same call again reads it. Of two at once the second waits for the first. A refusal is not kept,
 * since it undoes the claim along with everything else.
 */
export const writeOnce = <Body>(ctx: ShopperCtx, call: CreatingCall<Body>): Promise<Answer<Body>> =>
  ctx.db.tx(async (tx) => {
    if (ctx.idempotencyKey === null || isNewGuest(ctx.shopper)) return call.write(tx)
    const place = answerKeyOf(ctx, call.route, ctx.idempotencyKey)
    const kept = await claimKey<Kept<Body>>(tx, place, hashRequest(call.request))
    if (kept === null) {
      const answer = await call.write(tx)
      const ref = call.refer(answer.body)
      tx.later(keepAnswer(tx, place, answer.status === undefined ? { ref } : { ref, status: answer.status }))
      return answer
    }
    if ('body' in kept) return kept
    const again = await call.readAgain(tx, kept.ref)
    return kept.status === undefined ? again : { ...again, status: kept.status }
  })

export const answerKeyOf = (ctx: ShopperCtx, route: string, key: string): AnswerKey => ({
  storeId: ctx.store.id,
  shopper: nameShopper(ctx.shopper),
  route,
  key,
})

export const hashRequest = (request: unknown) => hash('sha256', JSON.stringify(request), 'base64url')

/** What the same call has led to before; null when this is the first, and then the key is ours. */
export const claimKey = async <Kept>(tx: Tx, place: AnswerKey, bodyHash: string): Promise<Kept | null> => {
  const claim = await claimAnswer<Kept>(tx, place, bodyHash, keptForMs)
  if (claim.bodyHash !== bodyHash)
    throw fail('CONFLICT', 'This Idempotency-Key was already used for a different request.')
  if (claim.answer === null) tx.later(trimAnswers(tx, place, mostKeysOfShopper))
  return claim.answer
}

/** A guest made by this very call: a repeated call could not be told from a stranger's. */
export const isNewGuest = (shopper: Shopper) => shopper.kind === 'guest' && shopper.isNew
