import type { IncomingHttpHeaders } from 'node:http'
import type { Static, TObject, TSchema } from 'typebox'
import type { ErrorCode } from '../core/errors.ts'

/** What a key may be allowed to do. */
export const scopes = [
  'products:read',
  'store:read',
  'cart:write',
  'wishlist:write',
  'auth:write',
  'customer:read',
  'customer:write',
  'checkout:write',
  'customers:assert',
] as const
export type Scope = (typeof scopes)[number]

/**
 * Who may call an endpoint. `public`: anyone, these are the routes at the root. All others need a store's key or an
 * internal token, and a scope: `store` nothing more; `sign-in` nothing more, and a bearer token is ignored; `shopper` a
 * guest or a customer; `customer` a bearer token; `asserted` the id of the customer, vouched for by a bearer token or by
 * the storefront's server.
 */
export type Access = 'public' | 'store' | 'sign-in' | 'shopper' | 'customer' | 'asserted'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** Response headers that the documentation explains, by name. */
export const responseHeaders = {
  'x-next-cursor': 'Pass it as `cursor` to get the next page; absent on the last one.',
  'x-has-more': '`true` when there is a next page.',
  link: 'The address of the next page, as `rel="next"`.',
  'x-guest-token': 'Keep it and send it back as `x-guest-token`: it is what makes the guest the same guest again.',
  'x-cart-id': "The id of the shopper's own cart.",
  location: 'Where to go on.',
  etag: 'Send it back as `If-None-Match` to get 304 when nothing has changed.',
} as const
export type ResponseHeader = keyof typeof responseHeaders

export type Endpoint = {
  method: Method
  path: string
  tag: string
  summary: string
  description?: string
  access: Access
  scope?: Scope
  params?: TObject
  query?: TObject
  body?: TSchema
  /** The answer to a call that went well; null when it has no JSON body. */
  ok: TSchema | null
  okStatus?: 200 | 201 | 204 | 302
  /** The other status that an answer may have, with the same body: 200 where 201 tells that something was created. */
  otherStatus?: 200
  /** Takes an `Idempotency-Key`: the same call again has no second effect. */
  once?: boolean
  /** False for a GET that changes something: a HEAD, which any link checker sends, must not. */
  head?: false
  /** When the answer is not JSON. */
  contentType?: string
  /** The status of input that fails its schema. */
  invalidInput?: 400 | 422
  /** Codes that this endpoint adds to those that follow from its access and its input. */
  errors?: readonly ErrorCode[]
  headers?: readonly ResponseHeader[]
  /** Answers are kept as ready bytes, by store, outlet and address, and carry an ETag. */
  cached?: boolean
  example?: unknown
}

/** An endpoint is declared once. Validation, types, response filtering, OpenAPI and the documentation come from it. */
export const endpoint = <const E extends Endpoint>(declaration: E): E => declaration

export type Contract = Record<string, Endpoint>

type StaticOr<S, Otherwise> = S extends TSchema ? Static<S> : Otherwise

export type Answer<Body> = {
  body: Body
  status?: 200 | 201
  headers?: Partial<Record<ResponseHeader | 'cache-control' | 'content-security-policy', string>>
}

export type Call<E extends Endpoint, Ctx> = {
  ctx: Ctx
  params: StaticOr<E['params'], Record<string, never>>
  query: StaticOr<E['query'], Record<string, never>>
  body: StaticOr<E['body'], undefined>
}

export type OkBody<E extends Endpoint> = StaticOr<E['ok'], null>

export type Handler<E extends Endpoint, Ctx> = (call: Call<E, Ctx>) => Promise<Answer<OkBody<E>>> | Answer<OkBody<E>>

export type Handlers<C extends Contract, CtxByAccess extends Record<Access, unknown>> = {
  [Name in keyof C]: Handler<C[Name], CtxByAccess[C[Name]['access']]>
}

/** On a route at the root nobody is known, and what was sent decides. */
export type PublicCaller = {
  cacheStore: number
  cacheScope: number
  remoteAddress: string
  /** Tells clients apart for limits (client-address.ts). */
  clientAddress: string
  headers: IncomingHttpHeaders
}

/** An endpoint with the function that answers it. */
export type Route = {
  endpoint: Endpoint
  handle: (call: Call<Endpoint, unknown>) => Promise<Answer<unknown>>
  /** For a public endpoint: finds out who calls, before anything of the request is read. Its result is the `ctx`. */
  identify?: (anyone: PublicCaller, params: Record<string, string>) => Promise<object>
}

/** Ties a contract to its handlers; the compiler refuses a missing, a surplus or a wrongly typed one. */
export const bindRoutes =
  <CtxByAccess extends Record<Access, unknown>>() =>
  <const C extends Contract>(contract: C, handlers: Handlers<C, CtxByAccess>): Route[] =>
    Object.entries(contract).map(([name, declared]) => ({
      endpoint: declared,
      handle: handlers[name] as unknown as Route['handle'],
    }))
