import { type EndpointShape, endpointOf, type Family, type ResponseHeader } from '../../http/endpoint.ts'

/** The permissions of a key. */
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
 * Who may call a storefront endpoint. `public`: anyone. All others need a store key or an internal token, and a scope.
 * `store` needs nothing more; `sign-in` needs nothing more and ignores a bearer token; `shopper` needs a guest or a
 * customer; `customer` a bearer token; `asserted` the id of a customer, proved by a bearer token or asserted by the
 * storefront's server.
 */
export type Access = 'public' | 'store' | 'sign-in' | 'shopper' | 'customer' | 'asserted'

const storefrontHeaders = {
  'x-guest-token': 'Store it and send it as `x-guest-token` with later requests: it identifies the guest.',
  'x-cart-id': "The id of the shopper's own cart.",
} as const

/**
 * `lateSession`: a session that is known to the instance is checked in one packet with the first read or transaction of the
 * use case (decision 0064). Only for use cases that change nothing before that.
 */
export type StorefrontRights = { lateSession?: true } & (
  | { access: 'public' }
  | { access: Exclude<Access, 'public'>; scope: Scope }
) & {
    headers?: readonly (ResponseHeader | keyof typeof storefrontHeaders)[]
  }
export type StorefrontEndpoint = EndpointShape & {
  family: Family<'storefront'>
  access: Access
  scope?: Scope
  lateSession?: true
}

const text = { schema: { type: 'string' } }
const whole = { schema: { type: 'integer' } }

const securitySchemes = {
  storeKey: { type: 'apiKey', in: 'header', name: 'X-Store-Key', description: 'Store key' },
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The same key in another header' },
  internalToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Internal-Storefront-Token',
    description:
      'For servers that share a secret with this one: base64url of `{"storeId","exp"}`, a dot, and base64url of its HMAC-SHA256',
  },
  session: {
    type: 'http',
    scheme: 'bearer',
    description: 'Session token from sign-in; valid for seven days or until logout',
  },
}

const parameters = {
  outlet: {
    name: 'X-Outlet-Id',
    in: 'header',
    ...text,
    description: 'An outlet of the store. Default: the default outlet',
  },
  guestToken: {
    ...{ name: 'x-guest-token', in: 'header', ...text },
    description: 'Guest token from an earlier response. Without it the caller becomes a new guest',
  },
  customerId: {
    ...{ name: 'x-customer-id', in: 'header', ...text },
    description:
      "The customer, asserted by the storefront's own server: accepted with a bearer token of that customer, or with a key that has the scope `customers:assert` in requests without `Origin`",
  },
  namedCustomer: {
    ...{ name: 'x-customer-id', in: 'header', required: true, ...text },
    description:
      'The authenticated customer, proved by the bearer token or asserted with a key that has the scope `customers:assert`',
  },
}

const rateHeaders = {
  'ratelimit-limit': { ...whole, description: 'Requests per minute allowed for this key' },
  'ratelimit-remaining': { ...whole, description: 'Requests left in this minute' },
  'ratelimit-reset': { ...whole, description: 'Seconds until the next minute begins' },
}

const headers = {
  ...rateHeaders,
  'www-authenticate': {
    ...text,
    description: '`Bearer` when the session is missing or invalid; absent when the store key is invalid',
  },
  ...Object.fromEntries(
    Object.entries(storefrontHeaders).map(([name, description]) => [name, { ...text, description }]),
  ),
}

const securityOf = (access: Exclude<Access, 'public'>) => {
  const callers = [{ storeKey: [] }, { apiKey: [] }, { internalToken: [] }]
  const signedIn = callers.map((caller) => ({ ...caller, session: [] }))
  if (access === 'customer') return signedIn
  return access === 'sign-in' ? callers : [...callers, ...signedIn]
}

/** The shop API: `/v1`, and the pages that browsers return to after a payment. */
export const storefront: Family<'storefront'> = {
  name: 'storefront',
  securitySchemes,
  parameters,
  headers,
  describe: ({ access, scope }: StorefrontEndpoint) => {
    if (access === 'public') return { security: [], parameters: [], headers: [], codes: [] }
    return {
      note: `Needs the scope \`${scope}\`.`,
      security: securityOf(access),
      parameters: [
        'outlet',
        ...(access === 'shopper' ? ['guestToken', 'customerId'] : []),
        ...(access === 'asserted' ? ['namedCustomer'] : []),
      ],
      headers: [...Object.keys(rateHeaders), ...(access === 'shopper' ? ['x-guest-token'] : [])],
      codes: ['UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE', 'INTERNAL'],
    }
  },
}

export const endpoint = endpointOf<StorefrontRights>()(storefront)

/** CORS: what pages of a store's allowed origins may send and read. */
export const crossOrigin = {
  prefix: '/v1',
  methods: 'GET, HEAD, POST, PATCH, DELETE',
  requestHeaders: [
    'authorization',
    'content-type',
    'idempotency-key',
    'if-none-match',
    'x-api-key',
    'x-customer-id',
    'x-guest-token',
    'x-outlet-id',
    'x-request-id',
    'x-store-key',
  ].join(', '),
  responseHeaders: [
    'etag',
    'link',
    ...Object.keys(rateHeaders),
    'retry-after',
    'www-authenticate',
    'x-cart-id',
    'x-guest-token',
    'x-has-more',
    'x-next-cursor',
    'x-request-id',
  ].join(', '),
}
