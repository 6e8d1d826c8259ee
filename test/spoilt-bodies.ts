import assert from 'node:assert/strict'
import type { TSchema } from 'typebox'
import { takeThird } from './combinations.ts'
import { describe, type Prepared } from './world.ts'

/** A body that must be refused: it fails its schema, or cannot be stored. */
export type Spoilt = { what: string; text: string; why: 'schema' | 'unstorable' }

type Shape = {
  type?: string | string[]
  properties?: Record<string, TSchema>
  required?: string[]
  items?: TSchema
  minLength?: number
  maxLength?: number
  pattern?: string
  minimum?: number
  maximum?: number
  maxItems?: number
}

/** A value inside a body, and a function that writes the body with another value in its place. */
export type Spot = { name: string; shape: Shape; value: unknown; isRequired: boolean; write: (json: string) => string }

/** Marks where the JSON text goes. No value contains it. */
const mark = '@@here@@'

/** Every spot of every body. Fails for a field that no valid body has, because it would not be tested. */
export const spotsOf = ({ endpoint, bodies }: Prepared): Spot[] => {
  const spots = bodies.flatMap((body) => {
    const writeWith = (copy: unknown) => (json: string) =>
      JSON.stringify(copy).replace(JSON.stringify(mark), () => json)
    return [...walk(endpoint.body as Shape, body, '', (copy) => writeWith(copy))]
  })
  const seen = new Set(spots.map(({ name }) => name))
  for (const name of namesOf(endpoint.body as Shape, ''))
    assert.ok(seen.has(name), `${describe(endpoint)}: give ${name} a value in a body of test/world-calls.ts`)
  return spots
}

type Rebuild = (copy: unknown) => Spot['write']

function* walk(shape: Shape, value: unknown, name: string, rebuild: Rebuild): Generator<Spot> {
  for (const [key, field] of Object.entries(shape.properties ?? {})) {
    const inner = (value as Record<string, unknown>)[key]
    if (inner === undefined) continue
    const rebuildField: Rebuild = (copy) => rebuild({ ...(value as object), [key]: copy })
    const isRequired = shape.required?.includes(key) ?? false
    yield { name: `${name}/${key}`, shape: field as Shape, value: inner, isRequired, write: rebuildField(mark) }
    yield* walk(field as Shape, inner, `${name}/${key}`, rebuildField)
  }
  if (shape.items === undefined) return
  const [first, ...others] = value as unknown[]
  yield* walk(shape.items as Shape, first, `${name}/0`, (copy) => rebuild([copy, ...others]))
}

const namesOf = (shape: Shape, name: string): string[] => [
  ...Object.entries(shape.properties ?? {}).flatMap(([key, field]) => [
    `${name}/${key}`,
    ...namesOf(field as Shape, `${name}/${key}`),
  ]),
  ...(shape.items === undefined ? [] : namesOf(shape.items as Shape, `${name}/0`)),
]

/** A field without a type accepts any value. */
const takesAnything = ({ type, properties, items }: Shape) => (type ?? properties ?? items) === undefined

export const typesOf = (shape: Shape): string[] => {
  const types = [shape.type ?? []].flat()
  assert.ok(types.length > 0 || takesAnything(shape), 'add this kind of schema to test/spoilt-bodies.ts')
  return types
}

/** Samples of each type as JSON, chosen to pass a careless check. */
const samples = {
  null: ['null'],
  boolean: ['true'],
  integer: ['0', '1'],
  number: ['1.5'],
  string: ['""', '"1"'],
  array: ['[]', '["1"]'],
  object: ['{}', '{"toString":"1"}'],
}

const wrongTypes = (shape: Shape) => {
  if (takesAnything(shape)) return []
  const types = typesOf(shape)
  const fits = (kind: string) => types.includes(kind) || (kind === 'integer' && types.includes('number'))
  return Object.entries(samples).flatMap(([kind, list]) => (fits(kind) ? [] : list))
}

const text = (length: number) => JSON.stringify('x'.repeat(length))

