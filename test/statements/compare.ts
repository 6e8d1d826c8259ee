import type { Column, Value } from './describe.ts'
import { alternativesOf, type Field, type Shape } from './shape.ts'

/** Where a declared row type differs from the columns of a statement. */
export const compareRow = (row: Shape | undefined, columns: readonly Column[]): Fault[] => {
  const fields = row && fieldsOf(row)
  if (fields === undefined) return [{ kind: 'type', column: '', text: 'has no row type' }]
  const names = new Set(columns.map(({ name }) => name))
  const missing = [...fields.values()].filter(({ name, isOptional }) => !isOptional && !names.has(name))
  return [
    ...missing.map(({ name }) => typeFault(name, `declares "${name}", which the statement does not return`)),
    ...columns.flatMap((column) => {
      const { name } = column
      const field = fields.get(name)
      return field ? compareColumn(column, field.shape) : [typeFault(name, `does not declare the column "${name}"`)]
    }),
  ]
}

/** `null`: the column may be null, and the row type does not say so. */
export type Fault = { kind: 'type' | 'null'; column: string; text: string }

const typeFault = (column: string, text: string): Fault => ({ kind: 'type', column, text })

/**
 * The fields of a row. A row of several kinds has the fields of all of them, and where one kind has no such field the
 * column may be absent or null.
 */
const fieldsOf = (row: Shape): Map<string, Field> | undefined => {
  const kinds = alternativesOf(row).flatMap((shape) => (shape.kind === 'object' ? [shape.fields] : []))
  if (kinds.length < alternativesOf(row).length) return undefined
  const byName = Map.groupBy(kinds.flat(), ({ name }) => name)
  const merge = ([name, fields]: [string, readonly Field[]]): [string, Field] => {
    const isOfAll = fields.length === kinds.length
    const shapes = fields.flatMap(({ shape }) => alternativesOf(shape))
    return [
      name,
      {
        name,
        isOptional: !isOfAll || fields.some((field) => field.isOptional),
        shape: { kind: 'union', of: isOfAll ? shapes : [...shapes, { kind: 'null' }] },
      },
    ]
  }
  return new Map([...byName].map(merge))
}

const compareColumn = ({ name, value, isNullable }: Column, declared: Shape): Fault[] => {
  const alternatives = alternativesOf(declared)
  const faults: Fault[] = []
  if (alternatives.some((shape) => shape.kind !== 'null' && !fits(value, shape))) {
    faults.push(typeFault(name, `declares "${name}" as ${show(declared)}, and it is ${showValue(value)}`))
  }
  if (isNullable && !alternatives.some(({ kind }) => kind === 'null' || kind === 'unknown')) {
    faults.push({ kind: 'null', column: name, text: `declares "${name}" without null, and it may be null` })
  }
  return faults
}

const fits = (value: Value, shape: Shape): boolean => {
  if (shape.kind === 'unknown') return true
  if (value.kind === 'json') return isJson(shape)
  if (value.kind === 'array')
    return shape.kind === 'array' && alternativesOf(shape.of).every((of) => fits(value.of, of))
  if (shape.kind === 'literal') return typeof shape.value === value.kind
  return shape.kind === value.kind
}

/** JSON has no dates, and nothing in it is undefined, though a field may be left out. */
const isJson = (shape: Shape): boolean => {
  switch (shape.kind) {
    case 'array':
    case 'record':
      return isJson(shape.of)
    case 'tuple':
    case 'union':
      return shape.of.every(isJson)
    case 'object':
      return shape.fields.every((field) =>
        alternativesOf(field.shape).every((of) => isJson(of) || (field.isOptional && of.kind === 'undefined')),
      )
    default:
      return ['number', 'string', 'boolean', 'null', 'unknown', 'literal'].includes(shape.kind)
  }
}

const showValue = (value: Value): string => {
  if (value.kind === 'array') return `${showValue(value.of)}[]`
  return value.kind === 'json' ? 'JSON, which has no dates' : value.kind
}

const show = (shape: Shape): string => {
  switch (shape.kind) {
    case 'literal':
      return JSON.stringify(shape.value)
    case 'array':
      return `(${show(shape.of)})[]`
    case 'union':
      return shape.of.map(show).join(' | ')
    default:
      return shape.kind
  }
}
