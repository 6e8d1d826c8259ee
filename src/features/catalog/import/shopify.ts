import { mustExist } from '../../../core/must-exist.ts'
import { slugify } from '../product-input.ts'
import { type Columns, cellOrNull, findColumns, type Harmless, type NamedRow } from './columns.ts'
import { faultyRow, type Row, readHeading, readNumber, widthFault } from './csv-reader.ts'
import { FileFault, type ProductRecord, type RecordFault } from './records.ts'

/** The columns of Shopify's product file, under all names they have had. */
const columnNames = {
  handle: ['handle', 'url handle'],
  title: ['title'],
  body: ['body (html)', 'description'],
  vendor: ['vendor'],
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
  barcode: ['variant barcode', 'barcode'],
  price: ['variant price', 'price'],
  compareAtPrice: ['variant compare at price', 'compare-at price', 'compare at price'],
  tracker: ['variant inventory tracker', 'inventory tracker'],
  quantity: ['variant inventory qty', 'inventory quantity'],
  policy: ['variant inventory policy', 'continue selling when out of stock'],
  grams: ['variant grams', 'weight value (grams)'],
  // The unit in which Shopify shows the weight; the weight itself is in grams.
  weightUnit: ['variant weight unit', 'weight unit for display'],
  image: ['image src', 'product image url'],
  position: ['image position'],
  alt: ['image alt text'],
  variantImage: ['variant image', 'variant image url'],
  seoTitle: ['seo title'],
  seoDescription: ['seo description'],
} as const
type Column = keyof typeof columnNames
type ShopifyRow = NamedRow<Column>

/** Values that are true for every product here, so ignoring the column loses nothing. */
const harmless: Harmless = {
  'gift card': /^false$/i,
  'variant requires shipping': /^true$/i,
  'requires shipping': /^true$/i,
  'variant taxable': /^true$/i,
  'charge tax': /^true$/i,
  'variant fulfillment service': /^manual$/i,
  'fulfillment service': /^manual$/i,
}

const ownColumns = ['url handle', 'variant price', 'variant sku', 'body (html)', 'option1 value']

export const isShopifyHeading = (names: readonly string[]) => {
  const lower = names.map((name) => name.trim().toLowerCase())
  if (lower.includes('name')) return false
  return lower.includes('title') || ownColumns.some((name) => lower.includes(name))
}

