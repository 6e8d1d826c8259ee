import type { NewOrder, NewOrderLine, PlacedAt } from './new-order.sql.ts'
import type { Buyer, FullOrderRow, TimelineEntry } from './orders.sql.ts'

/** A new order as reading it would return it. */
export const showPlaced = (
  { expiresInMs, ...order }: NewOrder,
  lines: readonly NewOrderLine[],
  customer: Buyer['customer'],
  entries: readonly TimelineEntry[],
  { createdAt, expiresAt }: PlacedAt,
): FullOrderRow & Buyer => ({
  ...order,
  ...{ payment: null, needsAttention: null, deliveryStatus: null, deliveryPartner: null, estimatedDelivery: null },
  ...{ deliveredAt: null, trackingUrl: null, expiresAt, isErased: false, createdAt, updatedAt: createdAt },
  lines: lines.map(({ taxRate, ...line }) => ({ ...line, refunded: 0, restocked: 0, stockCounted: true })),
  shipments: [],
  refunds: [],
  timeline: entries.map(({ type, message }) => ({ at: createdAt.toISOString(), type, message })),
  customer,
})
