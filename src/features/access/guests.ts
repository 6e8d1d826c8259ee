import type { Tx } from '../../db/database.ts'
import type { Customer, Guest, ShopperCtx, StoreId } from '../context.ts'
import { forgetAnswers, lockCustomer, lockGuest, markMerged } from './guests.sql.ts'
import { deadGuestToken, nameGuest } from './shopper.ts'

export { guestLock } from './guests.sql.ts'

/** What every write of a guest begins with. It makes the guest's row, and refuses a guest who was merged. */
export const holdGuest = async (tx: Tx, ctx: ShopperCtx<Guest>) => {
  const held = await lockGuest(tx, ctx.store.id, ctx.shopper.guestId)
  if (held === undefined) throw deadGuestToken(ctx)
}

/** For writes whose rules look at several rows of a shopper: they come one after another. */
export const holdShopper = async (tx: Tx, ctx: ShopperCtx) => {
  if (isGuest(ctx)) return holdGuest(tx, ctx)
  await lockCustomer(tx, ctx.store.id, (ctx.shopper as Customer).customerId)
}

/** What a merge begins with. False for a guest who was merged before. No answer is repeated to a guest who is gone. */
export const endGuest = async (tx: Tx, storeId: StoreId, guestId: string): Promise<boolean> => {
  const ended = (await markMerged(tx, storeId, guestId)) !== undefined
  if (ended) await forgetAnswers(tx, storeId, nameGuest(guestId))
  return ended
}

export const isGuest = (ctx: ShopperCtx): ctx is ShopperCtx<Guest> => ctx.shopper.kind === 'guest'
