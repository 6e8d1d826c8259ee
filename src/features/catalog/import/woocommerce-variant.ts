import { days } from '../../../core/clock.ts'
import { readNumber } from './csv-reader.ts'
import type { RecordFault } from './records.ts'
import type { WooColumns, WooRow } from './woocommerce-columns.ts'

/** WooCommerce writes line breaks as `\n`, and an apostrophe before text that a spreadsheet would treat as a formula. */
export const wooText = (text: string) =>
  text
    .replace(/^'(?=[=+\-@])/, '')
    .replaceAll(/\\\\n|\\n/g, (mark) => (mark === '\\n' ? '\n' : '\\n'))
    .replaceAll('&amp;', '&')

/** Reads the variant fields of a row: of a simple product, or of a variation of `parent`. */
export const readWooVariant = (row: WooRow, parent: WooRow | undefined, columns: WooColumns, now: Date) => {
  const faults: RecordFault[] = []
  const stock = readStock(row, parent, (message) => {
    faults.push({ line: row.line, field: columns.label('stock'), message })
  })
  const value = {
    ...(columns.has('sku') ? { sku: wooText(row.cell('sku')) } : {}),
    ...readPrices(row, columns, now),
    ...(stock === undefined ? {} : { stock }),
    ...(columns.has('gtin') ? { barcode: row.cell('gtin') } : {}),
    ...readWeight(row, parent, columns),
  }
  return { value, faults }
}

/** Sale prices apply only between the start and end of the sale. */
const readPrices = (row: WooRow, columns: WooColumns, now: Date) => {
  const [regular, sale] = [readNumber(row.cell('regularPrice')), readNumber(row.cell('salePrice'))]
  const start = Date.parse(row.cell('saleStart'))
  const lastDay = row.cell('saleEnd')
  // A date without a time includes the whole day.
  const end = Date.parse(lastDay) + (lastDay.includes(':') ? 0 : days(1))
  const isOn = sale !== '' && !(start > now.getTime()) && !(end <= now.getTime())
  if (isOn) return { price: sale, compareAtPrice: regular === '' ? null : regular }
  return {
    ...(regular === '' ? {} : { price: regular }),
    ...(columns.has('salePrice') ? { compareAtPrice: null } : {}),
  }
}

/** Null: not tracked. */
const readStock = (row: WooRow, parent: WooRow | undefined, report: (message: string) => void) => {
  const quantity = readNumber(row.cell('stock').replace(/^'/, ''))
  const sellsOn = /^(1|yes|notify)$/i.test(row.cell('backorders')) || /^backorder$/i.test(row.cell('inStock'))
  const isShared = /^parent$/i.test(row.cell('stock')) || (quantity === '' && parent !== undefined && hasUnits(parent))
  if (sellsOn) return null
  if (isShared) {
    report('is shared with the other variations, which is not supported: give each of them a number')
    return undefined
  }
  if (quantity !== '') return typeof quantity === 'number' ? Math.max(0, Math.floor(quantity)) : quantity
  if (row.cell('inStock') === '') return undefined
  return row.cell('inStock') === '0' ? 0 : null
}

const hasUnits = (parent: WooRow) => typeof readNumber(parent.cell('stock')) === 'number'

const weightUnits = ['grams', 'kilograms', 'pounds', 'ounces'] as const
const gramsIn = { grams: 1, kilograms: 1000, pounds: 453.59237, ounces: 28.349523125 }

export const weightColumn = (columns: WooColumns) => weightUnits.find((column) => columns.has(column))

/** A variation without a weight inherits that of its product. */
const readWeight = (row: WooRow, parent: WooRow | undefined, columns: WooColumns) => {
  const unit = weightColumn(columns)
  if (unit === undefined) return {}
  const weight = readNumber(row.cell(unit) || (parent?.cell(unit) ?? ''))
  if (weight === '' || weight === 0) return { weightGrams: null }
  return { weightGrams: typeof weight === 'number' ? Math.round(weight * gramsIn[unit] * 1000) / 1000 : weight }
}
