import type { Queries, Tx } from '../../db/database.ts'
import { byKey } from '../../db/plan-hints.ts'
import { sql } from '../../db/sql.ts'
import type { PaymentNames } from '../../providers/payment/provider.ts'
import type { StoreId } from '../context.ts'
import type { OrderRow } from '../orders/orders.sql.ts'

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
  transaction: string | null
  isDuplicate: boolean
  /** When a job asks the provider about it once more; null: never. */
  lateCheckAt: Date | null
}

/** Whether it can still be paid. */
export const isUndecided = ({ status }: PaymentRow) => status === 'starting' || status === 'open'

/** Failed or closed here, but its page can still be paid because the provider cannot close it. */
export const isPayableLate = ({ status, lateCheckAt }: PaymentRow) =>
  lateCheckAt !== null && (status === 'failed' || status === 'closed')

export const paymentColumns = sql`p.id, p.order_id as "orderId", p.provider, p.status,
  p.amount_minor as "amountMinor", p.currency, p.reference, p.redirect_url as "redirectUrl",
  p.expires_at as "expiresAt", p.transaction_ref as transaction, p.is_duplicate as "isDuplicate",
  p.late_check_at as "lateCheckAt"`

/** The payment to show to the shopper: the paid one, otherwise the newest. */
export const readLatestPayment = (db: Queries, storeId: StoreId, orderId: string) => db.maybeOne<PaymentRow>`
  select ${paymentColumns} from payment p
  where p.store_id = ${storeId} and p.order_id = ${orderId}
  order by (p.status = 'paid' and not p.is_duplicate) desc, p.created_at desc, p.id desc
  limit 1`

/** What its payment needs of an order, and the newest payment; `newestId` is null if it has none. */
export type OrderToPay = Pick<
  OrderRow,
  'id' | 'status' | 'paymentStatus' | 'paymentMethod' | 'totalMinor' | 'currency'
> & {
  newestId: string | null
  newestStatus: PaymentStatus | null
  provider: string | null
  redirectUrl: string | null
  expiresAt: Date | null
}

/** Only if it belongs to this customer. */
export const readOrderToPay = (db: Queries, storeId: StoreId, orderId: string, customerId: string) =>
  db.maybeOne<OrderToPay>`
  select o.id, o.status, o.payment_status as "paymentStatus", o.payment_method as "paymentMethod",
    o.total_minor as "totalMinor", o.currency, p.id as "newestId", p.status as "newestStatus", p.provider,
    p.redirect_url as "redirectUrl", p.expires_at as "expiresAt"
  from orders o
  left join ${byKey(sql`
    select id, status, provider, redirect_url, expires_at from payment
    where store_id = ${storeId} and order_id = ${orderId} order by created_at desc, id desc`)} p on true
  where o.store_id = ${storeId} and o.id = ${orderId} and o.customer_id = ${customerId}`

/** An order has at most one undecided payment. */
export const readUndecidedPayment = (db: Queries, storeId: StoreId, orderId: string) => db.maybeOne<PaymentRow>`
  select ${paymentColumns} from payment p
  where p.store_id = ${storeId} and p.order_id = ${orderId} and p.status in ('starting', 'open')`

/**
 * The newest payments of an order that can still be paid. The newest of them may be undecided; the others are failed or
 * closed.
 */
export const readPayablePayments = (db: Queries, storeId: StoreId, orderId: string) => db.many<PaymentRow>`
  select ${paymentColumns} from payment p
  where p.store_id = ${storeId} and p.order_id = ${orderId} and (p.status in ('starting', 'open')
    or (p.status in ('failed', 'closed') and p.late_check_at is not null))
  order by p.created_at desc, p.id desc
  limit 3`

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
  /** When the session ends. It is set before the provider is called, so that a repeated call asks for the same session. */
  expiresAt: Date | null
}

export const insertPayment = (tx: Tx, storeId: StoreId, payment: NewPaymentRow) => tx.one<PaymentRow>`
  insert into payment as p (store_id, id, order_id, provider, status, amount_minor, currency, reference, expires_at,
    created_at, updated_at)
  values (${storeId}, ${payment.id}, ${payment.orderId}, ${payment.provider}, ${payment.status},
    ${payment.amountMinor}, ${payment.currency}, ${payment.reference}, ${payment.expiresAt}, vitrine_now(), vitrine_now())
  returning ${paymentColumns}`

/** Undefined if the payment was decided in the meantime: a webhook may arrive before the provider's response. */
export const openPayment = (
  db: Queries,
  storeId: StoreId,
  paymentId: string,
  session: { reference: string | null; redirectUrl: string; expiresAt: Date },
) => db.maybeOne<PaymentRow>`
  update payment p set status = 'open', reference = coalesce(${session.reference}, reference), redirect_url = ${session.redirectUrl},
    expires_at = ${session.expiresAt}, updated_at = vitrine_now()
  where p.store_id = ${storeId} and p.id = ${paymentId} and p.status = 'starting'
  returning ${paymentColumns}`

/** False if the payment was decided in the meantime. */
export const closePaymentRow = async (
  db: Queries,
  storeId: StoreId,
  paymentId: string,
  lateCheckAt: Date | null = null,
) =>
  (await db.run`
  update payment set status = 'closed', late_check_at = ${lateCheckAt}, updated_at = vitrine_now()
  where store_id = ${storeId} and id = ${paymentId} and status in ('starting', 'open')`) === 1

/** For a lost session. False if another request has opened or decided the payment in the meantime. */
export const closeStartingPayment = async (tx: Tx, storeId: StoreId, paymentId: string, lateCheckAt: Date | null) =>
  (await tx.run`
  update payment set status = 'closed', late_check_at = ${lateCheckAt}, updated_at = vitrine_now()
  where store_id = ${storeId} and id = ${paymentId} and status = 'starting'`) === 1

export type PaymentChange = {
  status: PaymentStatus
  reference?: string | null
  transaction?: string | null
  isDuplicate?: boolean
  lateCheckAt?: Date | null
}

/** For a locked payment. What the change leaves out stays. */
export const writePayment = (
  tx: Tx,
  storeId: StoreId,
  paymentId: string,
  { status, reference = null, transaction = null, isDuplicate = false, lateCheckAt = null }: PaymentChange,
) => tx.run`
  update payment set status = ${status}, reference = coalesce(${reference}, reference),
    transaction_ref = coalesce(${transaction}, transaction_ref), is_duplicate = is_duplicate or ${isDuplicate},
    late_check_at = ${lateCheckAt}, updated_at = vitrine_now()
  where store_id = ${storeId} and id = ${paymentId}`

/** Adds what a later report knows of a settled payment, which needs no further check. */
export const fillPayment = (tx: Tx, storeId: StoreId, paymentId: string, transaction: string | null) => tx.run`
  update payment set late_check_at = null, transaction_ref = coalesce(transaction_ref, ${transaction})
  where store_id = ${storeId} and id = ${paymentId}`

/** The order of a payment that an event names without its order. */
export const findOrderOfPayment = (db: Queries, storeId: StoreId, names: PaymentNames) => db.maybeOne<{
  orderId: string
}>`
  select p.order_id as "orderId" from payment p
  where p.store_id = ${storeId} and (p.id = ${names.paymentId} or p.reference = ${names.reference}
    or p.transaction_ref = ${names.transaction})
  limit 1`

/** For a shopper who returns from the provider, whose query names no store. */
export const findOrderByReference = (db: Queries, provider: string, reference: string) => db.maybeOne<{
  orderId: string
}>`
  select p.order_id as "orderId" from payment p where p.reference = ${reference} and p.provider = ${provider} limit 1`

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
