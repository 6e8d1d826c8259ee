import type { Queries, Tx } from '../../db/database.ts'
import type { Answer } from '../../http/endpoint.ts'
import { answerKeyOf, claimKey, storeAnswer } from '../access/once.ts'
import type { CustomerCtx } from '../context.ts'
import type { Placed } from '../payments/sessions.ts'
import type { CheckoutResult } from './checkout.contract.ts'

/**
 * What a checkout has come to: a new order, one that was there already, or what the same call was answered with before:
 * an order and a payment, or the whole answer where an earlier version kept that.
 */
export type Claim =
  | { kind: 'placed' | 'open'; orderId: string; toStart?: Placed }
  | { kind: 'answered'; orderId: string; paymentId: string; status: 200 | 201 }
  | { kind: 'kept'; answer: Answer<CheckoutResult> }

type Kept = { orderId: string; isOpen?: boolean; paymentId?: string } | Answer<CheckoutResult>

const route = 'checkOut'

/**
 * With an `Idempotency-Key`: what the same call has led to before, or null. The order is noted in the transaction that
 * makes it, and its payment once there is an answer, so that a process that dies in between has lost nothing: the same
 * call again goes on with that order.
 */
export const claimCheckout = async (tx: Tx, ctx: CustomerCtx, requestHash: string): Promise<Claim | null> => {
  if (ctx.idempotencyKey === null) return null
  const kept = await claimKey<Kept>(tx, answerKeyOf(ctx, route, ctx.idempotencyKey), requestHash)
  if (kept === null) return null
  if (!('orderId' in kept)) return { kind: 'kept', answer: kept }
  const { orderId, paymentId, isOpen } = kept
  if (paymentId !== undefined) return { kind: 'answered', orderId, paymentId, status: isOpen ? 200 : 201 }
  return { kind: isOpen ? 'open' : 'placed', orderId }
}

export const keepCheckout = async (ctx: CustomerCtx, kept: Kept, db: Queries = ctx.db): Promise<void> => {
  if (ctx.idempotencyKey !== null) await storeAnswer(db, answerKeyOf(ctx, route, ctx.idempotencyKey), kept)
}
