import { toWire } from '../../core/money.ts'
import { showImage, showSizes } from '../catalog/show-image.ts'
import type { StoreCtx } from '../context.ts'
import type { Order } from './order.contract.ts'
import type { FullOrderRow } from './orders.sql.ts'

/** An order as its customer sees it. */
export const showOrder = (ctx: Pick<StoreCtx, 'store' | 'publicUrl'>, order: FullOrderRow): Order => {
  const wire = (minor: number) => toWire(minor, order.currency)
  return {
    id: order.id,
    number: String(order.number),
    status: order.status,
    paymentStatus: order.paymentStatus,
    paymentMethod: order.paymentMethod,
    deliveryStatus: order.deliveryStatus,
    deliveryPartner: order.deliveryPartner,
    estimatedDelivery: order.estimatedDelivery?.toISOString() ?? null,
    deliveredAt: order.deliveredAt?.toISOString() ?? null,
    trackingUrl: order.trackingUrl,
    shipments: order.shipments.map((shipment) => ({
      ...shipment,
      estimatedDelivery: isoTime(shipment.estimatedDelivery),
      deliveredAt: isoTime(shipment.deliveredAt),
      updatedAt: new Date(shipment.updatedAt).toISOString(),
    })),
    items: order.lines.map((line) => ({
      id: line.id,
      productId: line.productId,
      variantId: line.variantId,
      name: line.name,
      variant: line.variant,
      image: showImage(ctx, line.image),
      ...showSizes(ctx, line.image),
      sku: line.sku,
      quantity: line.quantity,
      price: wire(line.unitMinor),
      lineTotal: wire(line.lineTotalMinor),
      discount: wire(line.discountMinor),
      tax: wire(line.taxMinor),
      digital: line.digital !== null,
    })),
    subtotal: wire(order.subtotalMinor),
    discount: wire(order.discountMinor),
    shipping: wire(order.shippingMinor),
    tax: wire(order.taxMinor),
    total: wire(order.totalMinor),
    currency: order.currency,
    couponCode: order.couponCode,
    payment: order.payment,
    refundedTotal: wire(sumRefunds(order.refunds)),
    refunds: order.refunds.map(({ amountMinor, createdAt, ...refund }) => ({
      ...refund,
      amount: wire(amountMinor),
      createdAt: new Date(createdAt).toISOString(),
    })),
    storefrontUrl: order.storefrontUrl,
    shippingAddress: order.shippingAddress,
    billingAddress: order.billingAddress,
    note: order.note,
    outletId: ctx.store.outlets.find(({ id }) => id === order.outletId)?.publicId ?? '',
    timeline: order.timeline.map(({ at, type, message }) => ({ at: new Date(at).toISOString(), type, message })),
    createdAt: order.createdAt.toISOString(),
    updatedAt: order.updatedAt.toISOString(),
    expiresAt: order.expiresAt?.toISOString() ?? null,
  }
}

const isoTime = (time: string | null) => (time === null ? null : new Date(time).toISOString())

/** A failed refund has returned nothing, and one of a duplicate payment nothing of the order's total. */
const sumRefunds = (refunds: FullOrderRow['refunds']) =>
  refunds
    .filter(({ status, isOfDuplicate }) => status !== 'failed' && !isOfDuplicate)
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0)
