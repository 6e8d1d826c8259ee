import { money, number, percent, shortMoney } from './format.ts'
import type { DayRange, Grouping } from './period.ts'
import { admin } from './session.ts'

/** A row of any report. Its columns are the fields that it has. */
export type ReportRow = Readonly<Record<string, string | number | null>>

type ReportWords = {
  label: string
  /** The field that the picture shows. */
  main: string
  /** Fields whose totals are shown above, with their change. */
  totals: readonly string[]
  isOverTime: boolean
  /** What to know if there is nothing. */
  empty: string
}

const noSales = 'Choose another period. Orders count once they are paid, or placed for cash.'

export const reports = {
  sales: {
    ...{ label: 'Sales', main: 'net', totals: ['net', 'orders', 'refunds', 'tax'], isOverTime: true, empty: noSales },
  },
  products: { label: 'Products', main: 'total', totals: ['total', 'quantity'], isOverTime: false, empty: noSales },
  categories: { label: 'Categories', main: 'total', totals: ['total', 'quantity'], isOverTime: false, empty: noSales },
  outlets: { label: 'Outlets', main: 'net', totals: ['net', 'orders'], isOverTime: false, empty: noSales },
  coupons: {
    ...{ label: 'Coupons', main: 'net', totals: ['net', 'orders', 'discount'], isOverTime: false },
    empty: 'No order of this period used a coupon.',
  },
  tax: { label: 'Tax', main: 'tax', totals: ['tax', 'refundedTax', 'netTax'], isOverTime: false, empty: noSales },
  carts: {
    ...{ label: 'Carts', main: 'conversion', totals: ['carts', 'orders', 'abandoned'], isOverTime: true },
    empty: 'No cart was filled in this period.',
  },
} satisfies Record<string, ReportWords>

export type ReportName = keyof typeof reports

/** How many rows of products, categories and the like are read. */
export const listedRows = 500

export const readReport = async (
  name: ReportName,
  { by, ...range }: DayRange & { by?: Grouping },
): Promise<readonly ReportRow[]> => {
  const listed = { ...range, limit: listedRows }
  const grouped = by === undefined ? range : { ...range, by }
  const readers = {
    sales: () => admin().reportSales(grouped),
    products: () => admin().reportProducts(listed),
    categories: () => admin().reportCategories(listed),
    outlets: () => admin().reportOutlets(listed),
    coupons: () => admin().reportCoupons(listed),
    tax: () => admin().reportTax(range),
    carts: () => admin().reportCarts(grouped),
  }
  return (await readers[name]()).data
}

type Kind = 'money' | 'count' | 'share'

const columnWords: Readonly<Record<string, readonly [label: string, kind: Kind]>> = {
  orders: ['Orders', 'count'],
  quantity: ['Units', 'count'],
  refundedQuantity: ['Units refunded', 'count'],
  gross: ['Goods', 'money'],
  discount: ['Discounts', 'money'],
  tax: ['Tax', 'money'],
  shipping: ['Shipping', 'money'],
  refunds: ['Refunds', 'money'],
  net: ['Net sales', 'money'],
  total: ['Sales', 'money'],
  taxable: ['Taxable', 'money'],
  refundedTaxable: ['Taxable refunded', 'money'],
  refundedTax: ['Tax refunded', 'money'],
  netTaxable: ['Net taxable', 'money'],
  netTax: ['Net tax', 'money'],
  carts: ['Carts', 'count'],
  abandoned: ['Not ordered', 'count'],
  conversion: ['Carts that became orders', 'share'],
}

export const labelOf = (field: string) => columnWords[field]?.[0] ?? field

export const formatOf = (field: string) => {
  const kind = columnWords[field]?.[1] ?? 'money'
  return { money: (value: number) => money(value), count: number, share: percent }[kind]
}

export const axisOf = (field: string) => (columnWords[field]?.[1] === 'money' ? shortMoney : formatOf(field))

/** The columns of numbers that a report has, in the order of the API. */
export const columnsOf = (row: ReportRow | undefined) => Object.keys(row ?? {}).filter((field) => field in columnWords)

export const sumOf = (rows: readonly ReportRow[], field: string) =>
  rows.reduce((sum, row) => sum + Number(row[field] ?? 0), 0)

/** A share is of all, not the sum of the shares of days. */
export const totalOf = (rows: readonly ReportRow[], field: string) => {
  if (field !== 'conversion') return sumOf(rows, field)
  const carts = sumOf(rows, 'carts')
  return carts === 0 ? 0 : sumOf(rows, 'orders') / carts
}
