import { type Draft, keyOf, type Option, type Rename, type Row, renamed } from './product-draft.ts'

type Grid = Pick<Draft, 'options' | 'rows'>

const without = (options: Record<string, string>, name: string) =>
  Object.fromEntries(Object.entries(options).filter(([other]) => other !== name))

/** The first row of each combination. */
const distinct = (rows: readonly Row[]) =>
  [...new Map(rows.toReversed().map((row) => [keyOf(row.options), row])).values()].toReversed()

/** In the order of the values of the options. */
const inOrder = ({ options, rows }: Grid): Grid => {
  const place = (row: Row) => options.map(({ name, values }) => values.indexOf(row.options[name] ?? ''))
  const compare = (one: Row, other: Row) => {
    const [a, b] = [place(one), place(other)]
    for (const [i, at] of a.entries()) if (at !== b[i]) return at - (b[i] ?? 0)
    return 0
  }
  return { options, rows: rows.toSorted(compare) }
}

/** A variant like another one. What names one article is left empty. */
const copyOf = (row: Row, options: Record<string, string>): Row => ({
  ...row,
  ...{ id: null, options, sku: '', barcode: '', picture: null, stock: {}, knownStock: {} },
})

/** The row of a variant that was there before, so that it comes back with its stock. */
export type Restore = (options: Record<string, string>) => Row | undefined

const withValue = (options: readonly Option[], name: string, value: string) =>
  options.map((option) => (option.name === name ? { ...option, values: [...option.values, value] } : option))

/** Fills the grid with the new combinations. The first value of an option goes to the variants that are there. */
export const addValue = ({ options, rows }: Grid, name: string, value: string, restore: Restore): Grid => {
  const option = options.find((one) => one.name === name)
  if (option === undefined || option.values.includes(value)) return { options, rows }
  const isFirst = option.values.length === 0
  const given = (row: Row) => ({ ...row.options, [name]: value })
  const others = distinct(rows.map((row) => ({ ...row, options: without(row.options, name) })))
  return inOrder({
    options: withValue(options, name, value),
    rows: isFirst
      ? rows.map((row) => ({ ...row, options: given(row) }))
      : [...rows, ...others.map((row) => restore(given(row)) ?? copyOf(row, given(row)))],
  })
}

export const removeValue = (grid: Grid, name: string, value: string): Grid => {
  const option = grid.options.find((one) => one.name === name)
  if (option === undefined || option.values.length === 1) return removeOption(grid, name)
  return {
    options: grid.options.map((one) =>
      one.name === name ? { name, values: one.values.filter((other) => other !== value) } : one,
    ),
    rows: grid.rows.filter((row) => row.options[name] !== value),
  }
}

export const removeOption = ({ options, rows }: Grid, name: string): Grid => ({
  options: options.filter((option) => option.name !== name),
  rows: distinct(rows.map((row) => ({ ...row, options: without(row.options, name) }))),
})

export const addOption = ({ options, rows }: Grid, name: string): Grid => ({
  options: options.some((option) => option.name === name) ? options : [...options, { name, values: [] }],
  rows,
})

/** Variants stay what they are, with other words. */
export const renameIn = ({ options, rows }: Grid, step: Rename): Grid => {
  const { option, value, to } = step
  return {
    options: options.map(({ name, values }) => ({
      name: name === option && value === undefined ? to : name,
      values: values.map((own) => (name === option && own === value ? to : own)),
    })),
    rows: rows.map((row) => ({ ...row, options: renamed(row.options, [step]) })),
  }
}

/** Combinations that are not sold. */
export const missingRows = ({ options, rows }: Grid, restore: Restore): Row[] => {
  const known = new Set(rows.map((row) => keyOf(row.options)))
  const [first] = rows
  if (first === undefined) return []
  const all = options
    .filter(({ values }) => values.length > 0)
    .reduce<Record<string, string>[]>(
      (made, { name, values }) => made.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
      [{}],
    )
  return all.filter((one) => !known.has(keyOf(one))).map((one) => restore(one) ?? copyOf(first, one))
}

export const addMissing = (grid: Grid, restore: Restore): Grid =>
  inOrder({ ...grid, rows: [...grid.rows, ...missingRows(grid, restore)] })
