import { refuse } from '../../core/domain-errors.ts'
import { fail } from '../../core/errors.ts'
import { toWire } from '../../core/money.ts'
import type { Queries } from '../../db/database.ts'
import type { NeutralEvent } from '../../providers/payment/neutral-event.ts'
import type { EventStatus } from '../../providers/payment/provider.ts'
import { sandboxInstrument } from '../../providers/payment/sandbox.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import type { StoreId } from '../context.ts'
import { type FullOrderRow, readOrder } from '../orders/orders.sql.ts'
import { type PaymentRow, readLatestPayment, readPaymentById, readUndecidedPayment } from './payments.sql.ts'
import type { PaymentCtx, PaymentServices } from './providers.ts'
import { createSandboxBook, readSandboxState } from './sandbox.sql.ts'
import { readPageToken } from './sandbox-token.ts'
import { receivePaymentEvent } from './webhook.ts'
import { admitProvider, sandboxHeaders } from './webhook-access.ts'

export type SandboxPayment = { ctx: PaymentCtx; payment: PaymentRow; order: FullOrderRow; isOpen: boolean }

/** The payment that a page's address opens. There are no such pages in production. */
export const findSandboxPayment = async (services: PaymentServices, token: string): Promise<SandboxPayment> => {
  const named = services.payments.production ? null : readPageToken(services.payments.pageTokens, token)
  const store = named && (await findStoreByPublicId(services.db, named.storeId))
  const payment = store && (await readPaymentById(services.db, store.id, named.paymentId))
  const order = payment && (await readOrder(services.db, store.id, payment.orderId))
  if (!order) throw fail('NOT_FOUND', 'There is no such payment.')
  const ctx = { ...services, store }
  const state = await readSandboxState(services.db, store.publicId, payment.id)
  const isInTime = (payment.expiresAt?.getTime() ?? 0) > services.clock.now()
  const isAsked = payment.status === 'open' && (state === 'open' || state === 'later')
  return { ctx, payment, order, isOpen: isAsked && isInTime }
}

export const choices = ['success', 'failure', 'later'] as const
export type Choice = (typeof choices)[number]

/**
 * A person has said how the payment ends. The sandbox notes it, as a provider would on its side, and then reports it
 * with the body and the credentials of any other webhook. It does so inside this process: its own address may lead
 * through a proxy that this machine cannot reach.
 */
export const choosePayment = async ({ ctx, payment, isOpen }: SandboxPayment, choice: Choice): Promise<boolean> => {
  if (!isOpen) return false
  const book = createSandboxBook(ctx.db)
  const state = choice === 'failure' ? 'failed' : choice
  const now = await book.move(ctx.store.publicId, payment.id, ['open', 'later'], state)
  if (now !== state) return false
  if (choice === 'later') return true
  const headers = sandboxHeaders(ctx.payments, ctx.store)
  // A store that has changed its provider refuses webhooks of the sandbox. The payment check job asks instead.
  if (headers === null) return true
  const store = await admitProvider(ctx, headers)
  await receivePaymentEvent({ ...ctx, store }, sandboxEvent(payment, choice === 'success' ? 'success' : 'failed'))
  return true
}

/** Of an order: what could be reported about next. */
export const readPaymentToReport = async (db: Queries, storeId: StoreId, orderId: string): Promise<PaymentRow> => {
  const payment = (await readUndecidedPayment(db, storeId, orderId)) ?? (await readLatestPayment(db, storeId, orderId))
  if (payment === undefined) throw refuse('PAYMENT_NOT_FOUND', { order: orderId })
  return payment
}

/** What the sandbox tells the webhook, as it stands in the documentation. */
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
