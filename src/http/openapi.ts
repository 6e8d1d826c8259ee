import type { TObject, TSchema } from 'typebox'
import { type ErrorCode, errorCatalogue } from '../core/errors.ts'
import { type AccessDescription, type Contract, type Endpoint, type Family, responseHeaders } from './endpoint.ts'
import { ErrorBody, nameOf } from './schema.ts'

type Json = Record<string, unknown>

export type OpenApiOptions = {
  title: string
  version: string
  description: string
  tags: Record<string, string>
  /** What is sent to the webhook endpoints of a store, by type. */
  events?: Readonly<Record<string, DescribedEvent>>
}

export type DescribedEvent = { summary: string; data: TSchema; example: unknown }

/** Generates the OpenAPI 3.1 document from the contracts. */
export const describeApi = (contracts: readonly Contract[], options: OpenApiOptions): Json => {
  const schemas: Json = {}
  const paths: Record<string, Json> = {}
  const families = [...new Set(contracts.flatMap((contract) => Object.values(contract).map(({ family }) => family)))]
  const gather = (part: 'securitySchemes' | 'parameters' | 'headers') =>
    Object.assign({}, ...families.map((family: Family) => family[part])) as Json
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
    ...(options.events === undefined ? {} : { webhooks: describeEvents(options.events, schemas) }),
    components: {
      schemas,
      securitySchemes: gather('securitySchemes'),
      headers: { ...sharedHeaders, ...gather('headers') },
      parameters: { ...gather('parameters'), ...sharedParameters },
      responses: errorResponses(contracts, schemas),
    },
  }
}

const text = { schema: { type: 'string' } }
const whole = { schema: { type: 'integer' } }

const sharedHeaders = {
  'x-request-id': { ...text, description: 'Identifies this request in the logs. Send your own to choose it' },
  'retry-after': { ...whole, description: 'Seconds to wait before trying again' },
  'www-authenticate': { ...text, description: 'How to authenticate' },
  ...Object.fromEntries(Object.entries(responseHeaders).map(([name, description]) => [name, { ...text, description }])),
}

const sharedParameters = {
  idempotencyKey: {
    ...{ name: 'Idempotency-Key', in: 'header', ...text },
    description:
      'Repeating a request with the same key within 24 hours has no second effect and returns the result of the first',
  },
  ifNoneMatch: { name: 'If-None-Match', in: 'header', ...text, description: 'The ETag of an earlier answer' },
}

const describeOperation = (operationId: string, endpoint: Endpoint, schemas: Json): Json => {
  const access = endpoint.family.describe(endpoint)
  const operation: Json = {
    operationId,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: [endpoint.description, access.note].filter(Boolean).join('\n\n'),
    security: access.security,
    parameters: describeParameters(endpoint, access, schemas),
    responses: describeResponses(endpoint, access, schemas),
  }
  if (endpoint.maxFileBytes !== undefined) {
    operation.requestBody = { required: true, content: { 'multipart/form-data': { schema: describeForm(endpoint) } } }
  } else if (endpoint.body !== undefined) {
    operation.requestBody = {
      required: endpoint.isBodyOptional !== true,
      content: { 'application/json': { schema: refer(endpoint.body, schemas) } },
    }
  }
  return operation
}

const describeForm = ({ body, maxFileBytes }: Endpoint): Json => {
  const { properties, required }: { properties?: object; required?: readonly string[] } = body ?? {}
  const file = { type: 'string', format: 'binary', description: `A file of at most ${maxFileBytes} bytes` }
  return { type: 'object', required: ['file', ...(required ?? [])], properties: { file, ...properties } }
}

const describeEvents = (events: Readonly<Record<string, DescribedEvent>>, schemas: Json) =>
  Object.fromEntries(
    Object.entries(events).map(([type, { summary, data, example }]) => [
      type,
      {
        post: {
          operationId: type,
          tags: ['Events'],
          summary,
          description: 'Verify the signature before you use the event: see the guide.',
          security: [],
          parameters: eventHeaders,
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: describeEnvelope(type, refer(data, schemas)),
                example: { type, ...exampleEnvelope, data: example },
              },
            },
          },
          responses: {
            '2XX': { description: 'Received' },
            '410': { description: 'No longer wanted: the endpoint is switched off' },
          },
        },
      },
    ]),
  )

