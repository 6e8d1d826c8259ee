import { answerList } from '../admin-list.ts'
import { adminRoutes } from '../context.ts'
import { countDeliveries, type DeliveryRow } from './deliveries.sql.ts'
import { listDeliveries, readDelivery, redeliver } from './deliveries.ts'
import type { EndpointRow } from './endpoints.sql.ts'
import {
  createEndpoint,
  deleteEndpoint,
  enableEndpoint,
  listEndpoints,
  rotateEndpointSecret,
  testEndpoint,
} from './endpoints.ts'
import { webhooksAdminContract } from './webhooks.admin.contract.ts'

export const webhookAdminRoutes = adminRoutes(webhooksAdminContract, {
  adminListWebhooks: async ({ ctx }) => ({
    body: { data: (await listEndpoints(ctx.db, ctx.store)).map(showEndpoint) },
  }),
  adminCreateWebhook: async ({ ctx, body }) => ({ body: await createEndpoint(ctx, body) }),
  adminDeleteWebhook: async ({ ctx, params }) => {
    await ctx.db.tx((tx) => deleteEndpoint(tx, ctx.store, params.endpointId, ctx.by))
    return { body: null }
  },
  adminRotateWebhook: async ({ ctx, params, body }) => {
    const rotated = await ctx.db.tx((tx) => rotateEndpointSecret(tx, ctx, params.endpointId, body ?? {}))
    return { body: { ...rotated, oldSecretUntil: rotated.oldSecretUntil?.toISOString() ?? null } }
  },
  adminEnableWebhook: async ({ ctx, params }) => ({
    body: showEndpoint(await ctx.db.tx((tx) => enableEndpoint(tx, ctx.store, params.endpointId, ctx.by))),
  }),
  adminTestWebhook: async ({ ctx, params }) => ({
    body: await ctx.db.tx((tx) => testEndpoint(tx, ctx.store, params.endpointId)),
  }),
  adminListDeliveries: ({ ctx, query }) => {
    const { db, store } = ctx
    const filter = { endpointId: query.endpointId ?? null, state: query.state ?? null, before: null }
    return answerList(ctx, 'webhook-deliveries', query, {
      read: (position, limit) =>
        listDeliveries(db, store, { ...filter, before: position === undefined ? null : String(position[0]), limit }),
      count: (limit) => countDeliveries(db, store.id, { ...filter, limit }),
      positionOf: ({ id }) => [id],
      show: showDelivery,
    })
  },
  adminRedeliver: async ({ ctx, params }) => {
    await redeliver(ctx.db, ctx.store, params.deliveryId, ctx.by)
    return { body: showDelivery(await readDelivery(ctx.db, ctx.store, params.deliveryId)) }
  },
})

const showEndpoint = ({ createdAt, failingSince, disabledAt, oldSecretUntil, pausedUntil, ...row }: EndpointRow) => ({
  ...row,
  createdAt: createdAt.toISOString(),
  failingSince: failingSince?.toISOString() ?? null,
  disabledAt: disabledAt?.toISOString() ?? null,
  oldSecretUntil: oldSecretUntil?.toISOString() ?? null,
  pausedUntil: pausedUntil?.toISOString() ?? null,
})

const showDelivery = ({ nextAt, createdAt, finishedAt, lastAttempt, ...row }: DeliveryRow) => ({
  ...row,
  nextAt: row.state === 'waiting' ? nextAt.toISOString() : null,
  createdAt: createdAt.toISOString(),
  finishedAt: finishedAt?.toISOString() ?? null,
  lastAttempt: lastAttempt && { ...lastAttempt, at: new Date(lastAttempt.at).toISOString() },
})
