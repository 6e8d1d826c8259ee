import { refuse } from '../../core/domain-errors.ts'
import { fail } from '../../core/errors.ts'
import { toWire } from '../../core/money.ts'
import type { Queries } from '../../db/database.ts'
import type { EventStatus, NeutralEvent } from '../../providers/payment/neutral-event.ts'
import { sandboxInstrument } from '../../providers/payment/sandbox.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import type { StoreId } from '../context.ts'
import { type FullOrderRow, readOrder } from '../orders/orders.sql.ts'
import { type PaymentRow, readLatestPayment, readPaymentById, readUndecidedPayment } from './payments.sql.ts'
import type { PaymentCtx, PaymentServices } from './providers.ts'
import { createSandboxLedger, readSandboxState } from './sandbox.sql.ts'
import { readPageToken } from './sandbox-token.ts'
import { receivePaymentEvent } from './webhook.ts'
import { admitProvider, sandboxHeaders } from './webhook-access.ts'

export type SandboxPayment = { ctx: PaymentCtx; payment: PaymentRow; order: FullOrderRow; isOpen: boolean }

/** The payment of a sandbox page. Always a 404 in production. */
export const findSandboxPayment = async (services: PaymentServices, token: string): Promise<SandboxPayment> => {
  const named = services.payments.production ? null : readPageToken(services.payments.pageTokens, token)
  const store = named && (await findStoreByPublicId(services.db, named.storeId))
  const payment = store && (await readPaymentById(services.db, store.id, named.paymentId))
  const order = payment && (await readOrder(services.db, store.id, payment.orderId))
  if (!order) throw fail('NOT_FOUND', 'There is no such payment.')
  const ctx = { ...services, store }
  const state = await readSandboxState(services.db, store.id, payment.id)
  const isInTime = (payment.expiresAt?.getTime() ?? 0) > services.clock.now()
  const isUndecided = payment.status === 'open' && (state === 'open' || state === 'later')
  return { ctx, payment, order, isOpen: isUndecided && isInTime }
}

export const choices = ['success', 'failure', 'later'] as const
export type Choice = (typeof choices)[number]

/**
 * Applies the choice made on the sandbox page. The sandbox stores it, as a provider would, and then reports it with the
 * body and credentials of a webhook. The call stays inside this process, because the public URL may lead through a
 * proxy that this machine cannot reach.
 */
export const choosePayment = async ({ ctx, payment, isOpen }: SandboxPayment, choice: Choice): Promise<boolean> => {
  if (!isOpen) return false
  const ledger = createSandboxLedger(ctx.db)
  const state = choice === 'failure' ? 'failed' : choice
  const now = await ledger.move(ctx.store.publicId, payment.id, ['open', 'later'], state)
  if (now !== state) return false
  if (choice === 'later') return true
  const headers = sandboxHeaders(ctx.payments, ctx.store)
  // A store that has changed its provider refuses sandbox webhooks. The payment-check job settles the payment instead.
  if (headers === null) return true
  const store = await admitProvider(ctx, headers)
  await receivePaymentEvent({ ...ctx, store }, sandboxEvent(payment, choice === 'success' ? 'success' : 'failed'))
  return true
}

/** The payment of an order that the next simulated event is about: the undecided one, otherwise the newest. */
export const readPaymentToReport = async (db: Queries, storeId: StoreId, orderId: string): Promise<PaymentRow> => {
  const payment = (await readUndecidedPayment(db, storeId, orderId)) ?? (await readLatestPayment(db, storeId, orderId))
  if (payment === undefined) throw refuse('PAYMENT_NOT_FOUND', { order: orderId })
  return payment
}

/** The webhook body of the sandbox, in the documented format. */
export const sandboxEvent = (payment: PaymentRow, status: EventStatus, eventId?: string): NeutralEvent => ({
  eventId: eventId ?? `sandbox ${payment.id} ${status}`,
  orderId: payment.orderId,
  transactionId: payment.id,
  status,
  amount: toWire(payment.amountMinor, payment.currency),
  currency: payment.currency,
  ...sandboxInstrument(payment.id),
  occurredAt: new Date().toISOString(),
})
