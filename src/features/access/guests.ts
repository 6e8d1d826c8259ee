import { fail } from '../../core/errors.ts'
import type { Tx } from '../../db/database.ts'
import type { Customer, Guest, ShopperCtx, StoreId } from '../context.ts'
import * as sql from './guests.sql.ts'
import { deleteAnswers, lockGuest, markMerged } from './guests.sql.ts'
import { invalidGuestToken, nameGuest } from './shopper.ts'

export { guestLock, guestWasSeenToday } from './guests.sql.ts'

/** Every write of a guest starts with this. It creates or locks the guest's row, and refuses a merged guest. */
export const holdGuest = async (tx: Tx, ctx: ShopperCtx<Guest>) => {
  const held = await lockGuest(tx, ctx.store.id, ctx.shopper.guestId)
  if (held === undefined) throw invalidGuestToken(ctx)
}

/** Every write of a customer starts with this. Refuses a customer who was erased after the request was admitted. */
export const lockCustomer = async (tx: Tx, storeId: StoreId, customerId: string): Promise<void> => {
  const locked = await sql.lockCustomer(tx, storeId, customerId)
  if (locked === undefined) throw fail('UNAUTHORIZED', 'The session is not valid. Sign in again.')
}

/** Serializes writes of one shopper, for rules that depend on several rows. */
export const holdShopper = async (tx: Tx, ctx: ShopperCtx) => {
  if (isGuest(ctx)) return holdGuest(tx, ctx)
  await lockCustomer(tx, ctx.store.id, (ctx.shopper as Customer).customerId)
}

/** Every merge starts with this. False when the guest was merged before. Also deletes the guest's stored answers. */
export const endGuest = async (tx: Tx, storeId: StoreId, guestId: string): Promise<boolean> => {
  const ended = (await markMerged(tx, storeId, guestId)) !== undefined
  if (ended) await deleteAnswers(tx, storeId, nameGuest(guestId))
  return ended
}

export const isGuest = (ctx: ShopperCtx): ctx is ShopperCtx<Guest> => ctx.shopper.kind === 'guest'
