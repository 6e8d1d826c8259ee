import { minutes } from '../../core/clock.ts'
import { isNewGuest } from '../access/idempotency.ts'
import { type Limit, limitRate } from '../access/rate-limit.ts'
import { nameShopper } from '../access/shopper.ts'
import type { ShopperCtx } from '../context.ts'
import { isCoupon } from './coupons.sql.ts'
import { readCouponCode } from './coupons.ts'

/** Limits on unknown codes in this window. Anyone can become a new guest, so the client is limited too. */
export const guessWindowMs = minutes(10)
export const maxGuesses = { shopper: 20, client: 60, serverClient: 300 }

const limit = (action: string, max: number): Limit => ({
  action,
  max,
  windowMs: guessWindowMs,
  text: 'Rate limit exceeded: too many unknown coupon codes. Try again later.',
})
const ofShopper = limit('coupon-guess', maxGuesses.shopper)
const ofClient = limit('coupon-guess-client', maxGuesses.client)
/** With a server key the client is a storefront's own server, which serves many shoppers. */
const ofServer = limit('coupon-guess-client', maxGuesses.serverClient)

/**
 * Limits guesses of coupon codes. Throws 429 when a shopper or client has sent too many unknown codes, also for a valid
 * code, since guessing could go on otherwise. The attempt is counted before the lookup, so that concurrent attempts
 * count, and uncounted if the code exists. An error uncounts it too, so errors of `work` must not depend on the code.
 */
export const tryCoupon = async <Result>(
  ctx: ShopperCtx,
  text: unknown,
  work: () => Promise<Result>,
  exists: (result: Result) => boolean,
): Promise<Result> => {
  // A malformed code cannot exist, so it is not a guess.
  if (typeof text !== 'string' || readCouponCode(text) === null) return work()
  await ctx.confirm?.()
  const counted = await countAttempt(ctx)
  let isGuess = false
  try {
    const result = await work()
    isGuess = !exists(result)
    return result
  } finally {
    if (!isGuess) await Promise.all(counted.map((uncount) => uncount()))
  }
}

/** Checks a code ahead of its use, for use cases whose errors depend on the code. */
export const checkCouponGuess = (ctx: ShopperCtx, text: unknown): Promise<boolean> =>
  tryCoupon(
    ctx,
    text,
    async () => typeof text === 'string' && isCoupon(ctx.db, ctx.store.id, readCouponCode(text) ?? ''),
    (isKnown) => isKnown,
  )

/** Counts the shopper first, so that a shopper over the limit does not use up the limit of a shared address. */
const countAttempt = async (ctx: ShopperCtx) => {
  const counted = isNewGuest(ctx.shopper) ? [] : [await limitRate(ctx, nameShopper(ctx.shopper), ofShopper)]
  try {
    return [...counted, await limitRate(ctx, ctx.clientAddress, ctx.isBrowserKey ? ofClient : ofServer)]
  } catch (error) {
    await Promise.all(counted.map((uncount) => uncount()))
    throw error
  }
}
