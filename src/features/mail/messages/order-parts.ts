import { isWebAddress } from '../../../core/web-address.ts'
import type { OrderSnapshot } from '../../orders/order-events.ts'
import type { ShipmentRow } from '../../orders/orders.sql.ts'
import type { Block, Fact, ItemRow, TotalRow } from '../render/blocks.ts'
import type { MessageCtx } from './message.ts'

/** An order may have hundreds of lines. Some mail programs cut off long mail. */
const maxLines = 50

export const itemsOf = ({ texts, format }: MessageCtx, order: OrderSnapshot, withTotals: boolean): Block => {
  const money = (minor: number) => format.money(minor, order.currency)
  const shown = order.lines.slice(0, maxLines).map(
    ({ name, variant, quantity, unitMinor, lineTotalMinor }): ItemRow => ({
      name,
      detail: [
        ...(variant === '' ? [] : [variant]),
        texts.quantity({ quantity: format.number(quantity), price: money(unitMinor) }),
      ].join(' · '),
      amount: money(lineTotalMinor),
    }),
  )
  const more = order.lines.length - shown.length
  return {
    kind: 'items',
    labels: { item: texts.labels.item, amount: texts.labels.amount },
    rows: more === 0 ? shown : [...shown, { name: texts.moreItems(more), detail: '', amount: '' }],
    totals: withTotals ? totalsOf({ texts, format }, order) : [],
  }
}

const totalsOf = (
  { texts: { labels }, format }: Pick<MessageCtx, 'texts' | 'format'>,
  order: OrderSnapshot,
): TotalRow[] => {
  const money = (minor: number) => format.money(minor, order.currency)
  const { subtotalMinor, discountMinor, shippingMinor, taxMinor, totalMinor, couponCode } = order
  return [
    { label: labels.subtotal, amount: money(subtotalMinor) },
    ...(discountMinor === 0
      ? []
      : [{ label: couponCode ? labels.coupon(couponCode) : labels.discount, amount: money(-discountMinor) }]),
    { label: labels.shipping, amount: shippingMinor === 0 ? labels.free : money(shippingMinor) },
    // Included tax is part of the total and does not add to it.
    ...(taxMinor === 0 || order.taxIncluded ? [] : [{ label: labels.tax, amount: money(taxMinor) }]),
    { label: labels.total, amount: money(totalMinor), isTotal: true },
    ...(taxMinor === 0 || !order.taxIncluded ? [] : [{ label: labels.taxIncluded, amount: money(taxMinor) }]),
  ]
}

/** Number, date, payment and address of an order. */
export const factsOf = ({ texts: { labels }, format }: MessageCtx, order: OrderSnapshot): Block => ({
  kind: 'facts',
  rows: [
    { label: labels.order, value: String(order.number) },
    { label: labels.orderedOn, value: format.date(order.createdAt) },
    ...paymentOf(order, labels),
    ...(order.shippingAddress === null
      ? []
      : [{ label: labels.deliverTo, value: writeAddress(order.shippingAddress) }]),
  ],
})

const paymentOf = ({ paymentMethod, payment }: OrderSnapshot, labels: MessageCtx['texts']['labels']): Fact[] => {
  if (paymentMethod === 'cod') return [{ label: labels.payment, value: labels.cashOnDelivery }]
  if (payment === null) return []
  const { method, last4, upiId } = payment
  const value = [method === 'upi' ? 'UPI' : method, last4 === '' ? '' : `•••• ${last4}`, upiId]
    .filter(Boolean)
    .join(' ')
  return value === '' ? [] : [{ label: labels.payment, value }]
}

const writeAddress = (address: NonNullable<OrderSnapshot['shippingAddress']>) => {
  const { name, line1, line2, landmark, city, state, postalCode, country } = address
  const place = [[city, postalCode].filter(Boolean).join(' '), state, country].filter(Boolean).join(', ')
  return [name, line1, line2, landmark, place].filter(Boolean).join('\n')
}

const endedStatuses = new Set(['cancelled', 'delivered', 'returned'])

/** The parcels that are under way, with links to follow them. */
export const parcelsOf = ({ texts: { labels }, format }: MessageCtx, order: OrderSnapshot): Block[] => {
  const parcels = order.shipments.filter(
    ({ status, trackingNumber }) => trackingNumber !== '' && !endedStatuses.has(status),
  )
  return parcels.map((parcel) => ({
    kind: 'facts' as const,
    rows: [
      ...(parcel.partner === '' ? [] : [{ label: labels.courier, value: parcel.partner }]),
      { label: labels.trackingNumber, value: parcel.trackingNumber, url: trackingLinkOf(parcel) },
      ...(parcel.estimatedDelivery === null
        ? []
        : [{ label: labels.expectedOn, value: format.date(parcel.estimatedDelivery) }]),
    ],
  }))
}

/** Only web addresses become links: the text is what a carrier or an operator has entered. */
export const trackingLinkOf = ({ trackingUrl }: Pick<ShipmentRow, 'trackingUrl'>) =>
  isWebAddress(trackingUrl) ? trackingUrl : null
