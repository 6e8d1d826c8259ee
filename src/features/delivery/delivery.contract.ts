import Type, { type Static } from 'typebox'
import { nullable } from '../../http/schema.ts'
import { webhookEndpoint } from '../access/webhook.contract.ts'

const optional = (maxLength: number, description: string) =>
  Type.Optional(nullable(Type.String({ maxLength, description })))

export const CarrierEvent = Type.Object({
  eventId: Type.String({ minLength: 1, maxLength: 200, description: 'Unique id. A repeated id has no second effect' }),
  orderId: optional(100, 'One of `orderId`, `trackingNumber` and `shipmentId` is required'),
  trackingNumber: optional(200, "The carrier's tracking number"),
  shipmentId: optional(100, 'The `shipments[].id` of the order'),
  status: Type.String({
    minLength: 1,
    maxLength: 100,
    description:
      '`in_transit`, `out_for_delivery` and `delivered` change the status of the order. Any other text is stored on the shipment only',
  }),
  partner: optional(200, 'Name of the carrier'),
  estimatedDelivery: optional(40, 'ISO 8601 time or date'),
  deliveredAt: optional(40, 'ISO 8601'),
  trackingUrl: optional(2000, 'Page on which the shopper can track the shipment'),
  occurredAt: optional(40, 'ISO 8601. An event older than the last one of its shipment is stored but not applied'),
})
export type CarrierEvent = Static<typeof CarrierEvent>

export const deliveryContract = {
  receiveCarrierEvent: webhookEndpoint({
    method: 'POST',
    path: '/webhook/logistics/carrier',
    tag: 'Webhooks',
    access: 'provider',
    summary: 'Receive a delivery event',
    description:
      'Called by the logistics provider. The header `x-api-key` holds the logistics key of the store, which also identifies the store.',
    body: CarrierEvent,
    ok: Type.Object({
      received: Type.Boolean(),
      duplicate: Type.Boolean({ description: 'The event was received before and had no second effect' }),
    }),
    errors: ['NOT_FOUND'],
    example: { received: true, duplicate: false },
  }),
  receiveParcelEvent: webhookEndpoint({
    method: 'POST',
    path: '/webhook/logistics/parcel',
    tag: 'Webhooks',
    access: 'provider',
    summary: 'Receive a delivery event from Shiprocket',
    description:
      'Set this address in the panel of Shiprocket, with the logistics key of the store as the token, which Shiprocket sends as `x-api-key`. An event that matches no shipment is stored and answered with 200. An empty body is a test of the address.',
    body: Type.Object({}, { description: "An event in Shiprocket's own format" }),
    isBodyOptional: true,
    ok: Type.Object({
      received: Type.Boolean(),
      duplicate: Type.Boolean({ description: 'The event was received before and had no second effect' }),
    }),
    example: { received: true, duplicate: false },
  }),
}
