import type { NeutralEvent } from '../../providers/payment/neutral-event.ts'
import { readNeutralEvent } from '../../providers/payment/neutral-event.ts'
import type { Closing, ProviderPayment } from '../../providers/payment/provider.ts'
import { callProvider, type ProviderCallCtx } from './call-provider.ts'
import { applyWaitingEvents } from './inbox.ts'
import type { PaymentRow } from './payments.sql.ts'
import type { SettlementCtx } from './providers.ts'
import { type Settlement, settlePayment } from './settlement.ts'

type ReconcileCtx = SettlementCtx & ProviderCallCtx

/** The inbox source of statuses that we fetched, as opposed to events that the provider sent. */
export const statusCheckSource = (provider: string) => `${provider} asked`

/** Fetches the status of a payment from its provider and settles it accordingly. Null if it is still undecided. */
export const reconcilePayment = async (ctx: ReconcileCtx, payment: PaymentRow): Promise<Settlement | null> => {
  const reported = await fetchStatus(ctx, payment)
  if (reported.status === 'open' || reported.status === 'pending' || reported.status === 'closed') return null
  return settleProviderPayment(ctx, payment, reported)
}

/** Limits the calls that one request makes. */
const maxLateChecks = 2

/**
 * Asks about the first of these payments, which are failed or closed here. The shopper may be paying on their pages, or
 * have paid there; then the order is settled.
 */
export const checkLatePayments = async (ctx: ReconcileCtx, payments: readonly PaymentRow[]): Promise<Closing> => {
  const checked = await Promise.all(
    payments.slice(0, maxLateChecks).map(async (payment) => ({ payment, reported: await fetchStatus(ctx, payment) })),
  )
  const paid = checked.filter(({ reported }) => reported.status === 'success')
  for (const { payment, reported } of paid) await settleProviderPayment(ctx, payment, reported)
  if (paid.length > 0) return 'paid'
  return checked.some(({ reported }) => reported.status === 'pending') ? 'in_progress' : 'closed'
}

const fetchStatus = (ctx: ProviderCallCtx, payment: PaymentRow): Promise<ProviderPayment> =>
  callProvider(ctx, payment.provider, (provider, account, signal) =>
    provider.status(account, { ...payment, paymentId: payment.id }, signal),
  )

/** Turns a fetched status into an event like those of webhooks, so that it can be inspected and replayed. */
const settleProviderPayment = async (
  ctx: ReconcileCtx,
  payment: PaymentRow,
  reported: ProviderPayment,
): Promise<Settlement> => {
  const { status, amount, currency, transaction, instrument } = reported
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
  const event = readNeutralEvent(body)
  const names = { ...event.names, paymentId: payment.id, reference: payment.reference, transaction }
  const settlement = await settlePayment(ctx, { ...event, names, source: statusCheckSource(payment.provider), body })
  await applyWaitingEvents(ctx, { names, outcome: settlement.outcome })
  return settlement
}
