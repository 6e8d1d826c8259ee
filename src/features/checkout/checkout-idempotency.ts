import type { Queries, Tx } from '../../db/database.ts'
import type { Answer } from '../../http/endpoint.ts'
import type { AnswerKey } from '../access/idempotency.sql.ts'
import { answerKeyOf, claimKey, storeAnswer } from '../access/idempotency.ts'
import type { CustomerCtx } from '../context.ts'
import type { Placed } from '../payments/sessions.ts'
import type { CheckoutResult } from './checkout.contract.ts'

/**
 * The result of a checkout: a new order (`placed`), an order that was already `open`, or the order and payment of an
 * earlier call with the same `Idempotency-Key` (`answered`).
 */
export type Claim =
  | { kind: 'placed' | 'open'; orderId: string; toStart?: Placed }
  | { kind: 'answered'; orderId: string; paymentId: string; status: 200 | 201 }

type StoredCheckout = { orderId: string; isOpen?: boolean; paymentId?: string }

/** Version 0.1.0 stored the whole answer, which has not all fields that an answer has now. */
type StoredAnswer = Answer<Pick<CheckoutResult, 'order' | 'payment'>>

const route = 'checkOut'

/** Null if the caller sent no `Idempotency-Key`. */
export const checkoutKeyOf = (ctx: CustomerCtx): AnswerKey | null =>
  ctx.idempotencyKey === null ? null : answerKeyOf(ctx, route, ctx.idempotencyKey)

/**
 * Returns the result of an earlier call with the same `Idempotency-Key`, or null. The order is stored in the transaction
 * that creates it, the payment once the provider has answered. If the process dies in between, a repeated call
 * continues with that order.
 */
export const claimCheckout = async (tx: Tx, ctx: CustomerCtx, requestHash: string): Promise<Claim | null> => {
  const key = checkoutKeyOf(ctx)
  if (key === null) return null
  const stored = await claimKey<StoredCheckout | StoredAnswer>(tx, key, requestHash)
  if (stored === null) return null
  const { orderId, paymentId, isOpen } = 'orderId' in stored ? stored : readIds(stored)
  if (paymentId !== undefined) return { kind: 'answered', orderId, paymentId, status: isOpen ? 200 : 201 }
  return { kind: isOpen ? 'open' : 'placed', orderId }
}

const readIds = ({ status, body: { order, payment } }: StoredAnswer): StoredCheckout => ({
  orderId: order.id,
  paymentId: payment.id,
  isOpen: status === 200,
})

export const storeCheckout = async (
  ctx: CustomerCtx,
  checkout: StoredCheckout,
  db: Queries = ctx.db,
): Promise<void> => {
  const key = checkoutKeyOf(ctx)
  if (key !== null) await storeAnswer(db, key, checkout)
}
