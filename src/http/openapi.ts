import type { TObject, TSchema } from 'typebox'
import { type ErrorCode, errorCatalogue } from '../core/errors.ts'
import { type Contract, type Endpoint, responseHeaders } from './endpoint.ts'
import { ErrorBody, nameOf } from './schema.ts'

type Json = Record<string, unknown>

export type OpenApiOptions = { title: string; version: string; description: string; tags: Record<string, string> }

/** The OpenAPI 3.1 document of a list of contracts. Nothing in it is written by hand a second time. */
export const describeApi = (contracts: readonly Contract[], options: OpenApiOptions): Json => {
  const schemas: Json = {}
  const paths: Record<string, Json> = {}
  for (const contract of contracts) {
    for (const [operationId, endpoint] of Object.entries(contract)) {
      const operation = describeOperation(operationId, endpoint, schemas)
      paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operation }
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: options.title,
      version: options.version,
      description: options.description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This service' }],
    tags: Object.entries(options.tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas,
      securitySchemes,
      headers: sharedHeaders,
      parameters: sharedParameters,
      responses: errorResponses(contracts, schemas),
    },
  }
}

const securitySchemes = {
  storeKey: { type: 'apiKey', in: 'header', name: 'X-Store-Key', description: 'The key of a store' },
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The same key under its other name' },
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
    description: 'The token of a customer, from signing in; it lasts seven days or until logout',
  },
  metricsToken: { type: 'http', scheme: 'bearer', description: 'The token that the operator has set' },
}

const text = { schema: { type: 'string' } }
const whole = { schema: { type: 'integer' } }

const sharedHeaders = {
  'x-request-id': { ...text, description: 'Names this request in the logs; send your own to choose it' },
  'ratelimit-limit': { ...whole, description: 'Requests a minute that this key may make' },
  'ratelimit-remaining': { ...whole, description: 'How many are left in this minute' },
  'ratelimit-reset': { ...whole, description: 'Seconds until the next minute begins' },
  'retry-after': { ...whole, description: 'Seconds to wait before trying again' },
  'www-authenticate': {
    ...text,
    description: '`Bearer` when it is the session that is missing or over; left out when it is the key of the store',
  },
  ...Object.fromEntries(Object.entries(responseHeaders).map(([name, description]) => [name, { ...text, description }])),
}

const sharedParameters = {
  outlet: { name: 'X-Outlet-Id', in: 'header', ...text, description: 'An outlet of the store; its default otherwise' },
  guestToken: {
    ...{ name: 'x-guest-token', in: 'header', ...text },
    description: 'The token of a guest, from the answer to an earlier call. Without one the caller becomes a new guest',
  },
  customerId: {
    ...{ name: 'x-customer-id', in: 'header', ...text },
    description:
      "The customer, named by the storefront's own server: counts beside a bearer token of that customer, or alone with a key that has the scope `customers:assert` and outside a browser",
  },
  namedCustomer: {
    ...{ name: 'x-customer-id', in: 'header', required: true, ...text },
    description:
      'The authenticated customer, proved by the bearer token or by a key that has the scope `customers:assert`',
  },
  idempotencyKey: {
    ...{ name: 'Idempotency-Key', in: 'header', ...text },
    description:
      'The same key with the same request within 24 hours has no second effect, and answers with what the first one made',
  },
  ifNoneMatch: { name: 'If-None-Match', in: 'header', ...text, description: 'An ETag of an earlier answer' },
}

const describeOperation = (operationId: string, endpoint: Endpoint, schemas: Json): Json => {
  const operation: Json = {
    operationId,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: [endpoint.description, endpoint.scope && `Needs the scope \`${endpoint.scope}\`.`]
      .filter(Boolean)
      .join('\n\n'),
    security: securityOf(endpoint),
    parameters: describeParameters(endpoint, schemas),
    responses: describeResponses(endpoint, schemas),
  }
  if (endpoint.body !== undefined) {
    operation.requestBody = {
      required: true,
      content: { 'application/json': { schema: refer(endpoint.body, schemas) } },
    }
  }
  return operation
}

const securityOf = (endpoint: Endpoint) => {
  const { access, path } = endpoint
  if (access === 'public') return path === '/metrics' ? [{}, { metricsToken: [] }] : []
  const callers = [{ storeKey: [] }, { apiKey: [] }, { internalToken: [] }]
  const signedIn = callers.map((caller) => ({ ...caller, session: [] }))
  if (access === 'customer') return signedIn
  return access === 'sign-in' ? callers : [...callers, ...signedIn]
}

const describeParameters = (endpoint: Endpoint, schemas: Json) => {
  const list: Json[] = []
  const add = (place: 'path' | 'query', fields: TObject | undefined) => {
    const needed: readonly unknown[] = fields?.required ?? []
    for (const [name, field] of Object.entries<TSchema>(fields?.properties ?? {})) {
      const { description, ...schema } = refer(field, schemas)
      const required = place === 'path' || needed.includes(name)
      list.push({ name, in: place, required, ...(description ? { description } : {}), schema })
    }
  }
  add('path', endpoint.params)
  add('query', endpoint.query)
  for (const name of headersAskedFor(endpoint)) list.push({ $ref: `#/components/parameters/${name}` })
  return list
}

