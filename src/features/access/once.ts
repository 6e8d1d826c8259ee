import { hash } from 'node:crypto'
import { hours } from '../../core/clock.ts'
import { fail } from '../../core/errors.ts'
import type { Tx } from '../../db/database.ts'
import type { Answer } from '../../http/endpoint.ts'
import type { Shopper, ShopperCtx } from '../context.ts'
import { claimAnswer, keepAnswer } from './once.sql.ts'
import { nameShopper } from './shopper.ts'

export { claimAnswer, keepAnswer }

export const keptForMs = hours(24)

/** A call that creates something: where it went (with the ids in its path) and what it asked for. */
export type CreatingCall = { route: string; request: unknown }

/**
 * Runs a write in a transaction, and with an `Idempotency-Key` at most once: the answer is kept in that same
 * transaction, and the same call again gets it back. Of two at once the second waits for the first. A refusal is not
 * kept, since it undoes the claim along with everything else.
 */
export const writeOnce = <Body>(
  ctx: ShopperCtx,
  { route, request }: CreatingCall,
  write: (tx: Tx) => Promise<Answer<Body>>,
): Promise<Answer<Body>> =>
  ctx.db.tx(async (tx) => {
    if (ctx.idempotencyKey === null || isNobody(ctx.shopper)) return write(tx)
    const place = { storeId: ctx.store.id, shopper: nameShopper(ctx.shopper), route, key: ctx.idempotencyKey }
    const bodyHash = hash('sha256', JSON.stringify(request), 'base64url')
    const claim = await claimAnswer<Answer<Body>>(tx, place, bodyHash, keptForMs)
    if (claim.bodyHash !== bodyHash)
      throw fail('CONFLICT', 'This Idempotency-Key was already used for a different request.')
    if (claim.answer !== null) return claim.answer
    const answer = await write(tx)
    await keepAnswer(tx, place, answer)
    return answer
  })

/** A guest of whom nobody has heard before: a repeated call could not be told from a stranger's. */
const isNobody = (shopper: Shopper) => shopper.kind === 'guest' && shopper.isNew
