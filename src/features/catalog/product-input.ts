import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { later } from '../../core/later.ts'
import { toMinor } from '../../core/money.ts'
import { mustExist } from '../../core/must-exist.ts'
import { isWebAddress } from '../../core/web-address.ts'
import { isNestedTooDeep, maxHtmlDepth } from './import/safe-html.ts'
import { type InputFault, shapeFaults, textFaults } from './input-faults.ts'

/** Max units of a variant at one outlet. */
export const maxUnits = 1_000_000_000
const Stock = Type.Union([
  Type.Integer({ minimum: 0, maximum: maxUnits }),
  Type.Record(Type.String(), Type.Integer({ minimum: 0, maximum: maxUnits })),
  Type.Enum(['untracked', 'plenty'], { description: 'Not tracked, like null, which a CSV cell cannot hold' }),
])
const Amount = Type.Number({ minimum: 0 })
const Address = Type.String({ maxLength: 2000 })
const Image = Type.Union([Address, Type.Object({ url: Address, alt: Type.Optional(Type.String({ maxLength: 2000 })) })])

/** Fields of a variant. A product without variants has them itself. */
const variantFields = {
  sku: Type.Optional(Type.String({ maxLength: 200 })),
  price: Type.Optional(Amount),
  compareAtPrice: Type.Optional(Amount),
  stock: Type.Optional(Stock),
  prices: Type.Optional(Type.Record(Type.String(), Amount, { description: 'By outlet id' })),
  barcode: Type.Optional(Type.String({ maxLength: 200 })),
  weightGrams: Type.Optional(Type.Number({ minimum: 0, maximum: 999_999_999 })),
}

const VariantFile = Type.Object({
  ...variantFields,
  title: Type.Optional(Type.String({ maxLength: 300 })),
  options: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 200 }))),
  image: Type.Optional(Address),
})
type VariantFile = Static<typeof VariantFile>

/**
 * A product in an import file or in the demo store. Amounts are decimal numbers. Omitted fields do not change; null
 * clears a field, and for stock it means "not tracked".
 */
export const ProductFile = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
  slug: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  description: Type.Optional(Type.String({ maxLength: 200_000 })),
  category: Type.Optional(Type.String({ maxLength: 1000, description: 'A path such as `Home > Kitchen`' })),
  vendor: Type.Optional(Type.String({ maxLength: 300 })),
  images: Type.Optional(Type.Array(Image, { maxItems: 250 })),
  status: Type.Optional(Type.Enum(['ACTIVE', 'DRAFT', 'ARCHIVED'])),
  tags: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 250 })),
  seo: Type.Optional(Type.Object({ title: Type.Optional(Type.String()), description: Type.Optional(Type.String()) })),
  options: Type.Optional(
    Type.Array(
      Type.Object({ name: Type.String({ minLength: 1 }), values: Type.Array(Type.String(), { maxItems: 250 }) }),
      { maxItems: 10 },
    ),
  ),
  variants: Type.Optional(Type.Array(VariantFile, { minItems: 1, maxItems: 2000 })),
  digital: Type.Optional(
    Type.Object({
      url: Type.Optional(Type.String()),
      file: Type.Optional(Type.String()),
      name: Type.Optional(Type.String()),
    }),
  ),
  taxRate: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
  ...variantFields,
})
export type ProductFile = Static<typeof ProductFile>

/** Undefined: not in the file. */
type Maybe<Value> = Value | undefined

export type Status = 'ACTIVE' | 'DRAFT' | 'ARCHIVED'
export type Digital = { url?: string; file?: string; name?: string }
export type ProductOption = { name: string; values: string[] }

/** The validated content of a file for one product, in minor units. Outlets are as named in the file. */
export type ProductPatch = {
  slug: string
  /** Another slug for the product. */
  newSlug?: string
  name: Maybe<string>
  description: Maybe<string>
  status: Maybe<Status>
  categoryPath: Maybe<string[]>
  vendor: Maybe<string>
  images: Maybe<{ url: string; alt: Maybe<string> }[]>
  options: Maybe<ProductOption[]>
  tags: Maybe<string[]>
  seo: { title: Maybe<string>; description: Maybe<string> }
  digital: Maybe<Digital | null>
  taxRate: Maybe<number>
  variants: Maybe<VariantPatch[]>
  /** Variant fields on the product itself. */
  own: VariantPatch
}

export type VariantPatch = {
  /** Names the variant, or is the id of a new one. Files name variants by their options or SKU. */
  id?: string
  /** Default: true. */
  active?: boolean
  sku: Maybe<string>
  title: Maybe<string>
  options: Maybe<Record<string, string>>
  priceMinor: Maybe<number>
  compareAtMinor: Maybe<number | null>
  stock: Maybe<StockInput>
  /** By outlet; null removes the price of an outlet. */
  pricesMinor: Maybe<{ clears: boolean; byOutlet: Record<string, number | null> }>
  barcode: Maybe<string>
  weightGrams: Maybe<number | null>
  image: Maybe<string>
  /** Null: as the store says. Files have none. */
  lowStockThreshold?: Maybe<number | null>
}

