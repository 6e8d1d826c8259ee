import type { Queries, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'

export type PaymentStatus = 'starting' | 'open' | 'paid' | 'failed' | 'closed' | 'refunded'

export type PaymentRow = {
  id: string
  orderId: string
  provider: string
  status: PaymentStatus
  amountMinor: number
  currency: string
  reference: string | null
  redirectUrl: string | null
  expiresAt: Date | null
  refundDueAt: Date | null
}

/** Whether somebody could still pay it. */
export const isUndecided = ({ status }: PaymentRow) => status === 'starting' || status === 'open'

export const paymentColumns = sql`p.id, p.order_id as "orderId", p.provider, p.status,
  p.amount_minor as "amountMinor", p.currency, p.reference, p.redirect_url as "redirectUrl",
  p.expires_at as "expiresAt", p.refund_due_at as "refundDueAt"`

/** The payment that counts for the shopper: the one that was paid, or else the last one. */
export const readLatestPayment = (db: Queries, storeId: StoreId, orderId: string) => db.maybeOne<PaymentRow>`
  select ${paymentColumns} from payment p
  where p.store_id = ${storeId} and p.order_id = ${orderId}
  order by (p.status = 'paid' and p.refund_due_at is null) desc, p.created_at desc, p.id desc
  limit 1`

/** The one that could still be made; there is never more than one. */
export const readUndecidedPayment = (db: Queries, storeId: StoreId, orderId: string) => db.maybeOne<PaymentRow>`
  select ${paymentColumns} from payment p
  where p.store_id = ${storeId} and p.order_id = ${orderId} and p.status in ('starting', 'open')`

export const readPaymentById = (db: Queries, storeId: StoreId, paymentId: string) => db.maybeOne<PaymentRow>`
  select ${paymentColumns} from payment p where p.store_id = ${storeId} and p.id = ${paymentId}`

/** Of an order that is locked, oldest first. */
export const lockPayments = (tx: Tx, storeId: StoreId, orderId: string) => tx.many<PaymentRow>`
  select ${paymentColumns} from payment p
  where p.store_id = ${storeId} and p.order_id = ${orderId}
  order by p.created_at, p.id
  for update`

type NewPaymentRow = {
  id: string
  orderId: string
  provider: string
  /** `starting`: the provider is called after the commit. `open`: there is no provider to call, as with cash. */
  status: PaymentStatus
  amountMinor: number
  currency: string
  reference: string | null
}

export const insertPayment = (tx: Tx, storeId: StoreId, payment: NewPaymentRow) => tx.one<PaymentRow>`
  insert into payment as p (store_id, id, order_id, provider, status, amount_minor, currency, reference, created_at,
    updated_at)
  values (${storeId}, ${payment.id}, ${payment.orderId}, ${payment.provider}, ${payment.status},
    ${payment.amountMinor}, ${payment.currency}, ${payment.reference}, vitrine_now(), vitrine_now())
  returning ${paymentColumns}`

/** Only a payment that nobody has decided about meanwhile: a webhook may have been faster than the answer to us. */
export const openPayment = (
  db: Queries,
  storeId: StoreId,
  paymentId: string,
  session: { reference: string | null; redirectUrl: string; expiresAt: Date },
) => db.maybeOne<PaymentRow>`
  update payment p set status = 'open', reference = ${session.reference}, redirect_url = ${session.redirectUrl},
    expires_at = ${session.expiresAt}, updated_at = vitrine_now()
  where p.store_id = ${storeId} and p.id = ${paymentId} and p.status = 'starting'
  returning ${paymentColumns}`

/** True unless it was decided about in another way. */
export const closePaymentRow = async (db: Queries, storeId: StoreId, paymentId: string) =>
  (await db.run`
  update payment set status = 'closed', updated_at = vitrine_now()
  where store_id = ${storeId} and id = ${paymentId} and status in ('starting', 'open')`) === 1

/** Of a payment that is locked. `refundDue`: the money goes back, from now on. */
export const writePayment = (
  tx: Tx,
  storeId: StoreId,
  paymentId: string,
  change: { status: PaymentStatus; reference: string | null; refundDue: boolean },
) => tx.run`
  update payment set status = ${change.status}, reference = coalesce(${change.reference}, reference),
    refund_due_at = ${change.refundDue ? sql`vitrine_now()` : sql`null`}, updated_at = vitrine_now()
  where store_id = ${storeId} and id = ${paymentId}`

/** Marks the cash payment of a delivered order as paid. It is closed when the order was cancelled and delivered anyway. */
export const noteCashPaid = (tx: Tx, storeId: StoreId, orderId: string) => tx.run`
  update payment set status = 'paid', updated_at = vitrine_now()
  where store_id = ${storeId} and order_id = ${orderId} and provider = 'cod' and status in ('open', 'closed')`

/** Lets one caller ask the provider, and nobody else for so long. */
export const claimAsking = async (db: Queries, storeId: StoreId, paymentId: string, spacingMs: number) =>
  (await db.run`
  update payment set asked_at = vitrine_now()
  where store_id = ${storeId} and id = ${paymentId} and status in ('starting', 'open')
    and (asked_at is null or asked_at <= vitrine_now() - ${spacingMs}::bigint * interval '1 millisecond')`) === 1
