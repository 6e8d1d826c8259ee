import type { Instrument } from '../../core/instrument.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { DigitalFile } from '../catalog/whole-product.sql.ts'
import type { OutletId, StoreId } from '../context.ts'
import type { Snapshot } from '../events/events.sql.ts'
import { refundedUnitsEntry, saleEntry, saleWithoutRefunds } from '../reports/sale-entries.sql.ts'
import type { OrderPaymentStatus, OrderStatus, PostalAddress } from './order.contract.ts'
import { insertEntries, type TimelineEntry } from './timeline.sql.ts'
import { toShipOf, toShipOfUntouched } from './to-ship.sql.ts'

export type { TimelineEntry }

export type StockState = 'reserved' | 'sold' | 'released'

/** The row of an order, without its lines, shipments and timeline. */
export type OrderRow = {
  id: string
  number: number
  customerId: string
  outletId: OutletId
  cartId: string
  cartVersion: number
  requestHash: string
  status: OrderStatus
  paymentStatus: OrderPaymentStatus
  paymentMethod: 'online' | 'cod'
  stockState: StockState
  currency: string
  subtotalMinor: number
  discountMinor: number
  shippingMinor: number
  taxMinor: number
  totalMinor: number
  taxIncluded: boolean
  couponId: string | null
  couponCode: string | null
  payment: Instrument | null
  needsAttention: string | null
  storefrontUrl: string | null
  shippingAddress: PostalAddress | null
  billingAddress: PostalAddress | null
  note: string
  deliveryStatus: string | null
  deliveryPartner: string | null
  estimatedDelivery: Date | null
  deliveredAt: Date | null
  trackingUrl: string | null
  expiresAt: Date | null
  /** The customer was erased: what is written later must hold nothing personal. */
  isErased: boolean
  createdAt: Date
  updatedAt: Date
}

export type OrderLineRow = {
  id: string
  position: number
  productId: string
  variantId: string
  name: string
  variant: string
  image: string
  sku: string
  quantity: number
  unitMinor: number
  lineTotalMinor: number
  discountMinor: number
  taxMinor: number
  digital: DigitalFile | null
  /** Units that were refunded or are being refunded, and units that went back to stock while others stay sold. */
  refunded: number
  restocked: number
  /** Its units were taken from stock. False if the variant was not tracked at the time of the order. */
  stockCounted: boolean
}

const orderColumns = sql`o.id, o.number, o.customer_id as "customerId", o.outlet_id as "outletId",
  o.cart_id as "cartId", o.cart_version as "cartVersion", o.request_hash as "requestHash", o.status,
  o.payment_status as "paymentStatus", o.payment_method as "paymentMethod", o.stock_state as "stockState", o.currency,
  o.subtotal_minor as "subtotalMinor", o.discount_minor as "discountMinor", o.shipping_minor as "shippingMinor",
  o.tax_minor as "taxMinor", o.total_minor as "totalMinor", o.tax_included as "taxIncluded",
  o.coupon_id as "couponId", o.coupon_code as "couponCode",
  o.payment, o.needs_attention as "needsAttention", o.storefront_url as "storefrontUrl",
  o.shipping_address as "shippingAddress", o.billing_address as "billingAddress", o.note,
  o.delivery_status as "deliveryStatus", o.delivery_partner as "deliveryPartner",
  o.estimated_delivery as "estimatedDelivery", o.delivered_at as "deliveredAt", o.tracking_url as "trackingUrl",
  o.expires_at as "expiresAt", o.erased_at is not null as "isErased", o.created_at as "createdAt",
  o.updated_at as "updatedAt"`

const linesFrom = (source: Fragment) => sql`(
  select coalesce(json_agg(json_build_object('id', l.id, 'position', l.position, 'productId', l.product_id,
    'variantId', l.variant_id, 'name', l.name, 'variant', l.variant, 'image', l.image, 'sku', l.sku,
    'quantity', l.quantity, 'unitMinor', l.unit_minor, 'lineTotalMinor', l.line_total_minor,
    'discountMinor', l.discount_minor, 'taxMinor', l.tax_minor, 'digital', l.digital,
    'refunded', l.refunded, 'restocked', l.restocked, 'stockCounted', l.stock_counted) order by l.position), '[]')
  from ${source})`
const linesOf = (storeId: StoreId) => linesFrom(sql`order_line l where l.store_id = ${storeId} and l.order_id = o.id`)

const timelineFrom = (source: Fragment) => sql`(
  select coalesce(json_agg(json_build_object('at', e.at, 'type', e.type, 'message', e.message) order by e.seq), '[]')
  from ${source})`

export type ShipmentRow = {
  id: string
  trackingNumber: string
  partner: string
  status: string
  estimatedDelivery: string | null
  deliveredAt: string | null
  trackingUrl: string
  items: { id: string; quantity: number }[]
  updatedAt: string
}

export type EventRow = { at: string; type: string; message: string }

export type OrderRefundRow = {
  id: string
  amountMinor: number
  status: 'pending' | 'succeeded' | 'failed'
  reason: string
  items: { id: string; quantity: number }[]
  /** Of a second payment for the same order. */
  isOfDuplicate: boolean
  createdAt: string
}