/** Units by outlet, or a plain number for the default outlet. Null: not tracked. */
export type StockInput = number | Record<string, number> | null

/** `VariantFile` whose optional fields may also be undefined. */
type WrittenVariant = { [Name in keyof VariantFile]?: VariantFile[Name] | undefined }

const productFile = later(() => Compile(ProductFile))

/** Validates one product of a file. Returns the patch or the faults. */
export const readProduct = (written: unknown, currency: string): ProductPatch | InputFault[] => {
  const { value, cleared } = takeNulls(written)
  const isShaped = productFile().Check(value)
  const faults = isShaped ? [] : shapeFaults(ProductFile, value)
  for (const { field, message } of textFaults(value, '')) faults.push({ field: field || 'product', message })
  if (isUnnamed(value)) faults.unshift({ field: 'name', message: 'is required' })
  if (!isShaped || faults.length > 0) return faults
  const file: ProductFile = value
  const slug = file.slug ?? slugify(file.name ?? '')
  if (slug === '')
    return [{ field: 'slug', message: 'is required, because the name has no letters or digits to make one from' }]

  const minor = (amount: number | undefined, field: string): Maybe<number> => {
    const exact = amount === undefined ? undefined : toMinor(amount, currency)
    if (exact === null) faults.push({ field, message: `is not an amount in ${currency}` })
    return exact ?? undefined
  }
  const orEmpty = <Value>(given: Maybe<Value>, field: string, empty: Value): Maybe<Value> =>
    given === undefined && cleared.has(field) ? empty : given

  const readPrices = (prices: Record<string, number> | undefined, field: string) => {
    const dropped = [...cleared]
      .filter((name) => name.startsWith(`${field}.`))
      .map((name) => name.slice(field.length + 1))
    const clears = cleared.has(field)
    if (prices === undefined && !clears && dropped.length === 0) return undefined
    const named = Object.entries(prices ?? {}).map(([outlet, price]) => [outlet, minor(price, field) ?? 0])
    return { clears, byOutlet: Object.fromEntries([...named, ...dropped.map((outlet) => [outlet, null])]) }
  }
  const readFields = (variant: WrittenVariant, at: string): VariantPatch => {
    if (variant.image !== undefined) checkAddress(variant.image, `${at}image`, faults)
    if (!hasThreeDecimals(variant.weightGrams ?? 0)) {
      faults.push({ field: `${at}weightGrams`, message: 'has more than three decimals' })
    }
    return {
      sku: orEmpty(variant.sku, `${at}sku`, ''),
      title: variant.title,
      options: variant.options,
      priceMinor: minor(variant.price, `${at}price`),
      compareAtMinor: orEmpty(minor(variant.compareAtPrice, `${at}compareAtPrice`), `${at}compareAtPrice`, null),
      stock: orEmpty(typeof variant.stock === 'string' ? null : variant.stock, `${at}stock`, null),
      pricesMinor: readPrices(variant.prices, `${at}prices`),
      barcode: orEmpty(variant.barcode, `${at}barcode`, ''),
      weightGrams: orEmpty(variant.weightGrams, `${at}weightGrams`, null),
      image: orEmpty(variant.image, `${at}image`, ''),
    }
  }

  if (file.digital !== undefined && !file.digital.url && !file.digital.file) {
    faults.push({ field: 'digital', message: 'needs a url or a file' })
  }
  if (file.digital?.url && !isWebAddress(file.digital.url)) faults.push({ field: 'digital.url', message: addressFault })
  if (file.description && isNestedTooDeep(file.description)) {
    faults.push({ field: 'description', message: `has more than ${maxHtmlDepth} tags inside each other` })
  }
  if (!hasThreeDecimals(file.taxRate ?? 0)) faults.push({ field: 'taxRate', message: 'has more than three decimals' })
  const images = file.images?.map((image) => (typeof image === 'string' ? { url: image, alt: undefined } : image))
  for (const [i, { url }] of (images ?? []).entries()) checkAddress(url, `images.${i}`, faults)
  const variants = file.variants?.map((variant, i) => readFields(variant, `variants.${i}.`))
  faults.push(...variantFaults(variants ?? []))
  const { sku, price, compareAtPrice, stock, prices, barcode, weightGrams } = file
  const own = readFields({ sku, price, compareAtPrice, stock, prices, barcode, weightGrams }, '')
  if (faults.length > 0) return faults
  const category = orEmpty(file.category, 'category', '')
  return {
    slug,
    name: file.name,
    description: orEmpty(file.description, 'description', ''),
    status: file.status,
    categoryPath: category === undefined ? undefined : splitPath(category),
    vendor: orEmpty(file.vendor, 'vendor', ''),
    images: orEmpty(
      images?.map(({ url, alt }) => ({ url, alt })),
      'images',
      [],
    ),
    options: file.options,
    tags: orEmpty(file.tags, 'tags', []),
    seo: {
      title: cleared.has('seo') ? '' : orEmpty(file.seo?.title, 'seo.title', ''),
      description: cleared.has('seo') ? '' : orEmpty(file.seo?.description, 'seo.description', ''),
    },
    digital: orEmpty<Digital | null>(file.digital, 'digital', null),
    taxRate: orEmpty(file.taxRate, 'taxRate', 0),
    variants,
    own,
  }
}

