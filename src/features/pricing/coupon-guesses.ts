import { minutes } from '../../core/clock.ts'
import { isNewGuest } from '../access/once.ts'
import { type Limit, limitRate } from '../access/rate-limit.ts'
import { nameShopper } from '../access/shopper.ts'
import type { ShopperCtx } from '../context.ts'
import { isCoupon } from './coupons.sql.ts'
import { readCouponCode } from './coupons.ts'

/** Codes that do not exist, in this time. Guests are free to make, so the client counts too. */
export const guessWindowMs = minutes(10)
export const maxGuesses = { shopper: 20, client: 60, serverClient: 300 }

const limit = (action: string, most: number): Limit => ({
  action,
  most,
  windowMs: guessWindowMs,
  text: 'Too many coupon codes that do not exist. Try again later.',
})
const ofShopper = limit('coupon-guess', maxGuesses.shopper)
const ofClient = limit('coupon-guess-client', maxGuesses.client)
/** The client of a server key is a storefront's own server, with many shoppers behind it. */
const ofServer = limit('coupon-guess-client', maxGuesses.serverClient)

/**
 * Tries a code. Ends with 429 when a shopper or a client has tried too many that do not exist; a right code is refused
 * then as well, or it could be found all the same. A try is counted before the code is looked up, so that tries that
 * arrive together are counted too, and taken back when the code exists. A failure takes it back as well, and so must
 * not depend on the code.
 */
export const tryCoupon = async <Result>(
  ctx: ShopperCtx,
  text: unknown,
  work: () => Promise<Result>,
  exists: (result: Result) => boolean,
): Promise<Result> => {
  // A text that cannot be a code tells nothing about those that exist.
  if (typeof text !== 'string' || readCouponCode(text) === null) return work()
  const counted = await countTry(ctx)
  let isGuess = false
  try {
    const result = await work()
    isGuess = !exists(result)
    return result
  } finally {
    if (!isGuess) await Promise.all(counted.map((takeBack) => takeBack()))
  }
}

/** The same for a code that is used later on, where failures do depend on it. */
export const checkCouponGuess = (ctx: ShopperCtx, text: unknown): Promise<boolean> =>
  tryCoupon(
    ctx,
    text,
    async () => typeof text === 'string' && isCoupon(ctx.db, ctx.store.id, readCouponCode(text) ?? ''),
    (isKnown) => isKnown,
  )

/** The shopper first: one who has reached the limit does not use up that of everybody at the same address. */
const countTry = async (ctx: ShopperCtx) => {
  const counted = isNewGuest(ctx.shopper) ? [] : [await limitRate(ctx, nameShopper(ctx.shopper), ofShopper)]
  try {
    return [...counted, await limitRate(ctx, ctx.clientAddress, ctx.isBrowserKey ? ofClient : ofServer)]
  } catch (error) {
    await Promise.all(counted.map((takeBack) => takeBack()))
    throw error
  }
}
