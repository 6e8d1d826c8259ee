import { Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { readSafeText } from '../../../core/csv.ts'
import { mustExist } from '../../../core/must-exist.ts'
import { errorCode, errorMessage } from '../../../core/thrown.ts'
import { FileFault, maxRecordSize, type ProductRecord } from './records.ts'

export type Row = { line: number; cells: string[] }

/** Rows with the line that each starts on: quoted cells may span several lines. */
export async function* readRows(text: AsyncIterable<string>, delimiter: string): AsyncGenerator<Row> {
  // Inside quotes the parser counts CRLF as two lines.
  let countedTwice = 0
  let lastLine = 0
  const firstLines: number[] = []
  const parser = parse({
    ...{ delimiter, relax_column_count: true, max_record_size: maxRecordSize },
    record_delimiter: ['\r\n', '\n', '\r'],
    on_record: (cells, { lines }) => {
      const breaks = cells.flatMap((cell) => (/[\r\n]/.test(cell) ? (cell.match(/\r\n|\r|\n/g) ?? []) : []))
      countedTwice += breaks.filter((mark) => mark === '\r\n').length
      lastLine = lines - countedTwice
      firstLines.push(lastLine - breaks.length)
      return cells
    },
  })
  const source = Readable.from(text)
  source.on('error', (error) => parser.destroy(error))
  source.pipe(parser)
  const rows: AsyncIterable<string[]> = parser
  try {
    for await (const cells of rows) {
      const line = mustExist(firstLines.shift(), 'the line of a row')
      // An empty line is a row of one empty cell.
      if (cells.length > 1 || cells[0]?.trim() !== '') yield { line, cells }
    }
  } catch (error) {
    throw explain(error, lastLine + 1)
  } finally {
    source.destroy()
    parser.destroy()
  }
}

/** Reports the line on which the row starts: the position of a missing quote is unknown. */
const explain = (error: unknown, line: number) => {
  const message = csvFaults[errorCode(error) ?? '']
  return message === undefined ? error : new FileFault(line, message)
}

const csvFaults: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: 'has an unclosed quote',
  CSV_INVALID_CLOSING_QUOTE: 'has text after a closing quote; a quote inside a quoted cell is written twice',
  INVALID_OPENING_QUOTE: 'has a quote inside a cell; quote the whole cell and write the quote twice',
  CSV_MAX_RECORD_SIZE: 'is larger than 4 MB or has an unclosed quote',
}

export type CsvHeading = { line: number; names: string[] }

const plainName = (name: string) => name.toLowerCase().replaceAll(/[\s_-]/g, '')

/** Reads the header row. */
export const readHeading = async (rows: AsyncGenerator<Row>): Promise<CsvHeading> => {
  const first = await rows.next()
  if (first.done) throw new FileFault(1, 'is empty: the first line must have the column names')
  return { line: first.value.line, names: first.value.cells.map((name) => name.trim()) }
}

/** Two columns with one name are ambiguous. Ignored columns may repeat. */
export const refuseDuplicates = ({ line }: CsvHeading, taken: readonly (string | undefined)[]) => {
  const twice = taken.find((name, i) => name !== undefined && taken.indexOf(name) < i)
  if (twice !== undefined) throw new FileFault(line, `has the column "${twice}" twice`)
}

export const widthFault = (row: Row, heading: CsvHeading) =>
  row.cells.length === heading.names.length
    ? undefined
    : `has ${row.cells.length} cells, but the header has ${heading.names.length} columns`

/** Text columns are used as they are. The other cells are converted to the values that JSON would have. */
const textColumns = ['name', 'description', 'category', 'slug', 'sku', 'vendor', 'barcode']
const columns: Record<string, (text: string) => unknown> = {
  status: (text) => text.toUpperCase(),
  price: (text) => readNumber(text),
  compareAtPrice: (text) => readNumber(text),
  taxRate: (text) => readNumber(text),
  weightGrams: (text) => readNumber(text),
  stock: (text) => (text.startsWith('{') ? JSON.parse(text) : readNumber(text)),
  images: (text) => readList(text, /[|\n]|(?=https?:\/\/)/),
  tags: (text) => readList(text, /[|,\n]/),
  ...Object.fromEntries(
    ['options', 'variants', 'digital', 'prices', 'seo'].map((name) => [name, (text: string) => JSON.parse(text)]),
  ),
}
/** A map, because a column of a file can have any name, such as `constructor`. */
const readers = new Map(Object.entries(columns))
const columnNames = new Map([...textColumns, ...Object.keys(columns)].map((name) => [plainName(name), name]))

/** Anything else stays text, so that the validation reports it. */
export const readNumber = (text: string) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text)

const readList = (text: string, separator: RegExp): unknown =>
  text.startsWith('[')
    ? JSON.parse(text)
    : text
        .split(separator)
        .map((part) => part.trim().replace(/[,;]$/, '').trim())
        .filter((part) => part !== '')

/** Fields that an empty cell does not clear: a table has empty cells where a column does not apply to a product. */
const neverCleared = new Set(['name', 'slug', 'price', 'status', 'stock', 'options', 'variants'])

/**
 * A table with the field names of the JSON format as its header; lists and objects are written as JSON. An empty cell
 * clears the field, as in the tables of other shops; fields without a column do not change (decision 0023).
 */
export async function* readProductTable(rows: AsyncGenerator<Row>): AsyncGenerator<ProductRecord> {
  const heading = await readHeading(rows)
  const names = heading.names.map((name) => columnNames.get(plainName(name)))
  refuseDuplicates(heading, names)
  if (!names.includes('name') && !names.includes('slug'))
    throw new FileFault(heading.line, 'has no column "name" or "slug"; the first line must have the column names')
  for await (const row of rows) {
    const wrong = widthFault(row, heading)
    yield wrong === undefined ? readRow(row, names, heading.names) : faultyRow(row.line, 'product', wrong)
  }
}

const readRow = ({ line, cells }: Row, names: readonly (string | undefined)[], heading: readonly string[]) => {
  const value: Record<string, unknown> = {}
  for (const [i, cell] of cells.entries()) {
    const name = names[i] ?? heading[i] ?? ''
    if (cell.trim() === '') {
      if (names[i] !== undefined && !neverCleared.has(name)) value[name] = null
      continue
    }
    if (name === '') continue
    try {
      value[name] = readers.get(name)?.(cell.trim()) ?? readSafeText(cell)
    } catch (error) {
      return faultyRow(line, name, `is not JSON: ${errorMessage(error)}`)
    }
  }
  return { line, value }
}

export const faultyRow = (line: number, field: string, message: string): ProductRecord => ({
  ...{ line, value: null },
  faults: [{ line, field, message }],
})
