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

/** Whether it can still be paid. */
export const isUndecided = ({ status }: PaymentRow) => status === 'starting' || status === 'open'

export const paymentColumns = sql`p.id, p.order_id as "orderId", p.provider, p.status,
  p.amount_minor as "amountMinor", p.currency, p.reference, p.redirect_url as "redirectUrl",
  p.expires_at as "expiresAt", p.refund_due_at as "refundDueAt"`

/** The payment to show to the shopper: the paid one, otherwise the newest. */
export const readLatestPayment = (db: Queries, storeId: StoreId, orderId: string) => db.maybeOne<PaymentRow>`
  select ${paymentColumns} from payment p
  where p.store_id = ${storeId} and p.order_id = ${orderId}
  order by (p.status = 'paid' and p.refund_due_at is null) desc, p.created_at desc, p.id desc
  limit 1`

/** An order has at most one undecided payment. */
export const readUndecidedPayment = (db: Queries, storeId: StoreId, orderId: string) => db.maybeOne<PaymentRow>`
  select ${paymentColumns} from payment p
  where p.store_id = ${storeId} and p.order_id = ${orderId} and p.status in ('starting', 'open')`

export const readPaymentById = (db: Queries, storeId: StoreId, paymentId: string) => db.maybeOne<PaymentRow>`
  select ${paymentColumns} from payment p where p.store_id = ${storeId} and p.id = ${paymentId}`

/** The payments of a locked order, oldest first. */
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

/** Undefined if the payment was decided in the meantime: a webhook may arrive before the provider's response. */
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

/** False if the payment was decided in the meantime. */
export const closePaymentRow = async (db: Queries, storeId: StoreId, paymentId: string) =>
  (await db.run`
  update payment set status = 'closed', updated_at = vitrine_now()
  where store_id = ${storeId} and id = ${paymentId} and status in ('starting', 'open')`) === 1

/** For a locked payment. `refundDue` queues a refund. */
export const writePayment = (
  tx: Tx,
  storeId: StoreId,
  paymentId: string,
  change: { status: PaymentStatus; reference: string | null; refundDue: boolean },
) => tx.run`
  update payment set status = ${change.status}, reference = coalesce(${change.reference}, reference),
    refund_due_at = ${change.refundDue ? sql`vitrine_now()` : sql`null`}, updated_at = vitrine_now()
  where store_id = ${storeId} and id = ${paymentId}`

/** Marks the cash payment of a delivered order as paid, even one that was closed because the order was cancelled. */
export const noteCashPaid = (tx: Tx, storeId: StoreId, orderId: string) => tx.run`
  update payment set status = 'paid', updated_at = vitrine_now()
  where store_id = ${storeId} and order_id = ${orderId} and provider = 'cod' and status in ('open', 'closed')`

/** Lets one caller check the payment at the provider. False for all others within `spacingMs`. */
export const claimStatusCheck = async (db: Queries, storeId: StoreId, paymentId: string, spacingMs: number) =>
  (await db.run`
  update payment set asked_at = vitrine_now()
  where store_id = ${storeId} and id = ${paymentId} and status in ('starting', 'open')
    and (asked_at is null or asked_at <= vitrine_now() - ${spacingMs}::bigint * interval '1 millisecond')`) === 1
