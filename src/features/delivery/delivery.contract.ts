import Type, { type Static } from 'typebox'
import { nullable } from '../../http/schema.ts'
import { webhookEndpoint } from '../access/webhook.contract.ts'

const optional = (maxLength: number, description: string) =>
  Type.Optional(nullable(Type.String({ maxLength, description })))

export const CarrierEvent = Type.Object({
  eventId: Type.String({ minLength: 1, maxLength: 200, description: 'The same id again has no second effect' }),
  orderId: optional(100, 'Name the shipment by this, by `trackingNumber` or by `shipmentId`'),
  trackingNumber: optional(200, "The carrier's own number"),
  shipmentId: optional(100, 'As `shipments[].id` of the order'),
  status: Type.String({
    minLength: 1,
    maxLength: 100,
    description:
      '`in_transit` or `out_for_delivery`, and `delivered`, move the order. Any other is noted on the shipment',
  }),
  partner: optional(200, 'Who carries it'),
  estimatedDelivery: optional(40, 'ISO 8601: a time or a day'),
  deliveredAt: optional(40, 'ISO 8601'),
  trackingUrl: optional(2000, 'Where the shopper can follow it'),
  occurredAt: optional(40, 'ISO 8601. What is older than the last event of the shipment is kept and not applied'),
})
export type CarrierEvent = Static<typeof CarrierEvent>

export const deliveryContract = {
  receiveCarrierEvent: webhookEndpoint({
    method: 'POST',
    path: '/webhook/logistics/carrier',
    tag: 'Webhooks',
    access: 'provider',
    summary: 'Tell where a delivery is',
    description:
      'For the logistics provider. The header `x-api-key` holds the logistics key of the store, which names the store as well.',
    body: CarrierEvent,
    ok: Type.Object({
      received: Type.Boolean(),
      duplicate: Type.Boolean({ description: 'This event was here before' }),
    }),
    errors: ['NOT_FOUND'],
    example: { received: true, duplicate: false },
  }),
}
