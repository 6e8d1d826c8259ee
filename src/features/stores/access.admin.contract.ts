import Type from 'typebox'
import { named, nullable, oneOf } from '../../http/schema.ts'
import { adminEndpoint, storeParams } from '../access/admin.contract.ts'
import { scopes } from '../access/storefront.contract.ts'

const time = Type.String({ format: 'date-time' })

const StoreKey = named(
  'StoreKey',
  Type.Object({
    id: Type.String(),
    name: Type.String(),
    kind: Type.String({ description: '`server` or `browser`' }),
    scopes: Type.Array(Type.String()),
    rateLimit: Type.Integer({ description: 'Requests per minute' }),
    expiresAt: nullable(time),
    revokedAt: nullable(time),
    createdAt: time,
  }),
)

const exampleKey = {
  id: 'key_1m7mj220q32w1b1vwkvc69',
  name: 'Till',
  kind: 'server',
  scopes: ['products:read'],
  rateLimit: 600,
  expiresAt: null,
  revokedAt: null,
  createdAt: '2026-11-17T09:30:00.000Z',
}

const rateLimit = Type.Integer({ minimum: 1, maximum: 1_000_000_000 })
const scopeList = Type.Array(oneOf(scopes), { minItems: 1, maxItems: 50 })
const name = Type.String({ maxLength: 100 })
const path = '/admin/v1/stores/{storeId}'
const secrets = { access: 'store', permission: 'secrets:write' } as const
const settings = { access: 'store', permission: 'settings:write' } as const
const keyParams = Type.Object({ ...storeParams.properties, keyId: Type.String({ minLength: 1, maxLength: 64 }) })
const Origins = Type.Object({ data: Type.Array(Type.String()) })
const exampleOrigins = { data: ['https://bluedoor.example'] }
const originText = Type.String({ minLength: 1, maxLength: 300 })

export const storeAccessContract = {
  adminListKeys: adminEndpoint({
    ...{ method: 'GET', path: `${path}/keys`, tag: 'Keys', params: storeParams },
    ...{ access: 'store', permission: 'settings:read' },
    summary: 'List the keys of the store, without their secrets',
    ok: Type.Object({ data: Type.Array(StoreKey) }),
    example: { data: [exampleKey] },
  }),
  adminCreateKey: adminEndpoint({
    ...{ ...secrets, method: 'POST', path: `${path}/keys`, tag: 'Keys', params: storeParams },
    summary: 'Create a key',
    description: 'The key is shown only once.',
    body: Type.Object({
      kind: oneOf(['server', 'browser']),
      name: Type.Optional(name),
      scopes: Type.Optional(scopeList),
      rateLimit: Type.Optional(rateLimit),
      expiresAt: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601, such as 2027-01-31T00:00:00Z' })),
    }),
    ok: Type.Object({
      id: Type.String(),
      key: Type.String(),
      scopes: Type.Array(Type.String()),
      rateLimit: nullable(Type.Integer()),
    }),
    okStatus: 201,
    example: {
      ...{ id: exampleKey.id, key: 'vsk_0123456789abcdefghjkmnpqrstvwxyz', scopes: exampleKey.scopes },
      rateLimit: 600,
    },
  }),
  adminUpdateKey: adminEndpoint({
    ...{ ...secrets, method: 'PATCH', path: `${path}/keys/{keyId}`, tag: 'Keys', params: keyParams },
    summary: 'Change the name, the scopes or the rate limit of a key',
    body: Type.Object({
      name: Type.Optional(name),
      scopes: Type.Optional(scopeList),
      rateLimit: Type.Optional(rateLimit),
    }),
    ok: StoreKey,
    errors: ['NOT_FOUND'],
    example: exampleKey,
  }),
  adminRevokeKey: adminEndpoint({
    ...{ ...secrets, method: 'DELETE', path: `${path}/keys/{keyId}`, tag: 'Keys', params: keyParams },
    summary: 'Revoke a key',
    ok: null,
    okStatus: 204,
    errors: ['NOT_FOUND'],
  }),
  adminListOrigins: adminEndpoint({
    ...{ method: 'GET', path: `${path}/origins`, tag: 'Settings', params: storeParams },
    ...{ access: 'store', permission: 'settings:read' },
    summary: 'List the origins that may call the store from a browser',
    ok: Origins,
    example: exampleOrigins,
  }),
  adminAddOrigin: adminEndpoint({
    ...{ ...settings, method: 'POST', path: `${path}/origins`, tag: 'Settings', params: storeParams },
    summary: 'Allow an origin',
    body: Type.Object({ origin: originText }),
    ok: Origins,
    okStatus: 201,
    example: exampleOrigins,
  }),
  adminRemoveOrigin: adminEndpoint({
    ...{ ...settings, method: 'DELETE', path: `${path}/origins/{origin}`, tag: 'Settings' },
    params: Type.Object({ ...storeParams.properties, origin: originText }),
    summary: 'No longer allow an origin',
    description: 'Percent-encoded, such as `https%3A%2F%2Fbluedoor.example`.',
    ok: null,
    okStatus: 204,
    errors: ['NOT_FOUND'],
  }),
  adminRotateCredential: adminEndpoint({
    ...{ ...secrets, method: 'POST', path: `${path}/webhook-credentials/{kind}/rotate`, tag: 'Keys' },
    params: Type.Object({ ...storeParams.properties, kind: oneOf(['payment', 'logistics']) }),
    summary: 'Replace the credentials of the webhooks of a payment provider or a carrier',
    description: 'They are shown only once. The old ones stay valid for `overlapHours`.',
    body: Type.Object({ overlapHours: Type.Optional(Type.Integer({ minimum: 0, maximum: 720, default: 24 })) }),
    ok: Type.Object({
      username: Type.Optional(Type.String()),
      password: Type.Optional(Type.String()),
      key: Type.Optional(Type.String()),
      oldValidUntil: nullable(time),
    }),
    example: { username: 'pay_k3j9xp2m4qw8', password: 'r5tz6y1v…', oldValidUntil: '2026-11-18T09:30:00.000Z' },
  }),
}
