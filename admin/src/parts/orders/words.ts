import type { AdminOrder } from '../../api.ts'

/** What a flag means, and what can be done about it. */
export const attentionWords: Readonly<Record<string, [title: string, advice: string]>> = {
  OUT_OF_STOCK: [
    'Paid, but not enough in stock',
    'The payment came when the units were no longer held. Get more stock and ship, or refund the order.',
  ],
  DUPLICATE_PAYMENT: [
    'Paid twice',
    'The customer has paid more than once. The second payment is refunded by itself; check that it was.',
  ],
  DISPUTE: [
    'The customer disputes the payment',
    'The bank of the customer asks about this payment. Answer in the dashboard of your payment provider.',
  ],
  REFUND_FAILED: [
    'A refund has failed',
    'The payment provider refused it. Try again, or return the money in another way.',
  ],
  REFUND_MISMATCH: [
    'A refund does not fit this order',
    'The payment provider reports a refund that does not fit what was paid. Compare it with the dashboard of the provider.',
  ],
  PARCEL_RETURNING: ['The parcel is coming back', 'It could not be delivered. Ask the customer about the address.'],
  PARCEL_RETURNED: ['The parcel came back', 'Ship it again, or refund the order and put the units back in stock.'],
  SENT_UNPAID: [
    'Shipped without payment',
    'The order had been cancelled or refunded before. Ask for the parcel back, or for the money.',
  ],
}

export const attentionOf = (code: string): [title: string, advice: string] =>
  attentionWords[code] ?? ['Needs a decision', 'See the timeline for what happened.']

/** What the customer gets. */
export const messageWords: Readonly<Record<string, string>> = {
  'order.placed': 'Order received',
  'order.paid': 'Payment received',
  'order.payment_failed': 'Payment failed',
  'order.cancelled': 'Order cancelled',
  'order.shipped': 'Parcel shipped',
  'order.delivered': 'Order delivered',
  'order.refunded': 'Money refunded',
}

/** A parcel whose booking has begun and was not confirmed. */
export const unfinishedParcel = (shipments: AdminOrder['shipments']) =>
  shipments.find(({ status, carrier }) => status === 'preparing' && carrier !== null)

export const attemptWords: Readonly<Record<string, [string, 'good' | 'bad' | 'warn' | 'plain']>> = {
  starting: ['Started', 'plain'],
  open: ['Waiting for the customer', 'warn'],
  due: ['Due on delivery', 'plain'],
  paid: ['Paid', 'good'],
  failed: ['Failed', 'bad'],
  closed: ['Closed', 'plain'],
  refunded: ['Refunded', 'plain'],
}

export const parcelWords: Readonly<Record<string, [string, 'good' | 'bad' | 'warn' | 'plain']>> = {
  preparing: ['Not booked yet', 'warn'],
  booked: ['Booked', 'plain'],
  shipped: ['Shipped', 'plain'],
  out_for_delivery: ['On the way', 'plain'],
  delivered: ['Delivered', 'good'],
  cancelled: ['Cancelled', 'plain'],
  undelivered: ['Not delivered', 'bad'],
  returning: ['Coming back', 'bad'],
  returned: ['Came back', 'bad'],
}

export const refundWords: Readonly<Record<string, [string, 'good' | 'bad' | 'warn' | 'plain']>> = {
  pending: ['On its way', 'warn'],
  succeeded: ['Refunded', 'good'],
  failed: ['Failed', 'bad'],
}

export const returnWords: Readonly<Record<string, [string, 'good' | 'bad' | 'warn' | 'plain']>> = {
  requested: ['Requested', 'warn'],
  approved: ['Waiting for the items', 'plain'],
  received: ['Items are here', 'warn'],
  refunded: ['Refunded', 'good'],
  rejected: ['Rejected', 'plain'],
}
