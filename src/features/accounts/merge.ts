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
 * One transaction. It begins with the row of the guest, which every write of that guest locks too: a write that comes
 * first is merged, one that comes later is refused, and of two merges the second finds the guest gone.
 */
export const mergeGuestData = async (ctx: CustomerCtx, guestToken: string): Promise<Static<typeof MergeResult>> => {
  const { store, shopper, db } = ctx
  const guest = readGuestToken(ctx.guestTokens, store.id, guestToken, ctx.clock.now())
  if (guest === null) throw invalidGuestToken()
  const merged = await db.inQueue(nameGuest(guest.guestId)).tx(async (tx) => {
    if (!(await endGuest(tx, store.id, guest.guestId))) throw invalidGuestToken()
    const cartItems = await mergeCart(tx, ctx, shopper.customerId, guest.guestId)
    const wishlistItems = await mergeWishlist(tx, store.id, guest.guestId, shopper.customerId)
    return { cartItems, wishlistItems }
  })
  return { success: true, message: 'Guest data merged.', merged }
}

const invalidGuestToken = () => fail('BAD_REQUEST', 'The guest token is not valid: it has expired or was merged.')