export type FullOrderRow = OrderRow & {
  lines: OrderLineRow[]
  shipments: ShipmentRow[]
  refunds: OrderRefundRow[]
  timeline: EventRow[]
}

/** Of an order `o` of this store. */
export const fullColumns = (storeId: StoreId) => sql`${orderColumns}, ${linesOf(storeId)} as lines, (
  select coalesce(json_agg(json_build_object('id', s.id, 'trackingNumber', s.tracking_number, 'partner', s.partner,
    'status', s.status, 'estimatedDelivery', s.estimated_delivery, 'deliveredAt', s.delivered_at,
    'trackingUrl', s.tracking_url, 'items', s.items, 'updatedAt', s.updated_at) order by s.created_at, s.id), '[]')
  from shipment s where s.store_id = ${storeId} and s.order_id = o.id) as shipments, (
  select coalesce(json_agg(json_build_object('id', r.id, 'amountMinor', r.amount_minor, 'status', r.status,
    'reason', r.reason, 'items', r.items, 'isOfDuplicate', exists (
      select from payment p where p.store_id = ${storeId} and p.id = r.payment_id and p.is_duplicate), 'createdAt', r.created_at) order by r.created_at, r.id), '[]')
  from refund r where r.store_id = ${storeId} and r.order_id = o.id) as refunds,
  ${timelineFrom(sql`order_event e where e.store_id = ${storeId} and e.order_id = o.id`)} as timeline`

/** What an event tells of an order besides the order itself. */
export type Buyer = {
  language: string | null
  customer: { id: string; name: string; email: string; phone: string }
}

export const buyerColumns = (storeId: StoreId) => sql`o.language, (
  select json_build_object('id', c.id, 'name', c.name, 'email', coalesce(c.email, ''),
    'phone', coalesce(c.phone, c.contact_phone))
  from customer c where c.store_id = ${storeId} and c.id = o.customer_id) as customer`

/** An order as an event keeps it, with the customer at that time. */
export const orderSnapshot = (storeId: StoreId, orderId: string): Snapshot => ({
  rows: sql`
  select x.id as subject, row_to_json(x) as data, x.customer ->> 'email' <> '' as has_recipient
  from (
    select ${fullColumns(storeId)}, ${buyerColumns(storeId)} from orders o
    where o.store_id = ${storeId} and o.id = ${orderId}) x`,
})

/** Only if it belongs to this customer, where one is given. */
export const readOrder = (db: Queries, storeId: StoreId, orderId: string, customerId?: string) =>
  db.maybeOne<FullOrderRow>`
  select ${fullColumns(storeId)} from orders o
  where o.store_id = ${storeId} and o.id = ${orderId}
    and ${customerId === undefined ? sql`true` : sql`o.customer_id = ${customerId}`}`

/** Newest first. `before` is the number of the last order on the previous page. */
export const listOrders = (
  db: Queries,
  storeId: StoreId,
  { customerId, before, limit }: { customerId: string; before: number | null; limit: number },
) => db.many<FullOrderRow>`
  select ${fullColumns(storeId)} from orders o
  where o.store_id = ${storeId} and o.customer_id = ${customerId}
    and ${before === null ? sql`true` : sql`o.number < ${before}`}
  order by o.number desc
  limit ${limit}`

/** `isInChain`: it was replaced by another order of its cart, or has replaced one. */
export type LockedOrder = OrderRow & { lines: OrderLineRow[]; isInChain: boolean }

/**
 * Locks the cart of an order, before `lockOrder` locks the order itself: every transaction locks cart, customer, order,
 * coupon and stock in this sequence. They are two statements because the second must see what was written while the
 * first waited.
 */
export const lockCartOf = (tx: Tx, storeId: StoreId, orderId: string) => tx.run`
  select from cart c
  where c.store_id = ${storeId}
    and c.id = (select o.cart_id from orders o where o.store_id = ${storeId} and o.id = ${orderId})
  for update`

export const lockOrderRow = (tx: Tx, storeId: StoreId, orderId: string) => tx.run`
  select from orders where store_id = ${storeId} and id = ${orderId} for update`

/** For an order that `lockOrder` has locked. */
export const readLockedOrder = (tx: Tx, storeId: StoreId, orderId: string) => tx.maybeOne<LockedOrder>`
  select ${orderColumns}, ${linesOf(storeId)} as lines, o.replaced_by is not null or exists (
    select from orders r where r.store_id = ${storeId} and r.replaced_by = ${orderId}) as "isInChain"
  from orders o where o.store_id = ${storeId} and o.id = ${orderId}`

export type OrderChange = Partial<
  Pick<
    OrderRow,
    | 'status'
    | 'paymentStatus'
    | 'stockState'
    | 'payment'
    | 'needsAttention'
    | 'deliveryStatus'
    | 'deliveryPartner'
    | 'estimatedDelivery'
    | 'deliveredAt'
    | 'trackingUrl'
    | 'expiresAt'
  >
>