const outOfBounds = (
  { minLength = 0, maxLength, pattern, minimum, maximum, maxItems, ...shape }: Shape,
  value: unknown,
) => {
  const types = typesOf(shape)
  const list: string[] = []
  if (types.includes('string')) {
    assert.ok(maxLength, 'every text in a body needs a maxLength')
    list.push(text(maxLength + 1), JSON.stringify('é'.repeat(maxLength + 1)))
    if (minLength > 0) list.push(text(minLength - 1))
    if (pattern !== undefined) list.push('"x"', '"１２３"', '"1 2"', '" 1"', '"-1"', '"1\\n"', '""')
  }
  if (types.includes('integer') || types.includes('number')) {
    assert.ok(minimum !== undefined && maximum !== undefined, 'every number in a body needs its bounds')
    const beyond = [`${minimum - 1}`, `${maximum + 1}`, '1e400', '-1e400', `${2 ** 31}`, '9007199254740993', '1e300']
    list.push(...beyond.filter((json) => Number(json) < minimum || Number(json) > maximum))
  }
  if (types.includes('array')) {
    assert.ok(maxItems, 'every list in a body needs a maxItems')
    const [first] = value as unknown[]
    list.push(JSON.stringify(Array(maxItems + 1).fill(first)), JSON.stringify(Array(maxItems + 5_000).fill(first)))
    list.push(JSON.stringify([...(value as unknown[]), null]), JSON.stringify([[first]]))
  }
  return list
}

const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const unstorable = ['"a\\u0000b"', '"a\\udc00b"', '{"__proto__":1}', deep(40)]

/**
 * The valid bodies of a call, each with one error. A field that was `tried` in another endpoint, such as the city of an
 * address, gets only two values.
 */
export const spoil = (prepared: Prepared, tried: Set<object>): Spoilt[] => [
  ...spotsOf(prepared).flatMap(({ name, shape, value, isRequired, write }) => [
    ...faultsOf(shape, value, tried).map((json) => schemaFault(name, write, json)),
    ...takeThird('unstorable', unstorable).map((json) => ({
      ...schemaFault(name, write, json),
      why: 'unstorable' as const,
    })),
    ...(isRequired ? [{ what: `no ${name}`, text: without(write), why: 'schema' as const }] : []),
    ...(takesAnything(shape) ? [] : [twice(name, shape, write, value)]),
  ]),
  ...wholes(prepared),
]

const faultsOf = (shape: Shape, value: unknown, tried: Set<object>) => {
  const all = [...outOfBounds(shape, value), ...wrongTypes(shape)]
  const isKnown = tried.has(shape)
  tried.add(shape)
  return isKnown ? all.slice(0, 2) : all
}

const schemaFault = (name: string, write: Spot['write'], json: string): Spoilt => ({
  what: `${name} = ${json.slice(0, 60)}`,
  text: write(json),
  why: 'schema',
})

const without = (write: Spot['write']) => {
  const [before = '', after = ''] = write('@').split('@')
  return `${before.replace(/"\w+":$/, '')}${after}`.replace(/,}/, '}').replace('{,', '{').replace(',,', ',')
}

/** The last of two counts, so a valid one before an invalid one is refused. */
const twice = (name: string, shape: Shape, write: Spot['write'], value: unknown): Spoilt => {
  const key = name.split('/').at(-1)
  const [bad = ''] = wrongTypes(shape)
  return { what: `${name} twice`, text: write(`${JSON.stringify(value)},"${key}":${bad}`), why: 'schema' }
}

const wholes = (call: Prepared) => takeThird('wholes', allWholes(call))

const allWholes = ({ endpoint, bodies: [good] }: Prepared): Spoilt[] => [
  ...['null', 'true', '5', '"text"', '[]', `[${JSON.stringify(good)}]`, ...(endpoint.isBodyOptional ? [] : [''])].map(
    (text) => ({
      ...{ what: `${text.slice(0, 20)} as the body`, text },
      why: 'schema' as const,
    }),
  ),
  ...notJson.map((text) => ({ what: `${text} as the body`, text, why: 'unstorable' as const })),
  ...[deep(20_000), '{"a":'.repeat(40) + 1 + '}'.repeat(40), '{"__proto__":{"a":1}}', '"\\u0000"'].map((text) => ({
    what: text.slice(0, 20),
    text,
    why: 'unstorable' as const,
  })),
  { what: 'a text of a million', text: text(1_000_000), why: 'schema' },
  { what: 'a prototype', text: JSON.stringify(good).replace('{', '{"__proto__":{},'), why: 'unstorable' },
]

export const notJson = ['{', '{"a":}', "{'a':1}", 'a=1', '{}}', 'undefined', 'NaN', ' ', '\ufeff{}', '<a/>']

/** Unusual text that most schemas allow. */
export const oddTexts = [
  ...[
    '',
    ' ',
    '\r\nset-cookie: a=b',
    '__proto__',
    'constructor',
    'null',
    '%00',
    '\\',
    "' or '1'='1",
    '../../etc/passwd',
  ],
  ...['<script>alert(1)</script>', '\u202e', '\ufeff', 'ﷺ', 'é\u0301\u0301', '٣', '-1', '+', 'a@b', 'İ@ı.ﬁ'],
]
