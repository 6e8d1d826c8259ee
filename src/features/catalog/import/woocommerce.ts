import { slugify } from '../product-input.ts'
import { cellOrNull, findColumns } from './columns.ts'
import { type CsvHeading, faultyRow, type Row, readHeading, widthFault } from './csv-reader.ts'
import { FileFault, type ProductRecord } from './records.ts'
import {
  attributeNumbers,
  harmlessWooColumns,
  type WooColumn,
  type WooColumns,
  type WooRow,
  wooColumnNames,
} from './woocommerce-columns.ts'
import { readWooVariant, weightColumn, wooText } from './woocommerce-variant.ts'

export const isWooHeading = (names: readonly string[]) => {
  const lower = names.map((name) => name.trim().toLowerCase())
  return lower.includes('regular price') && (lower.includes('name') || lower.includes('sku'))
}

type Family = { parent: WooRow; variations: WooRow[] }

/**
 * Simple products are yielded as they are read. Variable products wait in memory for the end of the file, because their
 * variations can be anywhere after them.
 */
export async function* readWooTable(rows: AsyncGenerator<Row>, now: Date): AsyncGenerator<ProductRecord> {
  const heading = await readHeading(rows)
  const columns = findColumns<WooColumn>(heading, wooColumnNames, harmlessWooColumns)
  requireColumns(columns, heading)
  const families = new Map<string, Family>()
  const orphans: WooRow[] = []
  for await (const raw of rows) {
    const wrong = widthFault(raw, heading)
    if (wrong !== undefined) {
      yield faultyRow(raw.line, 'product', wrong)
      continue
    }
    const row = columns.row(raw)
    const types = typesOf(row)
    if (types.includes('variation')) orphans.push(row)
    else if (types.includes('variable')) {
      const family = { parent: row, variations: [] }
      families.set(`id:${row.cell('id') || `line ${row.line}`}`, family)
      if (row.cell('sku') !== '') families.set(row.cell('sku'), family)
    } else yield readSimple(row, columns, now)
  }
  for (const row of orphans) {
    const family = families.get(row.cell('parent'))
    if (family !== undefined) family.variations.push(row)
    else
      yield faultyRow(
        row.line,
        columns.label('parent'),
        `is "${row.cell('parent')}", which is not a variable product in this file`,
      )
  }
  for (const family of new Set(families.values())) yield readFamily(family, columns, now)
}

const requireColumns = (columns: WooColumns, { line }: CsvHeading) => {
  if (columns.has('name') || columns.has('slug')) return
  throw new FileFault(line, 'has no column "Name", so it is not a WooCommerce product file')
}

const typesOf = (row: WooRow) =>
  row
    .cell('type')
    .toLowerCase()
    .split(',')
    .map((type) => type.trim())

const readSimple = (row: WooRow, columns: WooColumns, now: Date): ProductRecord => {
  const [type = ''] = typesOf(row)
  if (type === 'grouped' || type === 'external') {
    return faultyRow(row.line, columns.label('type'), `is ${type}: only simple and variable products can be imported`)
  }
  const { value, notes } = readShared(row, columns)
  const locate = (field: string) => describeField(field, row, [], columns)
  const attributes = attributesOf(row).map(({ name }) => `${name} (attribute)`)
  const own = readWooVariant(row, undefined, columns, now)
  return {
    ...{ line: row.line, value: { ...value, ...own.value }, locate, notes },
    ...(own.faults.length > 0 ? { faults: own.faults } : {}),
    ignored: [...row.ignored, ...attributes],
  }
}

const readFamily = ({ parent, variations }: Family, columns: WooColumns, now: Date): ProductRecord => {
  if (variations.length === 0) {
    return faultyRow(parent.line, columns.label('type'), 'is variable, but the file has no variations of it')
  }
  const { value, notes } = readShared(parent, columns)
  const used = new Set(variations.flatMap((row) => attributesOf(row).map(({ name }) => name)))
  const names = attributesOf(parent)
    .map(({ name }) => name)
    .filter((name) => used.has(name))
  const sorted = variations.toSorted((a, b) => Number(a.cell('position') || 0) - Number(b.cell('position') || 0))
  const read = sorted.map((row) => ({ row, variant: readWooVariant(row, parent, columns, now) }))
  const faults = read.flatMap(({ row, variant }) => [...variant.faults, ...optionFaults(row, names, columns)])
  const unused = attributesOf(parent).filter(({ name }) => !used.has(name))
  return {
    line: parent.line,
    value: {
      ...value,
      options: attributesOf(parent)
        .filter(({ name }) => used.has(name))
        .map(({ name, values }) => ({ name, values: splitList(values) })),
      variants: read.map(({ row, variant }) => ({
        ...variant.value,
        options: optionsOf(row, names),
        ...(columns.has('images') ? { image: splitImages(row.cell('images'))[0] ?? null } : {}),
      })),
    },
    ...(faults.length > 0 ? { faults } : {}),
    notes,
    ignored: [
      ...new Set([parent, ...variations].flatMap((row) => row.ignored)),
      ...unused.map(({ name }) => `${name} (attribute)`),
    ],
    locate: (field) => describeField(field, parent, sorted, columns),
  }
}