/** The fields of one variant that is named by its id. */
export const readVariant = (written: Record<string, unknown>, currency: string): VariantPatch | InputFault[] => {
  const read = readProduct({ slug: 'variant', variants: [{ options: {}, ...written }] }, currency)
  if (Array.isArray(read)) return read.map((fault) => ({ ...fault, field: fault.field.replace(/^variants\.0\./, '') }))
  const patch = mustExist(read.variants?.[0], 'the variant that was read')
  return written.options === undefined ? { ...patch, options: undefined } : patch
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isUnnamed = (value: unknown) => isRecord(value) && value.name === undefined && value.slug === undefined

/** The value without its nulls, and the paths of the fields that were null. */
const takeNulls = (written: unknown) => {
  const cleared = new Set<string>()
  const take = (record: Record<string, unknown>, at: string) => {
    const kept = Object.entries(record).filter(([name, part]) => {
      if (part === null) cleared.add(`${at}${name}`)
      return part !== null
    })
    return Object.fromEntries(kept.map(([name, part]) => [name, within(name, part, `${at}${name}`)]))
  }
  const within = (name: string, part: unknown, path: string): unknown => {
    if ((name === 'seo' || name === 'prices') && isRecord(part)) return take(part, `${path}.`)
    if (name !== 'variants' || !Array.isArray(part)) return part
    return part.map((variant, i) => (isRecord(variant) ? take(variant, `${path}.${i}.`) : variant))
  }
  return { value: isRecord(written) ? take(written, '') : written, cleared }
}

/** Absolute, or relative to the root of this service, like the images of the demo store. */
const addressFault = 'must be a URL that begins with https:// or http://'

const checkAddress = (text: string, field: string, faults: InputFault[]) => {
  const isOwn = /^\/(?![/\\])/.test(text)
  const isWeb = /^https?:\/\/[^\s]/i.test(text) && URL.canParse(text)
  if (!isOwn && !isWeb) faults.push({ field, message: addressFault })
}

/** A variant is identified by its options or, if it already exists, by its SKU. */
const variantFaults = (variants: readonly VariantPatch[]): InputFault[] => {
  const unnamed = variants.flatMap(({ sku, options }, i) =>
    options === undefined && !sku ? [{ field: `variants.${i}.options`, message: 'is required' }] : [],
  )
  const keys = variants.flatMap(({ options }) => (options === undefined ? [] : [optionKey(options)]))
  const isTwice = new Set(keys).size < keys.length
  return isTwice ? [...unnamed, { field: 'variants', message: 'has two variants with the same options' }] : unnamed
}

const hasThreeDecimals = (rate: number) => Math.round(rate * 1000) / 1000 === rate

export const splitPath = (path: string) =>
  path
    .split('>')
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** Equal options give equal keys, whatever their order. */
export const optionKey = (options: Record<string, string>) => {
  const entries = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.length === 0 ? '' : JSON.stringify(entries)
}

export const optionsOf = (variants: readonly { options: Record<string, string> }[]): ProductOption[] => {
  const values = new Map<string, Set<string>>()
  for (const { options } of variants) {
    for (const [name, value] of Object.entries(options)) values.set(name, (values.get(name) ?? new Set()).add(value))
  }
  return [...values].map(([name, set]) => ({ name, values: [...set] }))
}

/** Truncates a text without splitting a surrogate pair, which the database would refuse. */
export const cutText = (text: string, length: number) => text.slice(0, length).replace(/[\ud800-\udbff]$/, '')

/** Letters and digits of any script, without accents on Latin letters; everything else becomes single hyphens. */
export const slugify = (text: string) =>
  cutText(
    text
      .normalize('NFKD')
      .replaceAll(/([a-zA-Z])\p{M}+/gu, '$1')
      .normalize('NFC')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
      .replaceAll(/^-|-$/g, ''),
    200,
  )
