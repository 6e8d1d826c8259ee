import { slugify } from '../product-input.ts'
import { faultyRow, type Heading, type Row, readHeading, readNumber, refuseTwice, widthFault } from './csv-reader.ts'
import { type Fault, FileFault, type ProductRecord } from './records.ts'

/** What we take from Shopify's file, under the names that it has had over the years. Other columns are ignored. */
const columnNames = {
  handle: ['handle', 'url handle'],
  title: ['title'],
  body: ['body (html)', 'description'],
  type: ['type', 'custom product type'],
  category: ['product category', 'standard product type', 'standardized product type'],
  tags: ['tags'],
  published: ['published', 'published on online store'],
  status: ['status'],
  option1: ['option1 name'],
  option2: ['option2 name'],
  option3: ['option3 name'],
  value1: ['option1 value'],
  value2: ['option2 value'],
  value3: ['option3 value'],
  sku: ['variant sku', 'sku'],
  price: ['variant price', 'price'],
  compareAtPrice: ['variant compare at price', 'compare-at price', 'compare at price'],
  tracker: ['variant inventory tracker', 'inventory tracker'],
  quantity: ['variant inventory qty', 'inventory quantity'],
  policy: ['variant inventory policy', 'continue selling when out of stock'],
  image: ['image src', 'product image url'],
  position: ['image position'],
  variantImage: ['variant image', 'variant image url'],
  seoTitle: ['seo title'],
  seoDescription: ['seo description'],
}
type Column = keyof typeof columnNames

type ShopifyRow = { line: number; cell: (column: Column) => string }
type Columns = { has: (column: Column) => boolean; label: (column: Column) => string; row: (row: Row) => ShopifyRow }

export const isShopifyHeading = (names: readonly string[]) => {
  const lower = names.map((name) => name.trim().toLowerCase())
  return lower.includes('title') && !lower.includes('name')
}

/** Rows that follow each other with one handle are one product: its variants and its pictures. */
export async function* readShopifyTable(rows: AsyncGenerator<Row>): AsyncGenerator<ProductRecord> {
  const heading = await readHeading(rows)
  const columns = findColumns(heading)
  let handle = ''
  let group: ShopifyRow[] = []
  for await (const raw of rows) {
    const wrong = widthFault(raw, heading)
    if (wrong !== undefined) {
      yield faultyRow(raw.line, 'product', wrong)
      continue
    }
    const row = columns.row(raw)
    const own = row.cell('handle') || slugify(row.cell('title'))
    if (own === '') {
      yield faultyRow(raw.line, columns.label('handle'), 'is required')
      continue
    }
    if (own !== handle && group.length > 0) yield readGroup(handle, group, columns)
    if (own !== handle) group = []
    handle = own
    group.push(row)
  }
  if (group.length > 0) yield readGroup(handle, group, columns)
}

const findColumns = (heading: Heading): Columns => {
  const lower = heading.names.map((name) => name.toLowerCase())
  const taken = new Set(Object.values(columnNames).flat())
  refuseTwice(
    heading,
    lower.map((name) => (taken.has(name) ? name : undefined)),
  )
  const places = Object.entries(columnNames).map(([column, names]) => {
    const at = names.map((name) => lower.indexOf(name)).find((index) => index >= 0)
    return [column as Column, at ?? -1] as const
  })
  const index = Object.fromEntries(places) as Record<Column, number>
  if (index.title < 0) throw new FileFault(heading.line, 'names no column "Title", so it is no product file of Shopify')
  return {
    has: (column) => index[column] >= 0,
    label: (column) => heading.names[index[column]] ?? column,
    row: ({ line, cells }) => ({ line, cell: (column) => cells[index[column]]?.trim() ?? '' }),
  }
}

const readGroup = (handle: string, rows: readonly ShopifyRow[], columns: Columns): ProductRecord => {
  const first = rows[0] as ShopifyRow
  const faults: Fault[] = []
  const report = (row: ShopifyRow, column: Column, message: string) =>
    void faults.push({ line: row.line, field: columns.label(column), message })

  const variantRows = rows.filter((row, i) => i === 0 || isVariant(row))
  const optionNames = (['option1', 'option2', 'option3'] as const)
    .map((column) => rows.map((row) => row.cell(column)).find((name) => name !== '') ?? '')
    .filter((name) => name !== '')
  const isSimple =
    variantRows.length === 1 &&
    (optionNames.length === 0 || (optionNames.length === 1 && first.cell('value1') === 'Default Title'))
  if (!isSimple && optionNames.length === 0) {
    report(variantRows[1] ?? first, 'option1', 'is required, because the product has several variants')
  }
  for (const row of variantRows) if (row.cell('price') === '') report(row, 'price', 'is required')

  const pictures = listPictures(rows)
  const value = {
    slug: handle,
    name: first.cell('title'),
    description: first.cell('body'),
    category: first.cell('type') || first.cell('category'),
    tags: splitTags(first.cell('tags')),
    status: readStatus(first, report),
    images: pictures.map(({ url }) => url),
    seo: { title: first.cell('seoTitle'), description: first.cell('seoDescription') },
    ...(isSimple
      ? readVariant(first, columns)
      : {
          options: optionNames.map((name, i) => ({ name, values: distinct(variantRows.map(choiceAt(i))) })),
          variants: variantRows.map((row) => ({
            ...readVariant(row, columns),
            options: readOptions(row, optionNames, report),
          })),
        }),
  }
  const place = (field: string) => placeOf(field, { first, variantRows, pictures }, columns)
  return { line: first.line, value, place, ...(faults.length > 0 ? { faults } : {}) }
}

