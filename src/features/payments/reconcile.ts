import { toWire } from '../../core/money.ts'
import type { NeutralEvent } from '../../providers/payment/neutral-event.ts'
import { readNeutralEvent } from '../../providers/payment/neutral-event.ts'
import type { Standing } from '../../providers/payment/provider.ts'
import { callProvider } from './call-provider.ts'
import type { PaymentRow } from './payments.sql.ts'
import type { PaymentCtx } from './providers.ts'
import { type Settlement, settlePayment } from './settlement.ts'

/** Under which an answer to a question of ours is kept in the inbox, apart from what a provider sends by itself. */
export const askedSource = (provider: string) => `${provider} asked`

/** Asks the provider how a payment stands, and settles it accordingly. Null when nothing is decided. */
export const askProvider = async (ctx: PaymentCtx, payment: PaymentRow): Promise<Settlement | null> => {
  const standing = await callProvider(ctx, payment.provider, (provider, account, signal) =>
    provider.status(account, { ...payment, paymentId: payment.id }, signal),
  )
  if (standing.status === 'open' || standing.status === 'pending' || standing.status === 'closed') return null
  return settleStanding(ctx, payment, standing)
}

/** An answer becomes an event like those of webhooks, so that it can be looked at and replayed like them. */
export const settleStanding = (ctx: PaymentCtx, payment: PaymentRow, standing: Standing): Promise<Settlement> => {
  const { status, amount, currency, instrument } = standing
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
  return settlePayment(ctx, { ...readNeutralEvent(body), source: askedSource(payment.provider), body })
}

/** We have paid it back ourselves, and nobody needs to tell us. */
export const settleRefund = (ctx: PaymentCtx, payment: PaymentRow): Promise<Settlement> =>
  settleStanding(ctx, payment, {
    status: 'refunded',
    amount: toWire(payment.amountMinor, payment.currency),
    currency: payment.currency,
    instrument: { method: '', last4: '', upiId: '', reference: '' },
  })
