import Type from 'typebox'
import { countedPage, named, nullable, oneOf, pageCursor, pageLimit } from '../../http/schema.ts'
import { adminEndpoint, storeParams } from '../access/admin.contract.ts'

const time = Type.String({ format: 'date-time' })
const idText = Type.String({ minLength: 1, maxLength: 100 })

const WebhookEndpoint = named(
  'WebhookEndpoint',
  Type.Object({
    id: Type.String(),
    url: Type.String(),
    types: Type.Array(Type.String()),
    createdAt: time,
    failingSince: nullable(time),
    disabledAt: nullable(time),
    disabledReason: nullable(Type.String({ description: '`gone`, `failing` or `merchant`' })),
    oldSecretUntil: nullable(time),
    pausedUntil: nullable(time),
  }),
)

const exampleEndpoint = {
  id: 'whk_1m7mj220q32w1b1vwkvc69',
  url: 'https://erp.example/hooks',
  types: ['order.*', 'stock.low'],
  createdAt: '2026-11-17T09:30:00.000Z',
  failingSince: null,
  disabledAt: null,
  disabledReason: null,
  oldSecretUntil: null,
  pausedUntil: null,
}

const WebhookDelivery = named(
  'WebhookDelivery',
  Type.Object({
    id: Type.String(),
    endpointId: Type.String(),
    eventId: Type.String(),
    type: nullable(Type.String({ description: 'Null if the event was deleted' })),
    state: oneOf(['waiting', 'delivered', 'failed']),
    attempts: Type.Integer(),
    nextAt: nullable(time),
    createdAt: time,
    finishedAt: nullable(time),
    lastAttempt: Type.Union([
      Type.Object({
        at: time,
        status: nullable(Type.Integer({ description: 'Null if there was no answer' })),
        durationMs: Type.Integer(),
        error: Type.String({ description: 'Empty if it succeeded' }),
        answer: Type.String({ description: 'The first kilobyte of the answer' }),
      }),
      Type.Null(),
    ]),
  }),
)

const exampleDelivery = {
  id: 'dlv_1m7mj220q32w1b1vwkvc69_1m7mj220q32w1b1vwkvc69',
  endpointId: exampleEndpoint.id,
  eventId: 'evt_1m7mj220q32w1b1vwkvc69',
  type: 'order.paid',
  state: 'delivered',
  attempts: 1,
  nextAt: null,
  createdAt: '2026-11-17T09:30:00.000Z',
  finishedAt: '2026-11-17T09:30:00.200Z',
  lastAttempt: { at: '2026-11-17T09:30:00.200Z', status: 200, durationMs: 180, error: '', answer: 'ok' },
}

const path = '/admin/v1/stores/{storeId}'
const tag = 'Webhooks'
const reads = { tag, access: 'store', permission: 'settings:read' } as const
const writes = { tag, access: 'store', permission: 'webhooks:write' } as const
const endpointParams = Type.Object({ ...storeParams.properties, endpointId: idText })
const deliveryParams = Type.Object({ ...storeParams.properties, deliveryId: idText })

export const webhooksAdminContract = {
  adminListWebhooks: adminEndpoint({
    ...{ ...reads, method: 'GET', path: `${path}/webhooks`, params: storeParams },
    summary: 'List the endpoints that receive events of the store',
    ok: Type.Object({ data: Type.Array(WebhookEndpoint) }),
    example: { data: [exampleEndpoint] },
  }),
  adminCreateWebhook: adminEndpoint({
    ...{ ...writes, method: 'POST', path: `${path}/webhooks`, params: storeParams },
    summary: 'Create an endpoint',
    description: 'The secret is shown only once.',
    body: Type.Object({
      url: Type.String({ minLength: 1, maxLength: 2000 }),
      types: Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: 50 }),
    }),
    ok: Type.Object({ id: Type.String(), secret: Type.String() }),
    okStatus: 201,
    errors: ['CONFLICT'],
    example: { id: exampleEndpoint.id, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
  }),
  adminDeleteWebhook: adminEndpoint({
    ...{ ...writes, method: 'DELETE', path: `${path}/webhooks/{endpointId}`, params: endpointParams },
    summary: 'Delete an endpoint',
    description: 'What waits for it is not sent.',
    ok: null,
    okStatus: 204,
    errors: ['NOT_FOUND'],
  }),
  adminRotateWebhook: adminEndpoint({
    ...{ ...writes, method: 'POST', path: `${path}/webhooks/{endpointId}/rotate`, params: endpointParams },
    summary: 'Replace the secret of an endpoint',
    description: 'Requests are signed with both secrets until `oldSecretUntil`. Refused until then, unless `force`.',
    body: Type.Object({ force: Type.Optional(Type.Boolean()) }),
    isBodyOptional: true,
    ok: Type.Object({ id: Type.String(), secret: Type.String(), oldSecretUntil: nullable(time) }),
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: {
      id: exampleEndpoint.id,
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      oldSecretUntil: '2026-11-18T09:30:00.000Z',
    },
  }),
  adminEnableWebhook: adminEndpoint({
    ...{ ...writes, method: 'POST', path: `${path}/webhooks/{endpointId}/enable`, params: endpointParams },
    summary: 'Switch an endpoint on again',
    ok: WebhookEndpoint,
    errors: ['NOT_FOUND'],
    example: exampleEndpoint,
  }),
  adminTestWebhook: adminEndpoint({
    ...{ ...writes, method: 'POST', path: `${path}/webhooks/{endpointId}/test`, params: endpointParams },
    summary: 'Send a test event to an endpoint',
    description: 'The delivery shows the result, within a second as a rule.',
    ok: Type.Object({ deliveryId: Type.String() }),
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { deliveryId: exampleDelivery.id },
  }),
  adminListDeliveries: adminEndpoint({
    ...{ ...reads, method: 'GET', path: `${path}/webhook-deliveries`, params: storeParams },
    summary: 'List deliveries, newest first',
    query: Type.Object({
      endpointId: Type.Optional(idText),
      state: Type.Optional(oneOf(['waiting', 'delivered', 'failed'])),
      limit: pageLimit,
      cursor: pageCursor,
    }),
    ok: countedPage(WebhookDelivery),
    example: { data: [exampleDelivery], nextCursor: null, hasMore: false, total: 1, totalIsExact: true },
  }),
  adminRedeliver: adminEndpoint({
    ...{ ...writes, method: 'POST', path: `${path}/webhook-deliveries/{deliveryId}/redeliver`, params: deliveryParams },
    summary: 'Send an event again',
    ok: WebhookDelivery,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: exampleDelivery,
  }),
}