/** A row that only brings a picture has none of these. */
const isVariant = ({ cell }: ShopifyRow) =>
  (['value1', 'value2', 'value3', 'sku', 'price'] as const).some((column) => cell(column) !== '')

const choiceAt = (i: number) => (row: ShopifyRow) => row.cell(`value${i + 1}` as Column)

const distinct = (texts: readonly string[]) => [...new Set(texts.filter((text) => text !== ''))]

type Report = (row: ShopifyRow, column: Column, message: string) => void

const readOptions = (row: ShopifyRow, names: readonly string[], report: Report) =>
  Object.fromEntries(
    names.map((name, i) => {
      const value = choiceAt(i)(row)
      if (value === '')
        report(row, `value${i + 1}` as Column, `is required, because the product has the option ${name}`)
      return [name, value]
    }),
  )

const readVariant = (row: ShopifyRow, columns: Columns) => {
  const price = readNumber(row.cell('price'))
  const compareAt = readNumber(row.cell('compareAtPrice'))
  // Shopify shows a struck-out price only when it is the higher one.
  const isLower = typeof compareAt === 'number' && typeof price === 'number' && compareAt <= price
  const stock = readStock(row, columns)
  return {
    sku: row.cell('sku'),
    price,
    ...(compareAt === '' || isLower ? {} : { compareAtPrice: compareAt }),
    ...(stock === undefined ? {} : { stock }),
  }
}

/** Undefined when the file does not tell: shops with several locations keep their stock in another file. */
const readStock = (row: ShopifyRow, columns: Columns) => {
  const quantity = readNumber(row.cell('quantity'))
  const untracked = columns.has('tracker') ? row.cell('tracker') === '' : quantity === ''
  const sellsOn = /^(continue|true)$/i.test(row.cell('policy'))
  if (sellsOn || untracked) return 'plenty'
  if (quantity === '') return undefined
  // Shopify counts below zero what it still owes.
  return typeof quantity === 'number' ? Math.max(0, quantity) : quantity
}

const splitTags = (text: string) => distinct(text.split(',').map((tag) => tag.trim()))

const statuses: Record<string, string> = {
  '': 'ACTIVE',
  active: 'ACTIVE',
  draft: 'DRAFT',
  // Reached by its address only, which no list of ours can express: better unseen than seen by everybody.
  unlisted: 'DRAFT',
  archived: 'ARCHIVED',
}

const readStatus = (row: ShopifyRow, report: Report) => {
  const status = statuses[row.cell('status').toLowerCase()]
  if (status === undefined) report(row, 'status', 'must be one of active, draft, archived, unlisted')
  const hidden = row.cell('published').toLowerCase() === 'false'
  return status === 'ACTIVE' && hidden ? 'DRAFT' : (status ?? 'ACTIVE')
}

type Picture = { url: string; row: ShopifyRow; position: number }

/** In the order of their positions; those without one keep the order of the file behind them. */
const listPictures = (rows: readonly ShopifyRow[]): Picture[] => {
  const own = rows.map((row) => ({ url: row.cell('image'), row, position: Number(row.cell('position') || Infinity) }))
  const ofVariants = rows.map((row) => ({ url: row.cell('variantImage'), row, position: Infinity }))
  const sorted = own.toSorted((a, b) => (a.position === b.position ? 0 : a.position - b.position))
  const all = [...sorted, ...ofVariants].filter(({ url }) => url !== '')
  return all.filter(({ url }, i) => all.findIndex((other) => other.url === url) === i)
}

type Group = { first: ShopifyRow; variantRows: readonly ShopifyRow[]; pictures: readonly Picture[] }

const fieldColumns: Record<string, Column> = {
  ...{ slug: 'handle', name: 'title', description: 'body', category: 'type', tags: 'tags', status: 'status' },
  ...{ sku: 'sku', price: 'price', compareAtPrice: 'compareAtPrice', stock: 'quantity', images: 'image' },
  ...{ options: 'value1', variants: 'value1' },
}

/** Our field, as the row and the column of the file. */
const placeOf = (field: string, { first, variantRows, pictures }: Group, { label }: Columns) => {
  const [head = '', index = '', part = ''] = field.split('.')
  if (head === 'variants' && index !== '') {
    return { line: (variantRows[Number(index)] ?? first).line, field: label(fieldColumns[part] ?? 'value1') }
  }
  if (head === 'images' && index !== '') {
    return { line: (pictures[Number(index)]?.row ?? first).line, field: label('image') }
  }
  if (head === 'seo') return { line: first.line, field: label(index === 'title' ? 'seoTitle' : 'seoDescription') }
  const column = fieldColumns[head]
  return { line: first.line, field: column === undefined ? field : label(column) }
}
