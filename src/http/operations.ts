import type { TSchema } from 'typebox'
import { fail } from '../core/errors.ts'
import { inspectText, inspectValue } from './body.ts'
import { compileLiteral, compileSerializer, compileTextual, type Validate } from './compilers.ts'
import { describeSchemaError } from './describe-schema-error.ts'
import type { Door, Route } from './door.ts'
import {
  type Answered,
  type Call,
  type Contract,
  type Endpoint,
  type OkBody,
  SerializedBody,
  type UploadedFile,
} from './endpoint.ts'

/** An endpoint with its handler and compiled schemas. HTTP calls it (register.ts), other callers use `invoke`. */
export type Operation<E extends Endpoint = Endpoint> = Route<E> & {
  door: Door
  /** Validates params, body and query, in this order, and returns the handler's input. */
  readInput(input: CheckedInput): CheckedInput
  /** Serializes declared fields only. */
  serialize(body: unknown): string
}

/** Text in `params` and `query` is converted to numbers and booleans, as in a URL. */
export type Input = { params?: Fields; query?: Fields; body?: unknown; file?: UploadedFile }
type Fields = Readonly<Record<string, unknown>>
export type CheckedInput = { params: unknown; query: unknown; body: unknown; file?: UploadedFile | undefined }

export type Operations = {
  all: readonly Operation[]
  /** By contract and name. */
  find<C extends Contract, Name extends keyof C & string>(contract: C, name: Name): Operation<C[Name]>
  /** By name alone, which is the `operationId` in OpenAPI. */
  named(name: string): Operation | undefined
}

/** Gives each route the door of its family. Throws for a family without a door and for a duplicate name. */
export const createOperations = (routes: readonly Route[], doors: readonly Door[]): Operations => {
  const doorsByFamily = new Map(doors.map((door) => [door.family, door]))
  const byName = new Map<string, Operation>()
  for (const route of routes) {
    const { name, endpoint } = route
    const door = doorsByFamily.get(endpoint.family)
    if (door === undefined) throw new Error(`the family ${endpoint.family.name} of ${name} has no door`)
    if (byName.has(name)) throw new Error(`two operations are named ${name}`)
    byName.set(name, { ...route, door, ...compiledOf(endpoint) })
  }
  return {
    all: [...byName.values()],
    named: (name) => byName.get(name),
    find: <C extends Contract, Name extends keyof C & string>(contract: C, name: Name) => {
      const found = byName.get(name)
      if (found?.endpoint !== contract[name]) throw new Error(`no operation answers ${name} of this contract`)
      return found as unknown as Operation<C[Name]>
    },
  }
}

export type Invoked<Body> = { status: number; headers: Readonly<Record<string, string>>; body: Body }

/**
 * Runs an operation for a caller that does not use HTTP, with the same access checks, validation and response filter.
 * `ctx` is a context like those that the door of the family makes.
 */
export const invoke = async <E extends Endpoint>(
  operation: Operation<E>,
  ctx: unknown,
  input: Input = {},
): Promise<Invoked<OkBody<E>>> => {
  operation.door.authorize(ctx, operation.endpoint)
  // Validation fills in defaults, so it works on a copy. HTTP inspects bodies in its parser.
  const { params = {}, query = {}, body, file } = structuredClone(input)
  inspectValue(body)
  const { endpoint } = operation
  const answer = await answerCall(operation, ctx, operation.readInput({ params, query, body, file }))
  return {
    status: answer.status ?? endpoint.okStatus ?? 200,
    headers: answer.headers ?? {},
    body: filterBody(operation, answer.body),
  }
}

const filterBody = <E extends Endpoint>(
  { endpoint, serialize }: Operation<E>,
  body: Answered<E>['body'],
): OkBody<E> => {
  if (endpoint.ok === null) return null as OkBody<E>
  if (body instanceof SerializedBody) return JSON.parse(body.json)
  return endpoint.contentType === undefined ? JSON.parse(serialize(body)) : body
}

/** Calls the handler with input from `readInput`. */
export const answerCall = <E extends Endpoint>(
  operation: Operation<E>,
  ctx: unknown,
  input: CheckedInput,
): Promise<Answered<E>> | Answered<E> => operation.handle({ ctx, ...input } as Call<E, unknown>)

type Compiled = Pick<Operation, 'readInput' | 'serialize'>

/** Tests start many services in one process. */
const compiled = new WeakMap<Endpoint, Compiled>()

const compiledOf = (endpoint: Endpoint): Compiled => {
  let known = compiled.get(endpoint)
  if (known === undefined) {
    known = compile(endpoint)
    compiled.set(endpoint, known)
  }
  return known
}

/** Each schema is compiled when it is first used: all of them take a third of the start, and most calls need few. */
const compile = (endpoint: Endpoint): Compiled => {
  const code = endpoint.invalidInput === 422 ? 'UNPROCESSABLE_ENTITY' : 'BAD_REQUEST'
  const checkWith = (part: string, schema: TSchema | undefined, compileFor: (schema: TSchema) => Validate) => {
    let validate: Validate | null = null
    return (value: unknown) => {
      if (schema === undefined) return
      validate ??= compileFor(schema)
      if (!validate(value)) throw fail(code, describeSchemaError(part, validate.errors?.[0]))
    }
  }
  const checkParams = checkWith('params', endpoint.params, compileTextual)
  // The fields of a form are text.
  const checkBody = checkWith(
    'body',
    endpoint.body,
    endpoint.maxFileBytes === undefined ? compileLiteral : compileTextual,
  )
  const checkQuery = checkWith('querystring', endpoint.query, compileTextual)
  let serialize: ((body: unknown) => string) | undefined
  return {
    readInput: ({ params, query, body, file }) => {
      refuseInvalidText(query)
      refuseInvalidText(params)
      checkParams(params)
      if (body !== undefined || endpoint.isBodyOptional !== true) checkBody(body)
      checkQuery(query)
      return { params, query, body, file }
    },
    serialize: (body) => {
      if (endpoint.ok === null) return ''
      if (body instanceof SerializedBody) return body.json
      serialize ??= compileSerializer(endpoint.ok)
      return serialize(body)
    },
  }
}

const refuseInvalidText = (values: unknown) => {
  for (const value of Object.values(values as Record<string, unknown>)) {
    if (typeof value === 'string') inspectText(value)
  }
}
