import { type CsvHeading, type Row, refuseDuplicates } from './csv-reader.ts'

/** A row of a table that another shop wrote. A column that the table does not have gives an empty cell. */
export type NamedRow<Column extends string> = {
  line: number
  /** Without the spaces around it. */
  cell: (column: Column) => string
  raw: (column: Column) => string
  /** Columns that mean nothing here and have something in them. */
  ignored: string[]
}

export type Columns<Column extends string> = {
  has: (column: Column) => boolean
  /** As the file names it. */
  label: (column: Column) => string
  row: (row: Row) => NamedRow<Column>
}

export type ColumnNames<Column extends string> = Record<Column, readonly string[]>

/** What an ignored column may hold without a loss, by its name in lower case. */
export type Harmless = Record<string, RegExp>

/** Finds the columns that we take, under any of the names that they have had, in lower case. */
export const findColumns = <Column extends string>(
  heading: CsvHeading,
  columnNames: ColumnNames<Column>,
  harmless: Harmless,
): Columns<Column> => {
  const lower = heading.names.map((name) => name.toLowerCase())
  const entries = Object.entries<readonly string[]>(columnNames)
  const taken = new Set(entries.flatMap(([, names]) => names))
  refuseDuplicates(
    heading,
    lower.map((name) => (taken.has(name) ? name : undefined)),
  )
  const places = entries.map(([column, names]) => {
    const at = names.map((name) => lower.indexOf(name)).find((index) => index >= 0)
    return [column, at ?? -1] as const
  })
  const index = new Map(places)
  const indexOf = (column: Column) => index.get(column) ?? -1
  const others = heading.names
    .map((name, at) => ({ name, at, harmless: harmless[lower[at] ?? ''] }))
    .filter(({ name, at }) => name !== '' && !taken.has(lower[at] ?? ''))
  return {
    has: (column) => indexOf(column) >= 0,
    label: (column) => heading.names[indexOf(column)] ?? column,
    row: ({ line, cells }) => ({
      line,
      raw: (column) => cells[indexOf(column)] ?? '',
      cell: (column) => cells[indexOf(column)]?.trim() ?? '',
      ignored: others
        .filter(({ at, harmless: fits }) => cells[at]?.trim() !== '' && !fits?.test(cells[at]?.trim() ?? ''))
        .map(({ name }) => name),
    }),
  }
}

/** The field's value where the table has the column: null, which clears it, for an empty cell. */
export const cellOrNull = (text: string) => (text === '' ? null : text)
