import Type from 'typebox'
import { countedPage, named, nullable, oneOf, pageCursor, pageLimit } from '../../http/schema.ts'
import { adminEndpoint, storeParams } from '../access/admin.contract.ts'

const CarrierAccountInfo = named(
  'CarrierAccount',
  Type.Object({
    carrier: Type.String(),
    complete: Type.Boolean({ description: 'All needed credentials are there' }),
    credentials: Type.Array(
      Type.Object({
        name: Type.String(),
        optional: Type.Boolean(),
        set: Type.Boolean({ description: 'There is a value, which is never shown' }),
      }),
    ),
  }),
)

const InboxEvent = named(
  'InboxEvent',
  Type.Object({
    id: Type.Integer(),
    kind: oneOf(['payment', 'delivery']),
    source: Type.String({ description: 'The payment provider or the carrier' }),
    eventId: Type.String(),
    orderId: nullable(Type.String()),
    outcome: Type.String(),
    detail: Type.String(),
    receivedAt: Type.String({ format: 'date-time' }),
    body: Type.Unsafe<unknown>({ description: 'As it was received' }),
  }),
)

const exampleAccount = {
  carrier: 'shiprocket',
  complete: true,
  credentials: [{ name: 'email', optional: false, set: true }],
}

const exampleEvent = {
  id: 1042,
  kind: 'payment',
  source: 'razorpay',
  eventId: 'evt_Mz1',
  orderId: 'ord_1m7mj220q32w1b1vwkvc69',
  outcome: 'applied',
  detail: '',
  receivedAt: '2026-11-17T09:30:00.000Z',
  body: { event: 'payment.captured' },
}

/** Of payments, and then of deliveries. */
const outcomes = [
  ...['applied', 'ignored', 'no_effect', 'duplicate_payment', 'mismatch', 'unknown_order', 'malformed'],
  ...['stale', 'after_delivery', 'unmatched'],
] as const

const path = '/admin/v1/stores/{storeId}'
const carrierParams = Type.Object({ ...storeParams.properties, carrier: Type.String({ minLength: 1, maxLength: 40 }) })

export const carriersAdminContract = {
  adminListCarriers: adminEndpoint({
    ...{ method: 'GET', path: `${path}/carriers`, params: storeParams },
    ...{ tag: 'Delivery', access: 'store', permission: 'settings:read' },
    summary: 'List the carriers and the accounts of the store',
    ok: Type.Object({ data: Type.Array(CarrierAccountInfo) }),
    example: { data: [exampleAccount] },
  }),
  adminUpdateCarrier: adminEndpoint({
    ...{ method: 'PATCH', path: `${path}/carriers/{carrier}`, params: carrierParams },
    ...{ tag: 'Delivery', access: 'store', permission: 'secrets:write' },
    summary: 'Set credentials of a carrier account',
    description:
      'They are tried with a harmless call first, unless `check` is false, and stored encrypted. They are never shown.',
    body: Type.Object({
      credentials: Type.Record(Type.String({ maxLength: 60 }), Type.String({ maxLength: 10_000 })),
      check: Type.Optional(Type.Boolean({ default: true })),
    }),
    ok: Type.Object({
      account: CarrierAccountInfo,
      answer: nullable(Type.String({ description: 'What the carrier said. Null: no call was made' })),
    }),
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { account: exampleAccount, answer: 'The credentials are accepted.' },
  }),
  adminListInbox: adminEndpoint({
    ...{ method: 'GET', path: `${path}/inbox`, params: storeParams },
    ...{ tag: 'Inbox', access: 'store', permission: 'orders:read' },
    summary: 'List events of payment providers and carriers, newest first',
    query: Type.Object({
      kind: Type.Optional(oneOf(['payment', 'delivery'], { description: 'Only these. Otherwise both' })),
      outcome: Type.Optional(oneOf(outcomes)),
      orderId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      limit: pageLimit,
      cursor: pageCursor,
    }),
    ok: countedPage(InboxEvent),
    example: { data: [exampleEvent], nextCursor: null, hasMore: false, total: 1, totalIsExact: true },
  }),
  adminReplayEvent: adminEndpoint({
    ...{ method: 'POST', path: `${path}/inbox/{eventNumber}/replay` },
    ...{ tag: 'Inbox', access: 'store', permission: 'orders:write' },
    params: Type.Object({
      ...storeParams.properties,
      eventNumber: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    }),
    summary: 'Apply an event again',
    description: 'Effects that it already had are not repeated.',
    ok: InboxEvent,
    errors: ['NOT_FOUND'],
    example: exampleEvent,
  }),
}
