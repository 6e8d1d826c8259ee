import { hours } from '../../core/clock.ts'
import { refuse } from '../../core/domain-errors.ts'
import { readInstant } from '../../core/period.ts'
import { adminRoutes } from '../context.ts'
import { storeAccessContract } from './access.admin.contract.ts'
import {
  allowOriginBy,
  changeKeyBy,
  createKeyBy,
  listKeysOf,
  removeOriginBy,
  revokeKeyBy,
  rotateCredentialBy,
} from './audited.ts'
import { listOrigins } from './stores.ts'

export const storeAccessRoutes = adminRoutes(storeAccessContract, {
  adminListKeys: async ({ ctx }) => ({ body: { data: await listKeysOf(ctx.db, ctx.store) } }),
  adminCreateKey: async ({ ctx, body }) => {
    const { kind, name = '', scopes = null, rateLimit = null } = body
    const expiresAt = body.expiresAt === undefined ? null : readInstant('expiresAt', body.expiresAt)
    if (expiresAt !== null && expiresAt.getTime() <= ctx.clock.now()) throw refuse('EXPIRY_PAST', {})
    const request = { kind, name, scopes, rateLimit, expiresAt }
    const { id, key, ...made } = await ctx.db.tx((tx) => createKeyBy(tx, ctx.store, ctx.by, request))
    return { body: { id, key, scopes: [...made.scopes], rateLimit: made.rateLimit } }
  },
  adminUpdateKey: async ({ ctx, params, body }) => {
    const key = { keyId: params.keyId, storeId: ctx.store.id }
    return { body: await ctx.db.tx((tx) => changeKeyBy(tx, ctx.by, key, body)) }
  },
  adminRevokeKey: async ({ ctx, params }) => {
    await ctx.db.tx((tx) => revokeKeyBy(tx, ctx.by, { keyId: params.keyId, storeId: ctx.store.id }))
    return { body: null }
  },
  adminListOrigins: async ({ ctx }) => ({ body: { data: await listOrigins(ctx.db, ctx.store) } }),
  adminAddOrigin: async ({ ctx, body }) => ({
    body: { data: await ctx.db.tx((tx) => allowOriginBy(tx, ctx.store, ctx.by, body.origin)) },
  }),
  adminRemoveOrigin: async ({ ctx, params }) => {
    await ctx.db.tx((tx) => removeOriginBy(tx, ctx.store, ctx.by, params.origin))
    return { body: null }
  },
  adminRotateCredential: async ({ ctx, params, body }) => {
    const rotation = { kind: params.kind, overlapMs: hours(body.overlapHours ?? 24) }
    const { oldValidUntil, ...made } = await ctx.db.tx((tx) => rotateCredentialBy(tx, ctx.store, ctx.by, rotation))
    return { body: { ...made, oldValidUntil: oldValidUntil?.toISOString() ?? null } }
  },
})