/** Writes the state of a locked order and its new timeline entries. Returns the sequence of the last of `newEvents`. */
export const writeOrder = (
  tx: Tx,
  storeId: StoreId,
  order: OrderRow,
  entries: readonly TimelineEntry[],
  newEvents: number,
  sale: SaleChange,
) => tx.one<{ lastSequence: number }>`
  with ${written(storeId, order, entries, newEvents, {
    toShip: toShipOf(storeId, order),
    sale: sale === 0 ? null : saleEntry(storeId, order.id, sql`written`, sale),
  })}
  select event_count as "lastSequence" from written`

/**
 * The same for an order without shipments and refunds. Returns what an event tells of it besides its row and lines:
 * `timeline` has the entries before these.
 */
export const writeOrderForEvent = (
  tx: Tx,
  storeId: StoreId,
  order: LockedOrder,
  entries: readonly TimelineEntry[],
  newEvents: number,
  sale: SaleChange,
) => tx.one<{ lastSequence: number; updatedAt: Date; timeline: EventRow[] } & Buyer>`
  with before as materialized (select ${timelineFrom(
    sql`order_event e where e.store_id = ${storeId} and e.order_id = ${order.id}`,
  )} as timeline),
  ${written(storeId, order, entries, newEvents, {
    toShip: toShipOfUntouched(order),
    sale: sale === 0 ? null : saleWithoutRefunds(storeId, order.id, sale),
  })}
  select o.event_count as "lastSequence", o.updated_at as "updatedAt", ${buyerColumns(storeId)},
    b.timeline
  from written o cross join before b`

/** The order counts as a sale from now on (1), or no longer (-1). */
export type SaleChange = 1 | -1 | 0

const written = (
  storeId: StoreId,
  order: OrderRow,
  entries: readonly TimelineEntry[],
  newEvents: number,
  { toShip, sale }: { toShip: Fragment; sale: Fragment | null },
) => sql`
  written as (
    update orders set status = ${order.status}, payment_status = ${order.paymentStatus},
      stock_state = ${order.stockState}, payment = ${order.payment === null ? null : JSON.stringify(order.payment)},
      needs_attention = ${order.needsAttention}, delivery_status = ${order.deliveryStatus},
      delivery_partner = ${order.deliveryPartner}, estimated_delivery = ${order.estimatedDelivery},
      delivered_at = ${order.deliveredAt}, tracking_url = ${order.trackingUrl}, expires_at = ${order.expiresAt},
      to_ship = ${toShip}, updated_at = vitrine_now(), event_count = event_count + ${newEvents}::integer
    where store_id = ${storeId} and id = ${order.id}
    returning store_id, id, customer_id, language, event_count, updated_at),
  ${sale === null ? sql`` : sql`sale as (${sale}),`}
  timeline_rows as (${insertEntries(storeId, order.id, entries)} returning 1)`

/** Links a replaced order to its replacement, in the transaction that cancels the replaced one. */
export const noteReplacement = (tx: Tx, storeId: StoreId, orderId: string, newOrderId: string) => tx.run`
  update orders set replaced_by = ${newOrderId} where store_id = ${storeId} and id = ${orderId}`

/**
 * Whether another order in the same chain of replacements is paid, or will be paid in cash on delivery. All of them come
 * from one cart, whose lock is held, so none of them can be settled concurrently. Only for an order that is in a chain.
 */
export const isPaidElsewhere = async (tx: Tx, storeId: StoreId, orderId: string) =>
  (
    await tx.one<{ paid: boolean }>`
    with recursive kin (id, next) as (
      select o.id, o.replaced_by from orders o where o.store_id = ${storeId} and o.id = ${orderId}
      union
      select near.id, near.replaced_by from kin k, lateral (
        select o.id, o.replaced_by from orders o where o.store_id = ${storeId} and o.id = k.next
        union all
        select o.id, o.replaced_by from orders o where o.store_id = ${storeId} and o.replaced_by = k.id) near)
    select exists (
      select from kin join orders o on o.store_id = ${storeId} and o.id = kin.id
      where o.id <> ${orderId} and (o.payment_status in ('paid', 'partially_refunded')
        or o.payment_method = 'cod' and o.status not in ('cancelled', 'refunded'))) as paid`
  ).paid

export type LineUnits = { id: string; refunded: number; restocked: number }

/** Adds to the units of lines that are refunded or back in stock. A failed refund takes its units off again. */
export const countRefunded = (tx: Tx, storeId: StoreId, orderId: string, changes: readonly LineUnits[]) => tx.run`
  ${withRefundedUnits(storeId, orderId, changes)}
  update order_line l set refunded = l.refunded + c.refunded, restocked = l.restocked + c.restocked
  from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as c (id text, refunded integer, restocked integer)
  where l.store_id = ${storeId} and l.order_id = ${orderId} and l.id = c.id`

const withRefundedUnits = (storeId: StoreId, orderId: string, changes: readonly LineUnits[]) => {
  const units = changes.filter(({ refunded }) => refunded !== 0).map(({ id, refunded }) => ({ id, refunded }))
  return units.length === 0
    ? sql``
    : sql`with units as (${refundedUnitsEntry(storeId, orderId, JSON.stringify(units))})`
}
