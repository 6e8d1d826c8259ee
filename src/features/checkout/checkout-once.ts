import { fail } from '../../core/errors.ts'
import type { Queries, Tx } from '../../db/database.ts'
import type { Answer } from '../../http/endpoint.ts'
import { claimAnswer, keepAnswer, keptForMs } from '../access/once.ts'
import type { CustomerCtx } from '../context.ts'
import type { Placed } from '../payments/sessions.ts'
import type { CheckoutResult } from './checkout.contract.ts'

/** What a checkout has come to: a new order, one that was there already, or an answer that was given before. */
export type Claim =
  | { kind: 'placed' | 'open'; orderId: string; toStart?: Placed }
  | { kind: 'kept'; answer: Answer<CheckoutResult> }

type Kept = Answer<CheckoutResult> | { orderId: string; isOpen?: boolean }

const placeOf = (ctx: CustomerCtx) => ({
  storeId: ctx.store.id,
  shopper: ctx.shopper.customerId,
  route: 'checkOut',
  key: ctx.idempotencyKey ?? '',
})

/**
 * With an `Idempotency-Key`: what the same call has led to before, or null. The order is noted in the transaction that
 * makes it, and the whole answer once there is one, so that a process that dies in between has lost nothing: the same
 * call again goes on with that order.
 */
export const claimCheckout = async (tx: Tx, ctx: CustomerCtx, requestHash: string): Promise<Claim | null> => {
  if (ctx.idempotencyKey === null) return null
  const { bodyHash, answer } = await claimAnswer<Kept>(tx, placeOf(ctx), requestHash, keptForMs)
  if (bodyHash !== requestHash) throw fail('CONFLICT', 'This Idempotency-Key was already used for a different request.')
  if (answer === null) return null
  if (!('orderId' in answer)) return { kind: 'kept', answer }
  return { kind: answer.isOpen ? 'open' : 'placed', orderId: answer.orderId }
}

export const keepCheckout = async (ctx: CustomerCtx, kept: Kept, db: Queries = ctx.db): Promise<void> => {
  if (ctx.idempotencyKey !== null) await keepAnswer(db, placeOf(ctx), kept)
}
