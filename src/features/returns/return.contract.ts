import Type, { type Static } from 'typebox'
import { named, nullable, oneOf } from '../../http/schema.ts'

export const returnStatuses = ['requested', 'approved', 'rejected', 'received', 'refunded'] as const
export type ReturnStatus = (typeof returnStatuses)[number]

const time = Type.String({ format: 'date-time' })

/** A return as its customer sees it. */
export const Return = named(
  'Return',
  Type.Object({
    id: Type.String(),
    orderId: Type.String(),
    orderNumber: Type.String(),
    status: oneOf(returnStatuses),
    items: Type.Array(
      Type.Object({ id: Type.String({ description: 'The item of the order' }), quantity: Type.Integer() }),
    ),
    reason: Type.String(),
    answer: Type.String({ description: 'What the store has written to the customer' }),
    refundId: nullable(Type.String()),
    createdAt: time,
    updatedAt: time,
  }),
)

export const AdminReturn = named(
  'AdminReturn',
  Type.Object({
    ...Return.properties,
    byCustomer: Type.Boolean({ description: 'Asked for by the customer, not by the store' }),
    restocked: nullable(
      Type.Boolean({ description: 'Whether the units went back to stock; null before they arrived' }),
    ),
    refund: Type.Union([
      Type.Object({ id: Type.String(), amount: Type.Number(), status: oneOf(['pending', 'succeeded', 'failed']) }),
      Type.Null(),
    ]),
  }),
)
export type AdminReturn = Static<typeof AdminReturn>

/** Of a new return. */
export const ReturnItems = Type.Array(
  Type.Object({
    id: Type.String({ minLength: 1, maxLength: 100, description: 'The id of an item of the order' }),
    quantity: Type.Integer({ minimum: 1, maximum: 999 }),
  }),
  { minItems: 1, maxItems: 500 },
)
export const reasonText = Type.Optional(Type.String({ maxLength: 1000 }))

export const exampleReturn = {
  ...{ id: 'ret_01k8x0v3m7q2w9c4t6y8zr', orderId: 'ord_01k8x0v3m7q2w9c4t6y8zf', orderNumber: '1001' },
  ...{
    status: 'requested',
    items: [{ id: 'item_01k8x0v3m7q2w9c4t6y8zb', quantity: 1 }],
    reason: 'The glaze is chipped.',
  },
  ...{ answer: '', refundId: null, createdAt: '2026-11-19T10:00:00.000Z', updatedAt: '2026-11-19T10:00:00.000Z' },
} as const