/** The fields of simple and variable products. */
const readShared = (row: WooRow, columns: WooColumns) => {
  const name = wooText(row.cell('name'))
  const [long, short] = [wooText(row.raw('description')), wooText(row.raw('shortDescription'))]
  const description = [short, long].filter((text) => text.trim() !== '').join('\n\n')
  const categories = splitList(row.cell('categories')).map(wooText)
  const depth = (path: string) => path.split('>').length
  const [category] = categories.toSorted((a, b) => depth(b) - depth(a))
  // In "Clothing, Clothing > Shirts" the first is only the parent of the second.
  const left = categories.filter((path) => path !== category && !category?.startsWith(`${path} >`))
  const download = row.cell('downloadUrl')
  const isDownload = typesOf(row).includes('downloadable') && download !== ''
  return {
    value: {
      slug: row.cell('slug') || slugify(name),
      ...(name === '' ? {} : { name }),
      ...(columns.has('description') || columns.has('shortDescription')
        ? { description: cellOrNull(description) }
        : {}),
      ...(columns.has('categories') ? { category: category ?? null } : {}),
      ...(columns.has('tags') ? { tags: splitList(row.cell('tags')).map(wooText) } : {}),
      ...(columns.has('brands') ? { vendor: cellOrNull(wooText(splitList(row.cell('brands'))[0] ?? '')) } : {}),
      ...(columns.has('images') ? { images: splitImages(row.cell('images')) } : {}),
      ...readStatus(row),
      ...(isDownload ? { digital: { url: download, name: row.cell('downloadName') || 'download' } } : {}),
    },
    notes: left.length > 0 ? ['is in several categories; only the deepest one is used'] : [],
  }
}

const readStatus = (row: WooRow) => {
  const published = row.cell('published')
  if (published === '') return {}
  const isSeen = published === '1' && row.cell('visibility').toLowerCase() !== 'hidden'
  return { status: isSeen ? 'ACTIVE' : 'DRAFT' }
}

/** Splits at commas that are not escaped with a backslash. */
const splitList = (text: string) =>
  text
    .split(/(?<!\\),/)
    .map((part) => part.replaceAll('\\,', ',').trim())
    .filter((part) => part !== '')

/** A URL may contain commas. */
const splitImages = (text: string) =>
  text
    .split(/,(?=\s|https?:\/\/)/)
    .map((part) => part.trim())
    .filter((part) => part !== '')

const attributesOf = ({ cell }: WooRow) =>
  attributeNumbers
    .map((n): { column: WooColumn; name: string; values: string } => ({
      column: `values${n}`,
      name: wooText(cell(`attribute${n}`)),
      values: wooText(cell(`values${n}`)),
    }))
    .filter(({ name }) => name !== '')

const optionsOf = (row: WooRow, names: readonly string[]) => {
  const chosen = new Map(attributesOf(row).map(({ name, values }) => [name, values.replaceAll('\\,', ',')]))
  return Object.fromEntries(names.map((name) => [name, chosen.get(name) ?? '']))
}

const optionFaults = (row: WooRow, names: readonly string[], columns: WooColumns) => {
  const chosen = new Map(attributesOf(row).map((attribute) => [attribute.name, attribute]))
  return names
    .filter((name) => !chosen.get(name)?.values)
    .map((name) => ({
      line: row.line,
      field: columns.label(chosen.get(name)?.column ?? 'values1'),
      message: `is required: a variation for any ${name} cannot be imported`,
    }))
}

const fieldColumns: Record<string, WooColumn> = {
  ...{ slug: 'name', name: 'name', description: 'description', category: 'categories', tags: 'tags' },
  ...{ status: 'published', vendor: 'brands', images: 'images', image: 'images', digital: 'downloadUrl' },
  ...{ sku: 'sku', price: 'regularPrice', compareAtPrice: 'regularPrice', stock: 'stock', barcode: 'gtin' },
  ...{ options: 'values1', variants: 'values1' },
}

/** The line and column of the file that one of our fields came from. */
const describeField = (field: string, row: WooRow, variations: readonly WooRow[], columns: WooColumns) => {
  const named = (name: string) => columns.label(fieldColumns[name] ?? weightColumn(columns) ?? 'name')
  const [head = '', index = '', part = ''] = field.split('.')
  if (head === 'variants' && index !== '') {
    return { line: (variations[Number(index)] ?? row).line, field: named(part || 'options') }
  }
  return { line: row.line, field: named(head) }
}
