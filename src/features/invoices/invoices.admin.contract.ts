import Type from 'typebox'
import { nullable, oneOf } from '../../http/schema.ts'
import { adminEndpoint, storeParams } from '../access/admin.contract.ts'
import { adminOrderParams, adminOrdersPath } from '../orders/orders.admin.contract.ts'

const Invoice = Type.Object({
  number: Type.String({ description: 'As it is printed' }),
  kind: oneOf(['invoice', 'credit_note']),
  refundId: nullable(Type.String()),
  issuedAt: Type.String({ format: 'date-time' }),
})

const exampleInvoice = {
  number: 'INV-26-27/142',
  kind: 'invoice',
  refundId: null,
  issuedAt: '2026-11-16T09:00:00.000Z',
} as const

const refundParams = Type.Object({
  ...adminOrderParams.properties,
  refundId: Type.String({ minLength: 1, maxLength: 64 }),
})

const issue = {
  method: 'POST',
  tag: 'Orders',
  access: 'store',
  permission: 'orders:support',
  orPermission: 'orders:fulfil',
  ok: Invoice,
  okStatus: 201,
  otherStatus: 200,
} as const

const page = {
  method: 'GET',
  tag: 'Orders',
  access: 'store',
  permission: 'orders:read',
  ok: Type.String(),
  contentType: 'text/html; charset=utf-8',
  errors: ['NOT_FOUND'],
} as const

const creditNotePath = `${adminOrdersPath}/{id}/refunds/{refundId}/credit-note`

export const invoicesAdminContract = {
  adminIssueInvoice: adminEndpoint({
    ...{ ...issue, path: `${adminOrdersPath}/{id}/invoice`, params: adminOrderParams },
    summary: 'Issue the invoice of an order',
    description:
      'It gets the next number of the store, and never changes. 200: it was issued before. Needs an order that is paid, or was placed with cash on delivery.',
    body: Type.Object({
      taxId: Type.Optional(Type.String({ maxLength: 40, description: "The buyer's number at the tax authority" })),
    }),
    isBodyOptional: true,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: exampleInvoice,
  }),
  adminGetInvoice: adminEndpoint({
    ...{ ...page, path: `${adminOrdersPath}/{id}/invoice`, params: adminOrderParams },
    summary: 'The invoice of an order as a page to print',
  }),
  adminIssueCreditNote: adminEndpoint({
    ...{ ...issue, path: creditNotePath, params: refundParams },
    summary: 'Issue the credit note of a refund',
    description: 'For a refund that has succeeded, of an order that has an invoice. 200: it was issued before.',
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { ...exampleInvoice, number: 'CN-26-27/7', kind: 'credit_note', refundId: 'ref_01k8x0v3m7q2w9c4t6y8zj' },
  }),
  adminGetCreditNote: adminEndpoint({
    ...{ ...page, path: creditNotePath, params: refundParams },
    summary: 'The credit note of a refund as a page to print',
  }),
  adminGetPackingSlip: adminEndpoint({
    ...{ ...page, path: `${adminOrdersPath}/{id}/packing-slip`, params: adminOrderParams },
    summary: 'What to pack for an order, as a page to print',
    description: 'Without parameters: all units that were not refunded.',
    query: Type.Object({
      shipmentId: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: 'Only the units of this shipment' }),
      ),
      left: Type.Optional(
        Type.Boolean({
          description: 'Only the units that are still to send: in no shipment, and not refunded. Not with `shipmentId`',
        }),
      ),
    }),
  }),
  adminGetPackingSlips: adminEndpoint({
    ...{ ...page, path: '/admin/v1/stores/{storeId}/packing-slips', params: storeParams },
    summary: 'What to pack for several orders, as one page to print',
    query: Type.Object({
      orders: Type.String({
        minLength: 1,
        maxLength: 5000,
        description: 'Ids or numbers of up to 100 orders, with commas',
      }),
    }),
  }),
}
