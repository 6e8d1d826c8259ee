import {
  type AdminProduct,
  type AdminUpdateProductInput,
  type AdminVariant,
  VitrineError,
  type WithEtag,
} from '../api.ts'
import { inputNumber, readNumber } from '../format.ts'
import type { Picture } from './pictures.tsx'

export type Option = { name: string; values: string[] }

/** A variant as it is typed. */
export type Row = {
  /** Null: a new variant. */
  id: string | null
  options: Record<string, string>
  price: string
  compareAtPrice: string
  sku: string
  barcode: string
  weightGrams: string
  /** Prices of outlets that differ, as typed. */
  prices: Record<string, string>
  lowStock: string
  isCounted: boolean
  /** Units by outlet, as typed and as they were. */
  stock: Record<string, string>
  knownStock: Record<string, string>
  picture: Pick<Picture, 'id' | 'url' | 'sizes'> | null
}

/** An option, or one of its values, that was called otherwise. */
export type Rename = { option: string; value?: string; to: string }

export type Draft = {
  name: string
  description: string
  status: string
  categoryId: string
  slug: string
  vendor: string
  tags: string
  taxRate: string
  seoTitle: string
  seoDescription: string
  pictures: Picture[]
  options: Option[]
  rows: Row[]
  /** In their order, for the variants that are not in the grid. */
  renames: Rename[]
}

export const labels: Record<keyof Draft, string> = {
  ...{ name: 'Name', description: 'Description', status: 'Status', categoryId: 'Category', slug: 'Address' },
  ...{ vendor: 'Brand', tags: 'Tags', taxRate: 'Tax', seoTitle: 'Search title', seoDescription: 'Search text' },
  ...{ pictures: 'Pictures', options: 'Options', rows: 'Prices and variants', renames: 'New names' },
}

export const titleOf = ({ options }: Pick<Row, 'options'>, order: readonly Option[] = []) =>
  (order.length > 0 ? order.map(({ name }) => options[name]) : Object.values(options)).filter(Boolean).join(' / ')

export const keyOf = (options: Record<string, string>) => JSON.stringify(Object.entries(options).toSorted())

/** The options of a variant after these renames. */
export const renamed = (options: Record<string, string>, renames: readonly Rename[]) =>
  renames.reduce(
    (now, { option, value, to }) =>
      Object.fromEntries(
        Object.entries(now).map(([name, own]) =>
          name !== option ? [name, own] : value === undefined ? [to, own] : [name, own === value ? to : own],
        ),
      ),
    options,
  )

const texts = (numbers: Record<string, number>): Record<string, string> =>
  Object.fromEntries(Object.entries(numbers).map(([id, value]) => [id, inputNumber(value)]))

export const rowOf = (variant: AdminVariant): Row => {
  const { id, options, sku, barcode, stockTracked, mediaId, image, imageSizes } = variant
  const stock = texts(variant.stockByOutlet)
  return {
    ...{ id, options, sku, barcode, isCounted: stockTracked, stock, knownStock: stock },
    price: inputNumber(variant.price),
    prices: texts(variant.prices),
    compareAtPrice: inputNumber(variant.compareAtPrice),
    weightGrams: inputNumber(variant.weightGrams),
    lowStock: inputNumber(variant.lowStockThreshold),
    picture: image === '' ? null : { id: mediaId, url: image, sizes: imageSizes },
  }
}

export const toDraft = (product: AdminProduct & WithEtag): Draft => ({
  ...{ name: product.name, description: product.description, status: product.status, slug: product.slug },
  ...{ categoryId: product.categoryId ?? '', vendor: product.vendor, tags: product.tags.join(', ') },
  ...{ taxRate: inputNumber(product.taxRate), seoTitle: product.seo.title, seoDescription: product.seo.description },
  pictures: product.media.map(({ id, url, alt, sizes }) => ({ id, url, alt, sizes })),
  options: product.options,
  rows: product.variants.filter(({ active }) => active).map(rowOf),
  renames: [],
})

/** A message about what was typed, shown like a refusal of the service. */
const refuse = (message: string) => new VitrineError('BAD_REQUEST', message, { status: 400 })

const numberOf = (text: string, name: string): number | null => {
  if (text.trim() === '') return null
  const value = readNumber(text)
  if (value === null || value < 0) throw refuse(`${name}: “${text}” is not a number.`)
  return value
}

const required = (text: string, name: string) => {
  const value = numberOf(text, name)
  if (value === null) throw refuse(`${name} is missing.`)
  return value
}