const headersAskedFor = ({ access, once, cached }: Endpoint): (keyof typeof sharedParameters)[] => [
  ...(access === 'public' ? [] : (['outlet'] as const)),
  ...(access === 'shopper' ? (['guestToken', 'customerId'] as const) : []),
  ...(access === 'asserted' ? (['namedCustomer'] as const) : []),
  ...(once ? (['idempotencyKey'] as const) : []),
  ...(cached ? (['ifNoneMatch'] as const) : []),
]

const headerRefs = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const rateHeaders = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']

const describeResponses = (endpoint: Endpoint, schemas: Json) => {
  const always = ['x-request-id', ...(endpoint.access === 'public' ? [] : rateHeaders)]
  if (endpoint.access === 'shopper') always.push('x-guest-token')
  const success: Json = {
    description: endpoint.summary,
    headers: headerRefs([...always, ...(endpoint.cached ? ['etag'] : []), ...(endpoint.headers ?? [])]),
  }
  if (endpoint.ok !== null) {
    success.content = {
      [endpoint.contentType ?? 'application/json']: {
        schema: refer(endpoint.ok, schemas),
        ...(endpoint.example === undefined ? {} : { example: endpoint.example }),
      },
    }
  }
  const responses: Json = { [endpoint.okStatus ?? 200]: success }
  if (endpoint.otherStatus !== undefined) responses[endpoint.otherStatus] = success
  if (endpoint.cached)
    responses[304] = { description: 'Nothing has changed since that ETag', headers: headerRefs(always) }
  for (const [status, codes] of [...codesByStatus(endpoint)].sort(([a], [b]) => a - b)) {
    responses[status] =
      codes.length === 1 ? { $ref: `#/components/responses/${codes[0]}` } : describeError(codes, schemas)
  }
  return responses
}

/** Every code that a caller of this endpoint can meet: its own, and those that follow from what it is. */
export const codesOf = (endpoint: Endpoint): ErrorCode[] => {
  // An address can hold what is no text, whatever it names.
  const codes = new Set<ErrorCode>([...(endpoint.errors ?? []), 'BAD_REQUEST'])
  if (endpoint.access !== 'public') {
    for (const code of ['UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE', 'INTERNAL'] as const) {
      codes.add(code)
    }
  }
  if (endpoint.once) codes.add('CONFLICT')
  if (endpoint.body !== undefined || endpoint.query !== undefined || endpoint.params !== undefined) {
    codes.add(endpoint.invalidInput === 422 ? 'UNPROCESSABLE_ENTITY' : 'BAD_REQUEST')
  }
  // A body is read before anybody knows that none is wanted.
  if (endpoint.method !== 'GET')
    for (const code of ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) codes.add(code)
  return [...codes]
}

/** The errors that operations refer to by code; one that shares its status with another is written out in place. */
const errorResponses = (contracts: readonly Contract[], schemas: Json) => {
  const used = new Set<ErrorCode>()
  for (const endpoint of contracts.flatMap((contract) => Object.values(contract))) {
    for (const [code, ...others] of codesByStatus(endpoint).values()) {
      if (code !== undefined && others.length === 0) used.add(code)
    }
  }
  return Object.fromEntries([...used].sort().map((code) => [code, describeError([code], schemas)]))
}

const codesByStatus = (endpoint: Endpoint) => Map.groupBy(codesOf(endpoint), (code) => errorCatalogue[code].status)

const headersOfErrors: Partial<Record<ErrorCode, string>> = {
  UNAUTHORIZED: 'www-authenticate',
  RATE_LIMITED: 'retry-after',
  SERVICE_UNAVAILABLE: 'retry-after',
}

const describeError = (codes: ErrorCode[], schemas: Json) => ({
  description: codes.map((code) => `\`${code}\`: ${errorCatalogue[code].text}`).join(' '),
  headers: headerRefs(['x-request-id', ...codes.flatMap((code) => headersOfErrors[code] ?? [])]),
  content: {
    'application/json': {
      schema: {
        allOf: [refer(ErrorBody, schemas), { type: 'object', properties: { code: { type: 'string', enum: codes } } }],
      },
      examples: Object.fromEntries(codes.map((code) => [code, { value: { error: errorCatalogue[code].text, code } }])),
    },
  },
})

/** A copy of the schema in which every named one is a reference, its definition put into `schemas`. */
const refer = (schema: object, schemas: Json): Json => {
  const name = nameOf(schema)
  if (name === undefined) return copyFields(schema, schemas)
  if (schemas[name] === undefined) {
    schemas[name] = {}
    schemas[name] = copy(schema, schemas)
  }
  return { $ref: `#/components/schemas/${name}` }
}

const copy = (value: unknown, schemas: Json): unknown => {
  if (Array.isArray(value)) return value.map((item) => copy(item, schemas))
  return typeof value === 'object' && value !== null ? copyFields(value, schemas) : value
}

const copyFields = (value: object, schemas: Json): Json =>
  Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      typeof inner === 'object' && inner !== null && nameOf(inner) !== undefined
        ? refer(inner, schemas)
        : copy(inner, schemas),
    ]),
  )
