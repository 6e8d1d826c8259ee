import { type CsvHeading, type Row, refuseDuplicates } from './csv-reader.ts'

/** A row of a table from another shop system. A missing column gives an empty cell. */
export type NamedRow<Column extends string> = {
  line: number
  /** Trimmed. */
  cell: (column: Column) => string
  raw: (column: Column) => string
  /** Unknown columns that are not empty. */
  ignored: string[]
}

export type Columns<Column extends string> = {
  has: (column: Column) => boolean
  /** The column name in the file. */
  label: (column: Column) => string
  row: (row: Row) => NamedRow<Column>
}

export type ColumnNames<Column extends string> = Record<Column, readonly string[]>

/** Values of unknown columns that can be ignored without loss, by column name in lower case. */
export type Harmless = Record<string, RegExp>

/** Finds the known columns by any of their names, in lower case. */
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
  const indexes = entries.map(([column, names]) => {
    const at = names.map((name) => lower.indexOf(name)).find((index) => index >= 0)
    return [column, at ?? -1] as const
  })
  const index = new Map(indexes)
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

/** An empty cell becomes null, which clears the field. */
export const cellOrNull = (text: string) => (text === '' ? null : text)
