import Type, { type Static } from 'typebox'
import { named, nullable, oneOf } from '../../http/schema.ts'
import { exampleDelivery, exampleParcel } from './example-order.contract.ts'
import { Order } from './order.contract.ts'
import { OrderEventData } from './order-events.contract.ts'

const time = Type.String({ format: 'date-time' })

export const OrderNote = named(
  'OrderNote',
  Type.Object({
    id: Type.String(),
    text: Type.String(),
    authorKind: oneOf(['staff', 'token', 'command']),
    authorId: Type.String(),
    authorName: Type.String(),
    createdAt: time,
  }),
)
export type OrderNote = Static<typeof OrderNote>

/** A refund as the merchant sees it. */
export const AdminRefund = named(
  'AdminRefund',
  Type.Object({
    ...Order.properties.refunds.items.properties,
    id: nullable(Type.String({ description: 'Null if there was no money to return: the total was 0' })),
    detail: Type.String({ description: 'Why the provider refused it' }),
    reference: nullable(Type.String({ description: "The provider's id of the refund" })),
  }),
)

export const AdminShipment = named(
  'AdminShipment',
  Type.Object({
    ...Order.properties.shipments.items.properties,
    carrier: nullable(
      Type.String({ description: 'The carrier that it was booked with. Null: shipped in another way' }),
    ),
    labelUrl: Type.String(),
    pickupAt: nullable(Type.String()),
  }),
)

const PaymentAttempt = named(
  'PaymentAttempt',
  Type.Object({
    id: Type.String(),
    provider: Type.String(),
    status: Type.String({ description: '`starting`, `open`, `paid`, `failed`, `closed` or `refunded`' }),
    amount: Type.Number(),
    currency: Type.String(),
    reference: nullable(Type.String({ description: "The provider's id of the payment session" })),
    transaction: nullable(Type.String({ description: "The provider's id of the money" })),
    duplicate: Type.Boolean({ description: 'The order was paid twice, and this payment is refunded' }),
    createdAt: time,
    updatedAt: time,
  }),
)

const OrderDownload = named(
  'OrderDownload',
  Type.Object({
    id: Type.String(),
    itemId: Type.String(),
    name: Type.String(),
    used: Type.Integer(),
    maxUses: Type.Integer(),
    expiresAt: nullable(Type.String()),
    createdAt: time,
  }),
)

const SentMessage = named(
  'OrderMessage',
  Type.Object({
    id: Type.String(),
    name: Type.String({ description: 'Such as `order.paid`' }),
    recipient: nullable(Type.String()),
    state: oneOf(['waiting', 'sent', 'failed', 'skipped']),
    error: Type.String(),
    createdAt: time,
    finishedAt: nullable(Type.String()),
  }),
)

const IssuedInvoice = Type.Object({
  number: Type.String(),
  kind: oneOf(['invoice', 'credit_note']),
  refundId: nullable(Type.String()),
  issuedAt: time,
})

export const timelineKinds = ['event', 'message', 'note', 'change'] as const

/** An item with what has become of its units. */
const AdminOrderItem = named(
  'AdminOrderItem',
  Type.Object({
    ...Order.properties.items.items.properties,
    shipped: Type.Integer({ description: 'Units in shipments that were not cancelled' }),
    refunded: Type.Integer({ description: 'Units that were refunded or are being refunded' }),
    toShip: Type.Integer({ description: 'Units that are still to be shipped' }),
  }),
)

/** Everything about an order. */
export const AdminOrder = named(
  'AdminOrder',
  Type.Object({
    ...OrderEventData.properties,
    items: Type.Array(AdminOrderItem),
    shipments: Type.Array(AdminShipment),
    refunds: Type.Array(AdminRefund),
    payments: Type.Array(PaymentAttempt),
    downloads: Type.Array(OrderDownload),
    messages: Type.Array(SentMessage),
    notes: Type.Array(OrderNote),
    invoices: Type.Array(IssuedInvoice),
    timeline: Type.Array(
      Type.Object({
        at: Type.String(),
        kind: oneOf(timelineKinds, {
          description:
            '`event`: what happened to the order. `message`: mail to the customer. `note`, `change`: by staff, programs and commands',
        }),
        type: Type.String(),
        message: Type.String(),
        author: nullable(Type.String()),
      }),
    ),
  }),
)
export type AdminOrder = Static<typeof AdminOrder>

const customer = {
  id: 'cus_01k8x0v3m7q2w9c4t6y8ze',
  name: 'Asha Rao',
  email: 'asha@example.com',
  phone: '+919876543210',
}

export const exampleListedOrder = { ...exampleDelivery, needsAttention: null, customer }

export const exampleNote: OrderNote = {
  id: 'note_01k8x0v3m7q2w9c4t6y8zk',
  text: 'Asked for a call before delivery.',
  authorKind: 'staff',
  authorId: 'stf_1m7mj220q32w1b1vwkvc69',
  authorName: 'Meera Iyer',
  createdAt: '2026-11-16T09:00:00.000Z',
}

export const exampleShipment = { ...exampleParcel, carrier: null, labelUrl: '', pickupAt: null }

export const exampleAdminOrder: AdminOrder = {
  ...exampleListedOrder,
  items: exampleListedOrder.items.map((item) => ({ ...item, shipped: item.quantity, refunded: 0, toShip: 0 })),
  shipments: [exampleShipment],
  refunds: [],
  payments: [
    {
      id: 'pay_01k8x0v3m7q2w9c4t6y8zl',
      provider: 'razorpay',
      status: 'paid',
      amount: 988.2,
      currency: 'INR',
      reference: 'plink_Mz1',
      transaction: 'pay_Mz1',
      duplicate: false,
      createdAt: '2026-11-15T09:30:00.000Z',
      updatedAt: '2026-11-15T09:32:10.000Z',
    },
  ],
  downloads: [],
  messages: [
    {
      id: 'mail_01k8x0v3m7q2w9c4t6y8zm',
      name: 'order.paid',
      recipient: 'asha@example.com',
      state: 'sent',
      error: '',
      createdAt: '2026-11-15T09:32:10.000Z',
      finishedAt: '2026-11-15T09:32:11.000Z',
    },
  ],
  notes: [exampleNote],
  invoices: [],
  timeline: [
    ...exampleDelivery.timeline.map((entry) => ({ ...entry, kind: 'event' as const, author: null })),
    {
      at: exampleNote.createdAt,
      kind: 'note',
      type: 'note',
      message: exampleNote.text,
      author: exampleNote.authorName,
    },
  ],
}
