import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { DomainError, refuse } from '../../../core/domain-errors.ts'
import { errorMessage } from '../../../core/thrown.ts'
import { readProductTable, readRows } from './csv-reader.ts'
import { readJsonArray, readJsonLines } from './json-reader.ts'
import type { ProductRecord } from './records.ts'
import { isShopifyHeading, readShopifyTable } from './shopify.ts'
import { readText } from './text-source.ts'
import type { ImportFormat } from './transfer.admin.contract.ts'
import { isWooHeading, readWooTable } from './woocommerce.ts'

/** The unit of the position in a fault. */
export const unitOf = (format: ImportFormat) => (format === 'json' ? 'element' : 'line')

export type ImportFile = { path: string; bytes: number; format: ImportFormat; delimiter: string }

/** Detects the format from the beginning of the file, unless it is given. */
export const openImportFile = (path: string, given: ImportFormat | undefined): ImportFile => {
  const { head, bytes } = readHead(path)
  const delimiter = findDelimiter(head)
  return { path, bytes, format: given ?? detectFormat(head, delimiter), delimiter }
}

/** Reads the file from the beginning. `now` decides which sales are active. */
export const readRecords = (
  { path, format, delimiter }: ImportFile,
  now: Date,
  onBytes?: (bytes: number) => void,
): AsyncGenerator<ProductRecord> => {
  const text = readText(path, onBytes)
  if (format === 'json') return readJsonArray(text)
  if (format === 'jsonl') return readJsonLines(text)
  const rows = readRows(text, delimiter)
  if (format === 'woocommerce') return readWooTable(rows, now)
  return format === 'shopify' ? readShopifyTable(rows) : readProductTable(rows)
}

const headBytes = 64 * 1024

const readHead = (path: string) => {
  try {
    const { size } = statSync(path)
    if (!statSync(path).isFile()) throw refuse('IMPORT_FILE_IRREGULAR', { path })
    const buffer = Buffer.alloc(headBytes)
    const file = openSync(path, 'r')
    const length = readSync(file, buffer, 0, headBytes, 0)
    closeSync(file)
    return { head: buffer.toString('utf8', 0, length).replace(/^\uFEFF/, ''), bytes: size }
  } catch (error) {
    if (error instanceof DomainError) throw error
    throw refuse('IMPORT_FILE_UNREADABLE', { path, reason: errorMessage(error) }, { cause: error })
  }
}

const detectFormat = (head: string, delimiter: string): ImportFormat => {
  const start = head.trimStart()
  if (start.startsWith('[')) return 'json'
  if (start.startsWith('{')) return 'jsonl'
  const names = firstNames(head, delimiter)
  if (isWooHeading(names)) return 'woocommerce'
  return isShopifyHeading(names) ? 'shopify' : 'csv'
}

const firstLine = (head: string) => head.trimStart().split(/[\r\n]/, 1)[0] ?? ''

const firstNames = (head: string, delimiter: string) =>
  firstLine(head)
    .split(delimiter)
    .map((name) => name.replaceAll('"', ''))

/** Spreadsheets write semicolons in some locales, and some programs write tabs. */
const findDelimiter = (head: string) => {
  const line = firstLine(head)
  const count = (mark: string) => line.split(mark).length
  return [';', '\t'].find((mark) => count(mark) > count(',')) ?? ','
}