const eventHeaders = [
  ['webhook-id', 'Identifies the event; the same for each attempt'],
  ['webhook-timestamp', 'When the attempt was made, in seconds since 1970'],
  ['webhook-signature', 'One or more signatures of the body, separated by spaces'],
].map(([name, description]) => ({ name, in: 'header', required: true, ...text, description }))

const describeEnvelope = (type: string, data: Json): Json => ({
  type: 'object',
  required: ['type', 'timestamp', 'storeId', 'sequence', 'data'],
  properties: {
    type: { const: type },
    timestamp: { type: 'string', description: 'When it happened: ISO 8601, UTC' },
    storeId: { type: 'string' },
    sequence: { type: 'integer', description: 'Counts the events of one order, customer, product or stock level' },
    data,
    truncated: {
      const: true,
      description:
        'The body was too long: the lines of the order, or the variants and the description of the product, were left out',
    },
  },
})

const exampleEnvelope = {
  timestamp: '2026-11-15T09:30:00.000Z',
  storeId: 'store_01k8x0v3m7q2w9c4t6y8ze',
  sequence: 1,
}

const describeParameters = (endpoint: Endpoint, access: AccessDescription, schemas: Json) => {
  const list: Json[] = []
  const add = (location: 'path' | 'query', fields: TObject | undefined) => {
    const needed: readonly unknown[] = fields?.required ?? []
    for (const [name, field] of Object.entries<TSchema>(fields?.properties ?? {})) {
      const { description, ...schema } = refer(field, schemas)
      const required = location === 'path' || needed.includes(name)
      list.push({ name, in: location, required, ...(description ? { description } : {}), schema })
    }
  }
  add('path', endpoint.params)
  add('query', endpoint.query)
  for (const name of [...access.parameters, ...requestHeadersOf(endpoint)])
    list.push({ $ref: `#/components/parameters/${name}` })
  return list
}

const requestHeadersOf = ({ once, cached }: Endpoint): (keyof typeof sharedParameters)[] => [
  ...(once ? (['idempotencyKey'] as const) : []),
  ...(cached ? (['ifNoneMatch'] as const) : []),
]

const headerRefs = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const describeResponses = (endpoint: Endpoint, access: AccessDescription, schemas: Json) => {
  const always = ['x-request-id', ...access.headers]
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
  if (endpoint.cached) responses[304] = { description: 'Not modified since this ETag', headers: headerRefs(always) }
  for (const [status, codes] of [...codesByStatus(endpoint)].sort(([a], [b]) => a - b)) {
    responses[status] =
      codes.length === 1 ? { $ref: `#/components/responses/${codes[0]}` } : describeError(codes, schemas)
  }
  return responses
}

/** Every error code that this endpoint can return: its own, and those that follow from its declaration. */
export const codesOf = (endpoint: Endpoint): ErrorCode[] => {
  // BAD_REQUEST always: any URL can contain invalid encoding.
  const { codes: ofAccess } = endpoint.family.describe(endpoint)
  const codes = new Set<ErrorCode>([...(endpoint.errors ?? []), 'BAD_REQUEST', ...ofAccess])
  if (endpoint.once) codes.add('CONFLICT')
  if (endpoint.body !== undefined || endpoint.query !== undefined || endpoint.params !== undefined) {
    codes.add(endpoint.invalidInput === 422 ? 'UNPROCESSABLE_ENTITY' : 'BAD_REQUEST')
  }
  // A body is read even if the endpoint takes none.
  if (endpoint.method !== 'GET')
    for (const code of ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) codes.add(code)
  return [...codes]
}

/** Errors that operations refer to by code. Errors that share a status are written out in the operation. */
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

/** Copies a schema. Each named schema becomes a reference, and its definition is added to `schemas`. */
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
