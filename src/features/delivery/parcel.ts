import { refuse } from '../../core/domain-errors.ts'
import type { Parcel, ParcelItem } from '../../providers/carrier/carrier.ts'
import type { Store } from '../context.ts'
import type { LockedOrder } from '../orders/orders.sql.ts'
import { isPaid } from '../orders/settle.ts'
import { isActive, unitsIn } from '../orders/shipment-units.ts'
import type { Shipment } from './delivery.sql.ts'

export type ParcelItems = readonly { id: string; quantity: number }[]
export type ParcelSize = Pick<Parcel, 'weightKg' | 'lengthCm' | 'breadthCm' | 'heightCm'>
type Contact = { email: string; phone: string }

/** Carriers send it back with their events, where a suffix may follow. */
export const referenceOf = (orderNumber: number, shipmentId: string) => `${orderNumber}-${shipmentId}`

export const readReference = (reference: string | null): string | null =>
  /(?:^|-)(ship_[0-9a-z]{22})(?![0-9a-z])/.exec(reference ?? '')?.[1] ?? null

/** A parcel as a carrier needs it. `others` are the other shipments of the order. */
export const makeParcel = ({
  order,
  shipmentId,
  items,
  others,
  size,
  contact,
  store,
}: {
  order: LockedOrder
  shipmentId: string
  items: ParcelItems
  others: readonly Shipment[]
  size: ParcelSize
  contact: Contact
  store: Pick<Store, 'contact'>
}): Parcel => {
  const { shippingAddress: to } = order
  if (to === null) throw refuse('NOTHING_TO_DELIVER', { order: String(order.number) })
  return {
    reference: referenceOf(order.number, shipmentId),
    orderedAt: order.createdAt,
    to: {
      name: to.name,
      phone: (to.phone || contact.phone).replaceAll(/[^\d+]/g, ''),
      email: contact.email || store.contact.email,
      line1: to.line1,
      line2: [to.line2, to.landmark].filter(Boolean).join(', '),
      city: to.city,
      state: to.state,
      postalCode: to.postalCode.replaceAll(/\s/g, ''),
      country: to.country,
    },
    currency: order.currency,
    isCash: order.paymentMethod === 'cod' && !isPaid(order),
    ...priceItems(order, items, others),
    ...size,
  }
}

/**
 * What the customer pays for the units in this parcel. Rounded so that the parcels of an order add up to its total: each
 * line is split at the units that were sent before, and the first parcel has the cost of delivery.
 */
const priceItems = (
  order: LockedOrder,
  items: ParcelItems,
  others: readonly Shipment[],
): { items: ParcelItem[]; valueMinor: number } => {
  const hasTaxOnTop = order.totalMinor !== order.subtotalMinor - order.discountMinor + order.shippingMinor
  const priced = items.map(({ id, quantity }) => {
    const line = order.lines.find((one) => one.id === id)
    if (line === undefined) throw new Error(`order ${order.id} has no line ${id}`)
    const paidMinor = line.lineTotalMinor - line.discountMinor + (hasTaxOnTop ? line.taxMinor : 0)
    const before = unitsIn(others, id)
    const upTo = (units: number) => Math.round((paidMinor * units) / line.quantity)
    return { line, quantity, shareMinor: upTo(before + quantity) - upTo(before) }
  })
  const isFirst = !others.some(isActive)
  return {
    items: priced.map(({ line, quantity, shareMinor }) => ({
      sku: line.sku || line.variantId,
      name: line.variant === '' ? line.name : `${line.name}, ${line.variant}`,
      quantity,
      unitMinor: Math.round(shareMinor / quantity),
    })),
    valueMinor: priced.reduce((sum, { shareMinor }) => sum + shareMinor, isFirst ? order.shippingMinor : 0),
  }
}
