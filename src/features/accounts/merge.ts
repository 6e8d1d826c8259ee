import type { Static } from 'typebox'
import { fail } from '../../core/errors.ts'
import { readGuestToken } from '../access/guest-token.ts'
import { endGuest } from '../access/guests.ts'
import { nameGuest } from '../access/shopper.ts'
import { mergeCart } from '../cart/claim.ts'
import type { CustomerCtx } from '../context.ts'
import { mergeWishlist } from '../wishlist/wishlist.ts'
import type { MergeResult } from './merge.contract.ts'

/**
 * One transaction. It first locks the guest's row, as every write of that guest does: an earlier write is merged, a
 * later one is refused, and a second merge finds the guest already merged.
 */
export const mergeGuestData = async (ctx: CustomerCtx, guestToken: string): Promise<Static<typeof MergeResult>> => {
  const { store, shopper, db } = ctx
  const guest = readGuestToken(ctx.guestTokens, store.id, guestToken, ctx.clock.now())
  if (guest === null) throw cannotMerge()
  const merged = await db.inQueue(nameGuest(guest.guestId)).tx(async (tx) => {
    if (!(await endGuest(tx, store.id, guest.guestId))) throw cannotMerge()
    const cartItems = await mergeCart(tx, ctx, shopper.customerId, guest.guestId)
    const wishlistItems = await mergeWishlist(tx, store.id, guest.guestId, shopper.customerId)
    return { cartItems, wishlistItems }
  })
  return { success: true, message: 'Guest data merged.', merged }
}

const cannotMerge = () => fail('BAD_REQUEST', 'The guest token is invalid: it has expired or was merged.')
