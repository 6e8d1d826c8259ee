import { toWire } from '../../core/money.ts'
import type { NeutralEvent } from '../../providers/payment/neutral-event.ts'
import { readNeutralEvent } from '../../providers/payment/neutral-event.ts'
import type { ProviderPayment } from '../../providers/payment/provider.ts'
import { callProvider } from './call-provider.ts'
import type { PaymentRow } from './payments.sql.ts'
import type { PaymentCtx } from './providers.ts'
import { type Settlement, settlePayment } from './settlement.ts'

/** The inbox source of statuses that we fetched, as opposed to events that the provider sent. */
export const statusCheckSource = (provider: string) => `${provider} asked`

/** Fetches the status of a payment from its provider and settles it accordingly. Null if it is still undecided. */
export const reconcilePayment = async (ctx: PaymentCtx, payment: PaymentRow): Promise<Settlement | null> => {
  const reported = await callProvider(ctx, payment.provider, (provider, account, signal) =>
    provider.status(account, { ...payment, paymentId: payment.id }, signal),
  )
  if (reported.status === 'open' || reported.status === 'pending' || reported.status === 'closed') return null
  return settleProviderPayment(ctx, payment, reported)
}

/** Turns a fetched status into an event like those of webhooks, so that it can be inspected and replayed. */
export const settleProviderPayment = (
  ctx: PaymentCtx,
  payment: PaymentRow,
  reported: ProviderPayment,
): Promise<Settlement> => {
  const { status, amount, currency, instrument } = reported
  const body: NeutralEvent = {
    eventId: `${payment.id} ${status}`,
    orderId: payment.orderId,
    transactionId: payment.id,
    status,
    amount,
    currency,
    ...instrument,
    occurredAt: new Date(ctx.clock.now()).toISOString(),
  }
  return settlePayment(ctx, { ...readNeutralEvent(body), source: statusCheckSource(payment.provider), body })
}

/** Records a refund that we made ourselves, without waiting for a webhook. */
export const settleRefund = (ctx: PaymentCtx, payment: PaymentRow): Promise<Settlement> =>
  settleProviderPayment(ctx, payment, {
    status: 'refunded',
    amount: toWire(payment.amountMinor, payment.currency),
    currency: payment.currency,
    instrument: { method: '', last4: '', upiId: '', reference: '' },
  })
