import assert from 'node:assert/strict'
import type { Schema } from '../sdk/generate/schema.ts'
import { describe, type NamedEndpoint, type Person, type World, word } from './world.ts'
import type { Parts } from './world-calls.ts'
import { findRow, rowNamedBy, type Where } from './world-names.ts'

type Bounds = Schema & { minimum?: number; minLength?: number; maxLength?: number; pattern?: string; format?: string }
type Caller = { endpoint: NamedEndpoint; world: World; person: Person | null }

let count = 0
export const newEmail = () => `shopper-${++count}@example.com`
export const newPhone = () => `+9198765${String(++count).padStart(5, '0')}`

/** A good call made from the contract alone: rows by the names of fields, all else by its schema. */
export const deriveCall = async (world: World, endpoint: NamedEndpoint, person: Person | null): Promise<Parts> => {
  const caller = { endpoint, world, person }
  const { params, query, body } = endpoint as { params?: Bounds; query?: Bounds; body?: Bounds }
  const needed = new Set(query?.required)
  const queryFields = Object.entries(query?.properties ?? {}).filter(([name]) => needed.has(name))
  return {
    params: await fillText(caller, 'params', Object.entries(params?.properties ?? {})),
    query: await fillText(caller, 'query', queryFields),
    bodies: body === undefined ? [] : [(await makeSample(caller, 'body', '', body)) as Record<string, unknown>],
  }
}

const fillText = async (caller: Caller, where: Where, fields: [name: string, schema: Bounds][]) => {
  const texts: Record<string, string> = {}
  for (const [name, schema] of fields) texts[name] = String(await makeSample(caller, where, name, schema))
  return texts
}

const makeSample = async (caller: Caller, where: Where, name: string, schema: Bounds): Promise<unknown> => {
  if (schema.enum !== undefined) return schema.enum[0]
  const kind = [schema.type].flat().find((type) => type !== 'null')
  if (kind === 'object') {
    const fields: Record<string, unknown> = {}
    for (const [field, inner] of Object.entries(schema.properties ?? {}))
      fields[field] = await makeSample(caller, where, field, inner)
    return fields
  }
  if (kind === 'array') return schema.items === undefined ? [] : [await makeSample(caller, where, name, schema.items)]
  if (kind === 'boolean') return true
  if (kind === 'integer' || kind === 'number') return Math.max(schema.minimum ?? 1, 1)
  const row = rowNamedBy(caller.endpoint, where, name)
  return row === undefined ? makeText(caller, name, schema) : findRow(row, caller.world, caller.person)
}

const makeText = ({ endpoint }: Caller, name: string, { pattern, format, minLength = 0, maxLength = 100 }: Bounds) => {
  if (name === 'email') return newEmail()
  if (name === 'phone') return newPhone()
  const isPlain = pattern === undefined && format === undefined && minLength <= word.length && maxLength >= word.length
  assert.ok(isPlain, `${describe(endpoint)}: give ${endpoint.name} a call with ${name} in test/world-calls.ts`)
  return word
}
