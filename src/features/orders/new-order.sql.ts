import type { Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { markBuyer } from '../accounts/customers.sql.ts'
import type { StoreId } from '../context.ts'
import { isSale, saleWithoutRefunds } from '../reports/sale-entries.sql.ts'
import type { Buyer, OrderLineRow, OrderRow } from './orders.sql.ts'
import { insertEntries, type TimelineEntry } from './timeline.sql.ts'

export type NewOrder = Omit<
  OrderRow,
  | 'payment'
  | 'needsAttention'
  | 'deliveryStatus'
  | 'deliveryPartner'
  | 'estimatedDelivery'
  | 'deliveredAt'
  | 'trackingUrl'
  | 'expiresAt'
  | 'isErased'
  | 'createdAt'
  | 'updatedAt'
> & { expiresInMs: number | null; language: string | null }

/** With name, image, SKU and file of the product as the cart shows it. */
export type NewOrderLine = Omit<OrderLineRow, 'refunded' | 'restocked' | 'stockCounted'> & { taxRate: number }

export type PlacedAt = { createdAt: Date; expiresAt: Date | null }

/**
 * Inserts an order with its lines and timeline. Its first event is `order.placed`. Only the times are made by the
 * statement: lines and customer were read after their locks, and reading them again took as long as writing the order. The
 * order is written before its lines: in a distributed database, the parts of a statement that insert run one after another.
 */
export const insertOrder = (
  tx: Tx,
  storeId: StoreId,
  order: NewOrder,
  orderLines: readonly NewOrderLine[],
  customer: Buyer['customer'],
  entries: readonly TimelineEntry[],
) => tx.one<PlacedAt>`
  with placed as (
    insert into orders (store_id, id, number, customer_id, outlet_id, cart_id, cart_version, request_hash, status,
      payment_status, payment_method, stock_state, currency, subtotal_minor, discount_minor, shipping_minor, tax_minor,
      total_minor, tax_included, coupon_id, coupon_code, storefront_url, shipping_address, billing_address, note,
      units, language, event_count, to_ship, expires_at, created_at, updated_at)
    values (${storeId}, ${order.id}, ${order.number}, ${order.customerId},
      ${order.outletId}, ${order.cartId}, ${order.cartVersion}, ${order.requestHash}, ${order.status}, ${order.paymentStatus}, ${order.paymentMethod},
      ${order.stockState}, ${order.currency}, ${order.subtotalMinor}, ${order.discountMinor}, ${order.shippingMinor},
      ${order.taxMinor}, ${order.totalMinor}, ${order.taxIncluded}, ${order.couponId}, ${order.couponCode},
      ${order.storefrontUrl}, ${toJson(order.shippingAddress)}, ${toJson(order.billingAddress)}, ${order.note},
      ${countUnits(orderLines)}, ${order.language}, 1, ${isToShip(order, orderLines)},
      vitrine_now() + ${order.expiresInMs}::bigint * interval '1 millisecond', vitrine_now(), vitrine_now())
    returning created_at, expires_at),
  lined as (${insertLines(storeId, order.id, orderLines)}),
  ${isSale(order) ? sql`sale as (${saleWithoutRefunds(storeId, order.id, 1)}),` : sql``}
  searched as (
    insert into order_search (store_id, number, term)
    select ${storeId}, ${order.number}, t.term
    from order_search_terms(${toJson(order.shippingAddress)}::jsonb, ${customer.name}::text, ${customer.email}::text,
      ${customer.phone}::text, ${orderLines.map(({ sku }) => sku)}::text[]) t (term) returning 1),
  bought as (${markBuyer(storeId, order.customerId)}),
  timeline_rows as (${insertEntries(storeId, order.id, entries)} returning 1)
  select created_at as "createdAt", expires_at as "expiresAt" from placed`

/** An order has something to ship once it is paid, or at once if it is paid on delivery. */
const isToShip = ({ paymentMethod }: NewOrder, lines: readonly NewOrderLine[]) =>
  paymentMethod === 'cod' && lines.some(({ digital }) => digital === null)

const insertLines = (storeId: StoreId, orderId: string, lines: readonly NewOrderLine[]) => {
  const [only, ...others] = lines
  const columns = sql`insert into order_line (store_id, order_id, position, id, product_id, variant_id, name, variant,
      image, sku, quantity, unit_minor, line_total_minor, discount_minor, tax_minor, tax_rate, digital)`
  if (only !== undefined && others.length === 0) {
    return sql`
    ${columns}
    values (${storeId}, ${orderId}, ${only.position}, ${only.id}, ${only.productId}, ${only.variantId}, ${only.name},
      ${only.variant}, ${only.image}, ${only.sku}, ${only.quantity}, ${only.unitMinor}, ${only.lineTotalMinor},
      ${only.discountMinor}, ${only.taxMinor}, ${only.taxRate}, ${toJson(only.digital)})`
  }
  return sql`
    ${columns}
    select ${storeId}, ${orderId}, l.position, l.id, l."productId", l."variantId", l.name, l.variant, l.image, l.sku,
      l.quantity, l."unitMinor", l."lineTotalMinor", l."discountMinor", l."taxMinor", l."taxRate", l.digital
    from jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as l (position integer, id text, "productId" text,
      "variantId" text, name text, variant text, image text, sku text, quantity integer, "unitMinor" bigint,
      "lineTotalMinor" bigint, "discountMinor" bigint, "taxMinor" bigint, "taxRate" numeric, digital jsonb)
    returning 1`
}

const countUnits = (lines: readonly NewOrderLine[]) => lines.reduce((sum, { quantity }) => sum + quantity, 0)

const toJson = (value: unknown) => (value === null ? null : JSON.stringify(value))