/** Uploaded pictures by id, unless some are elsewhere. */
export const picturesBody = (pictures: readonly Picture[]): Pick<AdminUpdateProductInput, 'media' | 'images'> => {
  const media = pictures.flatMap(({ id, alt }) => (id === null ? [] : [{ id, alt }]))
  return media.length === pictures.length ? { media } : { images: pictures.map(({ url, alt }) => ({ url, alt })) }
}

export const tagsOf = (text: string) => [...new Set(text.split(',').map((tag) => tag.trim()))].filter(Boolean)

type VariantBody = NonNullable<AdminUpdateProductInput['variants']>[number]

const variantBody = (row: Row, order: readonly Option[]): VariantBody => {
  const { id, options, sku, barcode, isCounted, stock, picture } = row
  const title = titleOf(row, order)
  const named = (name: string) => (title === '' ? name : `${name} of ${title}`)
  const place = (name: string) => order.findIndex((option) => option.name === name)
  const numbers = <Empty>(typed: Record<string, string>, name: string, empty: Empty) =>
    Object.fromEntries(Object.entries(typed).map(([outlet, text]) => [outlet, numberOf(text, named(name)) ?? empty]))
  return {
    ...(id === null ? { stock: isCounted ? numbers(stock, 'Stock', 0) : null } : { id, stockTracked: isCounted }),
    // In the order of the product, which titles follow.
    options: Object.fromEntries(Object.entries(options).toSorted(([one], [other]) => place(one) - place(other))),
    price: required(row.price, named('Price')),
    prices: numbers(row.prices, 'Price', null),
    compareAtPrice: numberOf(row.compareAtPrice, named('Price before')),
    weightGrams: numberOf(row.weightGrams, named('Weight')),
    lowStockThreshold: numberOf(row.lowStock, named('Low stock')),
    ...{ sku: sku.trim() || null, barcode: barcode.trim() || null, active: true },
    ...(picture === null || picture.id !== null ? { mediaId: picture?.id ?? null } : { image: picture.url }),
  }
}

const withoutStock = (rows: readonly Row[]) => JSON.stringify(rows.map(({ stock: _, knownStock: __, ...row }) => row))

/** The fields to send. Stock is sent apart, because sales change it too. */
export const bodyOf = (
  {
    rows,
    options,
    pictures,
    tags,
    taxRate,
    categoryId,
    seoTitle,
    seoDescription,
    status,
    renames = [],
    ...fields
  }: Partial<Draft>,
  saved: AdminProduct & WithEtag,
): Omit<AdminUpdateProductInput, 'productId'> => {
  const before = toDraft(saved)
  const order = (options ?? before.options).filter(({ values }) => values.length > 0)
  const wanted = rows ?? before.rows
  const hasVariants = options !== undefined || withoutStock(wanted) !== withoutStock(before.rows)
  const kept = new Set(wanted.map(({ id }) => id))
  // Variants that are off get the new names too, so that they can come back.
  const off = saved.variants
    .filter(({ id }) => !kept.has(id))
    .map((variant) => ({ ...variant, now: renamed(variant.options, renames) }))
    .filter(({ active, options: was, now }) => active || keyOf(was) !== keyOf(now))
  return {
    ...fields,
    ...(status === undefined ? {} : { status: status as 'ACTIVE' }),
    ...(categoryId === undefined ? {} : { categoryId: categoryId || null }),
    ...(tags === undefined ? {} : { tags: tagsOf(tags) }),
    ...(taxRate === undefined ? {} : { taxRate: numberOf(taxRate, 'Tax') ?? 0 }),
    ...(seoTitle === undefined && seoDescription === undefined
      ? {}
      : { seo: { title: seoTitle, description: seoDescription } }),
    ...(pictures === undefined ? {} : picturesBody(pictures)),
    ...(options === undefined ? {} : { options: order }),
    ...(hasVariants
      ? {
          variants: [
            ...wanted.map((row) => variantBody(row, order)),
            ...off.map(({ id, now }) => ({ id, active: false, options: now })),
          ],
        }
      : {}),
  }
}

/** What was typed into the stock of variants that exist. */
export const stockChanges = (rows: readonly Row[], order: readonly Option[]) =>
  rows.flatMap((row) =>
    row.id === null || !row.isCounted
      ? []
      : Object.entries(row.stock)
          .filter(([outlet, text]) => text !== (row.knownStock[outlet] ?? '') && text.trim() !== '')
          .map(([outletId, text]) => ({
            ...{ variantId: row.id ?? '', outletId },
            set: required(text, `Stock of ${titleOf(row, order) || 'the product'}`),
          })),
  )
