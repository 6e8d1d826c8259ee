import { isDeepStrictEqual } from 'node:util'

/** The parts of OpenAPI that Vitrine's contract uses. */
export type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  required?: string[]
  items?: Schema
  allOf?: Schema[]
  pattern?: string
} & Partial<Record<Bound, number>>
type Bound = (typeof lowerBounds)[number] | (typeof upperBounds)[number]
type Parameter = { $ref?: string; name: string; in: string; required?: boolean; schema: Schema }
type Content = Record<string, { schema?: Schema }>
type Response = { $ref?: string; headers?: Record<string, unknown>; content?: Content }
export type Operation = {
  operationId: string
  security?: Record<string, unknown>[]
  parameters: Parameter[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, Response>
}
export type Contract = {
  paths: Record<string, Record<string, Operation>>
  components: { [kind: string]: Record<string, unknown> }
}

const lowerBounds = ['minLength', 'minimum', 'minItems'] as const
const upperBounds = ['maxLength', 'maximum', 'maxItems'] as const

/**
 * Clients send an input and read an output. An input may accept more than before; an output may not become wider, except
 * for new values of an enum.
 */
type Direction = 'input' | 'output'
type Pair<T> = { old: T; now: T }
type Report = (place: string, fault: string) => void

/** Every way in which `now` can break a client that was written for `old`, as "place: fault". */
export const findContractBreaks = (old: Contract, now: Contract): string[] => {
  const breaks: string[] = []
  const report: Report = (place, fault) => breaks.push(`${place}: ${fault}`)
  const contracts = { old, now }
  for (const [path, methods] of Object.entries(old.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const place = `${method.toUpperCase()} ${path}`
      const current = now.paths[path]?.[method]
      if (current === undefined) report(place, 'is gone')
      else compareOperations({ old: operation, now: current }, place, contracts, report)
    }
  }
  return breaks
}

const compareOperations = (pair: Pair<Operation>, place: string, contracts: Pair<Contract>, report: Report) => {
  const { old, now } = pair
  if (old.operationId !== now.operationId) report(place, `operationId was ${old.operationId}`)
  for (const way of old.security ?? []) {
    if (!now.security?.some((other) => isDeepStrictEqual(way, other))) {
      report(place, `access by ${Object.keys(way).join(' and ')} is gone`)
    }
  }
  const isPublic = ({ security = [] }: Operation) => security.length === 0
  if (isPublic(old) && !isPublic(now)) report(place, 'was public')
  compareParameters(pair, place, contracts, report)
  compareBodies(pair, place, contracts, report)
  compareResponses(pair, place, contracts, report)
}

const compareParameters = ({ old, now }: Pair<Operation>, place: string, contracts: Pair<Contract>, report: Report) => {
  const byName = (operation: Operation, contract: Contract) =>
    new Map(
      operation.parameters
        .map((parameter) => resolve(parameter, contract))
        .map((parameter) => [`${parameter.in} ${parameter.name.toLowerCase()}`, parameter]),
    )
  const before = byName(old, contracts.old)
  const after = byName(now, contracts.now)
  for (const [name, parameter] of before) {
    const current = after.get(name)
    if (current === undefined) report(`${place} ${name}`, 'is gone')
    else compareSchemas({ old: parameter.schema, now: current.schema }, 'input', `${place} ${name}`, contracts, report)
  }
  for (const [name, { required }] of after) {
    if (required && !before.get(name)?.required) report(`${place} ${name}`, 'is required now')
  }
}

const compareBodies = ({ old, now }: Pair<Operation>, place: string, contracts: Pair<Contract>, report: Report) => {
  const [before, after] = [old.requestBody, now.requestBody]
  if (after?.required && !before?.required) report(`${place} body`, 'is required now')
  if (before) compareContents(before.content, after?.content, 'input', `${place} body`, contracts, report)
}

const compareResponses = ({ old, now }: Pair<Operation>, place: string, contracts: Pair<Contract>, report: Report) => {
  for (const [status, response] of Object.entries(old.responses)) {
    const current = now.responses[status]
    if (current === undefined) {
      report(`${place} ${status}`, 'is gone')
      continue
    }
    const [before, after] = [resolve(response, contracts.old), resolve(current, contracts.now)]
    for (const name of Object.keys(before.headers ?? {})) {
      if (!Object.hasOwn(after.headers ?? {}, name)) report(`${place} ${status} header ${name}`, 'is gone')
    }
    compareContents(before.content ?? {}, after.content, 'output', `${place} ${status}`, contracts, report)
  }
}

const compareContents = (
  before: Content,
  after: Content | undefined,
  direction: Direction,
  place: string,
  contracts: Pair<Contract>,
  report: Report,
) => {
  for (const [type, { schema }] of Object.entries(before)) {
    const current = after?.[type]
    if (current === undefined) report(`${place} ${type}`, 'is gone')
    else compareSchemas({ old: schema ?? {}, now: current.schema ?? {} }, direction, place, contracts, report)
  }
}

const compareSchemas = (
  pair: Pair<Schema>,
  direction: Direction,
  place: string,
  contracts: Pair<Contract>,
  report: Report,
  above: readonly Schema[] = [],
) => {
  // A schema that contains itself has been compared already.
  if (above.includes(pair.old)) return
  const old = flatten(pair.old, contracts.old)
  const now = flatten(pair.now, contracts.now)
  compareTypes({ old, now }, direction, place, report)
  compareEnums({ old, now }, direction, place, report)
  if (direction === 'input') compareBounds({ old, now }, place, report)
  compareRequired({ old, now }, direction, place, report)
  for (const [name, schema, current] of partsOf(old, now)) {
    const part = `${place}${name}`
    if (current === undefined) report(part, 'is gone')
    else compareSchemas({ old: schema, now: current }, direction, part, contracts, report, [...above, pair.old])
  }
}

/** The schemas inside a schema, each with its place and its current form. */
const partsOf = (old: Schema, now: Schema): [string, Schema, Schema | undefined][] => {
  const parts: [string, Schema, Schema | undefined][] = []
  for (const kind of ['properties', 'patternProperties'] as const) {
    for (const [name, schema] of Object.entries(old[kind] ?? {})) parts.push([`.${name}`, schema, now[kind]?.[name]])
  }
  if (old.items) parts.push(['[]', old.items, now.items])
  if (typeof old.additionalProperties === 'object') {
    const current = now.additionalProperties
    parts.push(['.*', old.additionalProperties, typeof current === 'object' ? current : undefined])
  }
  return parts
}

const compareTypes = ({ old, now }: Pair<Schema>, direction: Direction, place: string, report: Report) => {
  const [before, after] = [typesOf(old), typesOf(now)]
  const [given, taken] = direction === 'input' ? [before, after] : [after, before]
  const isTaken = (type: string) => taken.includes(type) || (type === 'integer' && taken.includes('number'))
  if (taken.length > 0 && (given.length === 0 || !given.every(isTaken))) {
    report(place, `was ${before.join(' or ') || 'anything'} and is ${after.join(' or ') || 'anything'}`)
  }
}

const typesOf = ({ type, enum: values }: Schema): string[] => {
  if (type !== undefined) return [type].flat()
  return [...new Set(values?.map((value) => (value === null ? 'null' : typeof value)))]
}

const compareEnums = ({ old, now }: Pair<Schema>, direction: Direction, place: string, report: Report) => {
  if (direction === 'input' && now.enum && !old.enum) report(place, 'takes listed values only now')
  if (direction === 'output' && old.enum && !now.enum) report(place, 'no longer lists its values')
  if (!now.enum) return
  for (const value of old.enum ?? []) if (!now.enum.includes(value)) report(place, `${value} is gone`)
}

const compareBounds = ({ old, now }: Pair<Schema>, place: string, report: Report) => {
  const narrower = [
    ...lowerBounds.filter((name) => (now[name] ?? -Infinity) > (old[name] ?? -Infinity)),
    ...upperBounds.filter((name) => (now[name] ?? Infinity) < (old[name] ?? Infinity)),
  ]
  for (const name of narrower) report(place, `${name} was ${old[name] ?? 'open'} and is ${now[name]}`)
  if (now.pattern !== undefined && now.pattern !== old.pattern) report(place, 'has another pattern')
  if (now.additionalProperties === false && old.additionalProperties !== false) report(place, 'takes no more fields')
}

const compareRequired = ({ old, now }: Pair<Schema>, direction: Direction, place: string, report: Report) => {
  const [fewer, more] = direction === 'input' ? [old, now] : [now, old]
  for (const name of more.required ?? []) {
    // A field that is gone is reported as such.
    if (direction === 'output' && !Object.hasOwn(now.properties ?? {}, name)) continue
    if (!fewer.required?.includes(name)) {
      report(`${place}.${name}`, direction === 'input' ? 'is required now' : 'may be missing now')
    }
  }
}

/** A schema without references, with all parts of `allOf` in one. */
const flatten = (schema: Schema, contract: Contract): Schema => {
  const { allOf = [], ...own } = resolve(schema, contract)
  const parts = [own, ...allOf.map((part) => flatten(part, contract))]
  const properties: Schema['properties'] = Object.assign({}, ...parts.map((part) => part.properties))
  return Object.assign({}, ...parts, { properties, required: parts.flatMap(({ required = [] }) => required) })
}

const resolve = <T extends { $ref?: string }>(value: T, { components }: Contract): T => {
  if (value.$ref === undefined) return value
  const [kind = '', name = ''] = value.$ref.split('/').slice(2)
  const found = components[kind]?.[name]
  if (found === undefined) throw new Error(`${value.$ref} is not in the contract`)
  return found as T
}
