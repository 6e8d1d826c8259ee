import Type, { type Static } from 'typebox'
import { named } from '../../http/schema.ts'
import { adminEndpoint, storeParams } from '../access/admin.contract.ts'
import { AdminOrder, AdminShipment, exampleAdminOrder, exampleShipment } from '../orders/admin-order.contract.ts'
import { adminOrderParams, adminOrdersPath } from '../orders/orders.admin.contract.ts'
import { OrderItems } from '../payments/orders.admin.contract.ts'

const text = (maxLength: number, description: string) => Type.Optional(Type.String({ maxLength, description }))
const centimetres = Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 10_000, default: 10 }))

export const ShipmentBody = Type.Object({
  trackingNumber: text(100, 'By which the carrier reports. Empty if there is none'),
  partner: text(100, 'The name of the carrier, or of who else brings it. Needed without `carrier`'),
  trackingUrl: text(1000, 'A page for the customer'),
  estimatedDelivery: text(40, 'A day or a time'),
  carrier: text(40, 'Books the parcel with this account of the store, such as `shiprocket`'),
  courierId: text(15, "The carrier's id of a courier. By default the carrier chooses"),
  weightKg: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 10_000, description: 'Needed with `carrier`' })),
  lengthCm: centimetres,
  breadthCm: centimetres,
  heightCm: centimetres,
  items: Type.Optional(OrderItems),
})
export type ShipmentBody = Static<typeof ShipmentBody>

const tag = 'Orders'

const ShippingCarrier = named(
  'ShippingCarrier',
  Type.Object({
    name: Type.String({ description: 'The `carrier` of a parcel to book' }),
    label: Type.String({ description: 'What people call it' }),
  }),
)

const parcelPath = `${adminOrdersPath}/{id}/shipments/{shipmentId}` as const
const ofParcel = {
  method: 'POST',
  tag,
  access: 'store',
  permission: 'orders:fulfil',
  ok: AdminShipment,
  params: Type.Object({ ...adminOrderParams.properties, shipmentId: Type.String({ minLength: 1, maxLength: 64 }) }),
  errors: ['NOT_FOUND', 'CONFLICT'],
} as const

export const orderDeliveryAdminContract = {
  adminListShippingCarriers: adminEndpoint({
    ...{ method: 'GET', path: '/admin/v1/stores/{storeId}/shipping-carriers', tag, access: 'store' },
    ...{ permission: 'orders:fulfil', params: storeParams },
    summary: 'List the carriers that parcels can be booked with',
    description: 'Those whose account of the store is complete, and nothing else about the accounts.',
    ok: Type.Object({ data: Type.Array(ShippingCarrier) }),
    example: { data: [{ name: 'shiprocket', label: 'Shiprocket' }] },
  }),
  adminShipOrder: adminEndpoint({
    ...{ method: 'POST', path: `${adminOrdersPath}/{id}/shipments`, tag, access: 'store', permission: 'orders:fulfil' },
    params: adminOrderParams,
    summary: 'Ship an order or a part of it',
    description:
      'With `partner`, and `trackingNumber` if there is one, of a parcel that the store has handed over, or with `carrier` and `weightKg` to book one. Without `items`, all of the order, or all that is left of it.',
    once: true,
    body: ShipmentBody,
    ok: AdminShipment,
    okStatus: 201,
    errors: ['NOT_FOUND', 'CONFLICT', 'BAD_GATEWAY'],
    example: exampleShipment,
  }),
  adminLabelShipment: adminEndpoint({
    ...{ ...ofParcel, path: `${parcelPath}/label` },
    summary: 'Have the carrier make the label of a parcel',
    description: '`labelUrl` of the answer is the address of the PDF.',
    example: { ...exampleShipment, carrier: 'shiprocket', labelUrl: 'https://labels.example/BB123.pdf' },
  }),
  adminPickUpShipment: adminEndpoint({
    ...{ ...ofParcel, path: `${parcelPath}/pickup` },
    summary: 'Ask the courier to pick a parcel up',
    example: { ...exampleShipment, carrier: 'shiprocket', pickupAt: '2026-11-18T09:30:00.000Z' },
  }),
  adminCancelShipment: adminEndpoint({
    ...{ ...ofParcel, path: `${parcelPath}/cancel` },
    summary: 'Cancel a parcel that was booked with a carrier',
    description: 'As long as the courier has not taken it. Its units can be shipped again.',
    example: { ...exampleShipment, carrier: 'shiprocket', status: 'cancelled' },
  }),
  adminDeliverOrder: adminEndpoint({
    ...{ method: 'POST', path: `${adminOrdersPath}/{id}/deliver`, tag, access: 'store', permission: 'orders:fulfil' },
    params: adminOrderParams,
    summary: 'Mark an order as delivered',
    description: 'For parcels that no carrier reports. A cash order becomes paid.',
    once: true,
    ok: AdminOrder,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { ...exampleAdminOrder, status: 'delivered', deliveryStatus: 'delivered' },
  }),
}
