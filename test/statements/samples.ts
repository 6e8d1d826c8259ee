import type { Deletable } from '../../src/db/due-rows.sql.ts'
import { sql } from '../../src/db/sql.ts'
import type { Field, Shape } from './shape.ts'

/** Chooses one of several alternatives for the value at a path, such as `2.sort`. */
export type Choose = (path: string, alternatives: number) => number

/**
 * Calls `run` with every alternative of everything that it chooses, and with every two together: a statement that is
 * composed of pieces often gets one piece only when two arguments meet.
 */
export const runWithChoices = async (run: (choose: Choose) => Promise<void>, mostTogether = 2) => {
  const explore = async (fixed: ReadonlyMap<string, number>, from: number) => {
    const points = new Map<string, number>()
    await run((path, alternatives) => {
      points.set(path, alternatives)
      return fixed.get(path) ?? 0
    })
    if (fixed.size === mostTogether) return
    for (const [path, alternatives] of [...points].slice(from)) {
      if (fixed.has(path)) continue
      // Only later choices; pairs with earlier ones are done.
      const next = [...points.keys()].indexOf(path)
      for (let choice = 1; choice < alternatives; choice++) await explore(new Map(fixed).set(path, choice), next)
    }
  }
  await explore(new Map(), 0)
}

type SampleOptions = {
  choose: Choose
  queries: unknown
  deletables: readonly Deletable[]
  snapshots: readonly unknown[]
}

/** No other sample has this value, so it shows which parameters of a statement are the store. */
export const sampleStoreId = 7001

/** A value of a shape. */
export const sampleOf = (shape: Shape, path: string, options: SampleOptions): unknown => {
  const { choose, queries, deletables } = options
  const inner = (of: Shape, name: string | number) => sampleOf(of, `${path}.${name}`, options)
  switch (shape.kind) {
    case 'number':
      if ('of' in shape) return sampleStoreId
      return [1, 1000][choose(path, 2)]
    case 'string':
      return 'x'
    case 'boolean':
      return choose(path, 2) === 0
    case 'literal':
      return shape.value
    case 'Date':
      return new Date(0)
    case 'Buffer':
      return Buffer.of(0)
    case 'array':
      return Array.from({ length: [1, 2, 0][choose(path, 3)] ?? 0 }, (_, i) => inner(shape.of, i))
    case 'tuple':
      return shape.of.map(inner)
    case 'record':
      return { x: inner(shape.of, 'x') }
    case 'object':
      return Object.fromEntries(shape.fields.flatMap((field) => sampleOfField(field, path, options)))
    case 'union': {
      const chosen = shape.of[choose(path, shape.of.length)]
      return chosen && sampleOf(chosen, path, options)
    }
    case 'queries':
      return queries
    case 'deletable':
      return deletables[choose(path, deletables.length)]
    case 'snapshot':
      return options.snapshots[choose(path, options.snapshots.length)]
    case 'fragment':
      return sql`null`
    case 'function':
      return () => undefined
    case 'null':
    case 'unknown':
      return null
    case 'undefined':
      return undefined
  }
}

const sampleOfField = ({ name, isOptional, shape }: Field, path: string, options: SampleOptions) => {
  const own = `${path}.${name}`
  if (isOptional && options.choose(`${own}?`, 2) === 1) return []
  return [[name, sampleOf(shape, own, options)] as const]
}
