import type { Static, TObject, TSchema } from 'typebox'
import type { ErrorCode } from '../core/errors.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** Response headers that any family may use, with their description. */
export const responseHeaders = {
  'x-next-cursor': 'Pass it as `cursor` to get the next page. Absent on the last page.',
  'x-has-more': '`true` when there is a next page.',
  link: 'The URL of the next page, as `rel="next"`.',
  location: 'The URL to continue at.',
  etag: 'Send it as `If-None-Match` to get 304 if nothing has changed.',
} as const
export type ResponseHeader = keyof typeof responseHeaders

/** The part of an endpoint that is the same in every family. */
export type EndpointShape = {
  method: Method
  path: string
  tag: string
  summary: string
  description?: string
  params?: TObject
  query?: TObject
  body?: TSchema
  /** The body of a successful answer. Null when it has no JSON body. */
  ok: TSchema | null
  okStatus?: 200 | 201 | 204 | 302
  /** A second success status with the same body: 200 where `okStatus` is 201 and nothing was created. */
  otherStatus?: 200
  /** Accepts an `Idempotency-Key`: repeating the call has no second effect. */
  once?: boolean
  /** False for a GET with side effects, because link checkers send HEAD requests. */
  head?: false
  /** Only for answers that are not JSON. */
  contentType?: string
  /** `?format=csv` answers with the whole list as CSV. */
  csv?: true
  /**
   * The body is `multipart/form-data`: one file in the field `file`, with at most so many bytes, and the fields of
   * `body` as text. The handler gets the file as `file`.
   */
  maxFileBytes?: number
  /** An empty body is accepted too, and the handler gets undefined. */
  isBodyOptional?: boolean
  /** The status of input that fails its schema. */
  invalidInput?: 400 | 422
  /** Codes besides those that follow from access and input. */
  errors?: readonly ErrorCode[]
  headers?: readonly string[]
  /** Answers are cached by store, outlet and URL, and have an ETag. */
  cached?: boolean
  example?: unknown
}

export type Endpoint = EndpointShape & { family: Family; access: string }

type Json = Record<string, unknown>

/** The part of an OpenAPI operation that follows from its access. */
export type AccessDescription = {
  /** Appended to the description of the endpoint. */
  note?: string
  security: readonly Json[]
  /** Names of `parameters` of the family. */
  parameters: readonly string[]
  /** Names of headers on every successful answer. */
  headers: readonly string[]
  codes: readonly ErrorCode[]
}

/**
 * Endpoints that share one method of access: storefront, webhooks, monitoring. This is the declaration; the family's
 * `Door` has the code.
 */
export type Family<Name extends string = string> = {
  name: Name
  /** The door reads the bytes of a body before they are parsed. */
  readsRawBody?: true
  /** Not refused while the process is overloaded. */
  answersUnderLoad?: true
  describe(endpoint: Endpoint): AccessDescription
  securitySchemes: Json
  parameters: Json
  /** Response headers by name, as OpenAPI describes them. */
  headers: Json
}

/**
 * The function that declares the endpoints of a family. Validation, types, response filtering, OpenAPI and the
 * documentation come from the declaration. `Rights` is the type of the access fields, so an access or a permission that
 * the family does not have does not compile.
 */
export const endpointOf =
  <Rights extends { access: string }>() =>
  <Name extends string>(family: Family<Name>) =>
  <const E extends EndpointShape & Rights>(declaration: E): E & { family: Family<Name> } => ({ ...declaration, family })

export type Contract = Record<string, Endpoint>

type StaticOr<S, Otherwise> = S extends TSchema ? Static<S> : Otherwise

export type Answer<Body> = {
  body: Body
  status?: 200 | 201
  headers?: Readonly<Record<string, string>>
  /** The products whose stock a cached answer shows. Without it the answer is cached for a second only. */
  products?: readonly string[]
  /** When the oldest part of it was read, if some parts were in memory: a result of `performance.now()`. */
  asOfMs?: number
  /** Sent instead of the body, piece by piece, such as a list as CSV. */
  stream?: Streamed
}

/**
 * A body that is JSON already, for lists that the database has written as text (decision 0056). It must be exactly what
 * the schema would write, because it is sent as it is.
 */
export class SerializedBody<Body> {
  readonly json: string
  /** Equal only for equal JSON. The ETag is a hash of it. */
  readonly fingerprint: string
  /** Only for the type. */
  declare readonly of: Body

  constructor(json: string, fingerprint = json) {
    this.json = json
    this.fingerprint = fingerprint
  }
}

export type Streamed = { contentType: string; chunks: AsyncIterable<string | Buffer> }

/** A file that came with a request. It is deleted when the request ends. */
export type UploadedFile = { path: string; bytes: number; name: string }

export type Call<E extends Endpoint, Ctx> = {
  ctx: Ctx
  params: StaticOr<E['params'], Record<string, never>>
  query: StaticOr<E['query'], Record<string, never>>
  body: StaticOr<E['body'], undefined>
  file: E['maxFileBytes'] extends number ? UploadedFile : undefined
}

export type OkBody<E extends Endpoint> = StaticOr<E['ok'], null>

/** What a handler returns. */
export type Answered<E extends Endpoint> = Answer<OkBody<E> | SerializedBody<OkBody<E>>>

export type Handler<E extends Endpoint, Ctx> = (call: Call<E, Ctx>) => Promise<Answered<E>> | Answered<E>

/** The context of each kind of access. */
export type CtxByAccess = Record<string, unknown>

export type Handlers<C extends Contract, Ctx extends CtxByAccess> = {
  [Name in keyof C]: Handler<C[Name], Ctx[C[Name]['access']]>
}