/** Consecutive rows with one handle are one product: its variants and images. */
export async function* readShopifyTable(rows: AsyncGenerator<Row>): AsyncGenerator<ProductRecord> {
  const heading = await readHeading(rows)
  const columns = findColumns<Column>(heading, columnNames, harmless)
  if (!columns.has('title') && !columns.has('handle')) {
    throw new FileFault(heading.line, 'has no column "Handle" or "Title", so it is not a Shopify product file')
  }
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

const readGroup = (handle: string, rows: readonly ShopifyRow[], columns: Columns<Column>): ProductRecord => {
  const first = mustExist(rows[0], 'the first row of a product')
  const faults: RecordFault[] = []
  const report = (row: ShopifyRow, column: Column, message: string) =>
    void faults.push({ line: row.line, field: columns.label(column), message })

  const variantRows = rows.filter((row, i) => i === 0 || isVariant(row))
  const optionNames = (['option1', 'option2', 'option3'] as const)
    .map((column) => rows.map((row) => row.cell(column)).find((name) => name !== '') ?? '')
    .filter((name) => name !== '')
  const isSimple =
    variantRows.length === 1 &&
    (optionNames.length === 0 || (optionNames.length === 1 && first.cell('value1') === 'Default Title'))
  // A file without options can still identify the variants of an existing product by SKU.
  const byOptions = columns.has('option1') || columns.has('value1')
  if (!isSimple && byOptions && optionNames.length === 0) {
    report(variantRows[1] ?? first, 'option1', 'is required, because the product has several variants')
  }

  /** A missing column does not change the field; an empty cell clears it. */
  const text = (field: string, column: Column, value = cellOrNull(first.cell(column))) =>
    columns.has(column) ? { [field]: value } : {}
  const images = listImages(rows, columns)
  const hasImages = columns.has('image') || images.length > 0
  const value = {
    slug: handle,
    ...(first.cell('title') === '' ? {} : { name: first.cell('title') }),
    ...text('description', 'body', first.cell('body') === '' ? null : first.raw('body')),
    ...text('vendor', 'vendor'),
    ...readCategory(first, columns),
    ...(columns.has('tags') ? { tags: splitTags(first.cell('tags')) } : {}),
    ...readStatus(first, report),
    ...(hasImages ? { images: images.map(({ url, alt }) => (alt === undefined ? url : { url, alt })) } : {}),
    seo: { ...text('title', 'seoTitle'), ...text('description', 'seoDescription') },
    ...(isSimple
      ? readVariant(first, columns)
      : {
          variants: variantRows.map((row) => ({
            ...readVariant(row, columns),
            ...(columns.has('variantImage') ? { image: cellOrNull(row.cell('variantImage')) } : {}),
            ...(byOptions ? { options: readOptions(row, optionNames, report) } : {}),
          })),
        }),
  }
  const locate = (field: string) => describeField(field, { first, variantRows, images }, columns)
  return {
    ...{ line: first.line, value, locate },
    ...(faults.length > 0 ? { faults } : {}),
    ignored: [...new Set(rows.flatMap((row) => row.ignored))],
    notes: variantRows.some((row) => sellsOn(row) && row.cell('tracker') !== '') ? [sellsOnNote] : [],
  }
}

/** A row that only adds an image has none of these. */
const isVariant = ({ cell }: ShopifyRow) =>
  (['value1', 'value2', 'value3', 'sku', 'price'] as const).some((column) => cell(column) !== '')

const valueColumns = ['value1', 'value2', 'value3'] as const
const valueColumn = (i: number) => mustExist(valueColumns[i], 'a column of option values')

const choiceAt = (i: number) => (row: ShopifyRow) => row.cell(valueColumn(i))

const distinct = (texts: readonly string[]) => [...new Set(texts.filter((text) => text !== ''))]

type Report = (row: ShopifyRow, column: Column, message: string) => void

const readOptions = (row: ShopifyRow, names: readonly string[], report: Report) =>
  Object.fromEntries(
    names.map((name, i) => {
      const value = choiceAt(i)(row)
      if (value === '') report(row, valueColumn(i), `is required, because the product has the option ${name}`)
      return [name, value]
    }),
  )

const readCategory = (row: ShopifyRow, columns: Columns<Column>) => {
  const given = row.cell('type') || row.cell('category')
  return columns.has('type') || columns.has('category') ? { category: cellOrNull(given) } : {}
}

const readVariant = (row: ShopifyRow, columns: Columns<Column>) => {
  const price = readNumber(row.cell('price'))
  const compareAt = readNumber(row.cell('compareAtPrice'))
  // Shopify shows the compare-at price only if it is higher.
  const isLower = typeof compareAt === 'number' && typeof price === 'number' && compareAt <= price
  const stock = readStock(row, columns)
  const grams = readNumber(row.cell('grams'))
  return {
    ...(columns.has('sku') ? { sku: row.cell('sku') } : {}),
    ...(price === '' ? {} : { price }),
    ...(columns.has('compareAtPrice') && !isLower ? { compareAtPrice: compareAt === '' ? null : compareAt } : {}),
    ...(stock === undefined ? {} : { stock }),
    ...(columns.has('barcode') ? { barcode: row.cell('barcode') } : {}),
    // Shopify writes 0 for a missing weight.
    ...(columns.has('grams') ? { weightGrams: grams === '' || grams === 0 ? null : grams } : {}),
  }
}

const sellsOn = (row: ShopifyRow) => /^(continue|true)$/i.test(row.cell('policy'))
const sellsOnNote = 'continues selling when out of stock at Shopify, so its stock is not tracked here'

/** Null: not tracked. Undefined if the file has no stock, as in shops with several locations, which use a separate file. */
const readStock = (row: ShopifyRow, columns: Columns<Column>) => {
  if (sellsOn(row) || (columns.has('tracker') && row.cell('tracker') === '')) return null
  const quantity = readNumber(row.cell('quantity'))
  if (quantity === '') return undefined
  // Shopify uses negative numbers for oversold units.
  return typeof quantity === 'number' ? Math.max(0, quantity) : quantity
}

const splitTags = (text: string) => distinct(text.split(',').map((tag) => tag.trim()))

const statuses: Record<string, string> = {
  active: 'ACTIVE',
  draft: 'DRAFT',
  // Reachable only by its URL at Shopify. There is no such status here, and hiding it is safer than listing it.
  unlisted: 'DRAFT',
  archived: 'ARCHIVED',
}

const readStatus = (row: ShopifyRow, report: Report) => {
  const given = row.cell('status').toLowerCase()
  const published = row.cell('published').toLowerCase()
  if (given === '' && published === '') return {}
  const status = given === '' ? 'ACTIVE' : statuses[given]
  if (status === undefined) report(row, 'status', 'must be one of active, draft, archived, unlisted')
  return { status: status === 'ACTIVE' && published === 'false' ? 'DRAFT' : (status ?? 'ACTIVE') }
}

type ShopifyImage = { url: string; alt: string | undefined; row: ShopifyRow; column: Column; position: number }

/** Sorted by position; images without one follow in the order of the file. */
const listImages = (rows: readonly ShopifyRow[], columns: Columns<Column>): ShopifyImage[] => {
  const own = rows.map((row): ShopifyImage => {
    const alt = columns.has('alt') ? row.cell('alt') : undefined
    return { url: row.cell('image'), alt, row, column: 'image', position: Number(row.cell('position') || Infinity) }
  })
  const ofVariants = rows.map((row): ShopifyImage => {
    return { url: row.cell('variantImage'), alt: undefined, row, column: 'variantImage', position: Infinity }
  })
  const sorted = own.toSorted((a, b) => (a.position === b.position ? 0 : a.position - b.position))
  const all = [...sorted, ...ofVariants].filter(({ url }) => url !== '')
  return all.filter(({ url }, i) => all.findIndex((other) => other.url === url) === i)
}

type Group = { first: ShopifyRow; variantRows: readonly ShopifyRow[]; images: readonly ShopifyImage[] }

const fieldColumns: Record<string, Column> = {
  ...{ slug: 'handle', name: 'title', description: 'body', category: 'type', tags: 'tags', status: 'status' },
  ...{ sku: 'sku', price: 'price', compareAtPrice: 'compareAtPrice', stock: 'quantity', images: 'image' },
  ...{ options: 'value1', variants: 'value1', vendor: 'vendor', barcode: 'barcode', weightGrams: 'grams' },
  ...{ image: 'variantImage' },
}

/** The line and column of the file that one of our fields came from. */
const describeField = (field: string, { first, variantRows, images }: Group, { label }: Columns<Column>) => {
  const [head = '', index = '', part = ''] = field.split('.')
  if (head === 'variants' && index !== '') {
    return { line: (variantRows[Number(index)] ?? first).line, field: label(fieldColumns[part] ?? 'value1') }
  }
  if (head === 'images' && index !== '') {
    const image = images[Number(index)]
    return { line: (image?.row ?? first).line, field: label(image?.column ?? 'image') }
  }
  if (head === 'seo') return { line: first.line, field: label(index === 'title' ? 'seoTitle' : 'seoDescription') }
  const column = fieldColumns[head]
  return { line: first.line, field: column === undefined ? field : label(column) }
}
