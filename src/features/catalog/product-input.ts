import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import { toMinor } from '../../core/money.ts'

/** A product as merchants write it: in an import file, and in the demo store. Amounts are decimal numbers. */
const Stock = Type.Union([
  Type.Integer({ minimum: 0, maximum: 1_000_000_000 }),
  Type.Record(Type.String(), Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
  Type.Literal('plenty', { description: 'Never runs out, at any outlet' }),
])
const Amount = Type.Number({ minimum: 0 })

const VariantFile = Type.Object({
  sku: Type.Optional(Type.String({ maxLength: 200 })),
  title: Type.Optional(Type.String({ maxLength: 300 })),
  options: Type.Record(Type.String(), Type.String({ maxLength: 200 })),
  price: Amount,
  compareAtPrice: Type.Optional(Amount),
  stock: Type.Optional(Stock),
  prices: Type.Optional(Type.Record(Type.String(), Amount)),
})

export const ProductFile = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 500 }),
  slug: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  description: Type.Optional(Type.String({ maxLength: 200_000 })),
  price: Type.Optional(Amount),
  compareAtPrice: Type.Optional(Amount),
  category: Type.Optional(Type.String({ maxLength: 1000, description: 'A path such as `Home > Kitchen`' })),
  stock: Type.Optional(Stock),
  images: Type.Optional(Type.Array(Type.String({ maxLength: 2000 }), { maxItems: 250 })),
  status: Type.Optional(Type.Enum(['ACTIVE', 'DRAFT', 'ARCHIVED'])),
  sku: Type.Optional(Type.String({ maxLength: 200 })),
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
  prices: Type.Optional(Type.Record(Type.String(), Amount, { description: 'By outlet id' })),
})
export type ProductFile = Static<typeof ProductFile>

/** A product as it is saved: minor units, every field there, outlets as the caller named them. */
export type ProductInput = {
  slug: string
  name: string
  description: string
  status: 'ACTIVE' | 'DRAFT' | 'ARCHIVED'
  categoryPath: string[]
  images: string[]
  options: { name: string; values: string[] }[]
  hasVariants: boolean
  tags: string[]
  seo: { title: string; description: string }
  digital: { url?: string; file?: string; name?: string } | null
  taxRate: number
  variants: VariantInput[]
}

export type VariantInput = {
  sku: string
  title: string
  options: Record<string, string>
  priceMinor: number
  compareAtMinor: number | null
  /** Units by outlet; a plain number is meant for the default outlet. */
  stock: number | Record<string, number> | 'plenty'
  pricesMinor: Record<string, number>
}

export type InputFault = { field: string; message: string }

const productFile = Compile(ProductFile)

/** Checks and completes one product, or names what is wrong with it. */
export const readProduct = (value: unknown, currency: string): ProductInput | InputFault[] => {
  const faults = productFile.Check(value) ? [] : shapeFaults(value)
  for (const { field, message } of textFaults(value, '')) faults.push({ field: field || 'product', message })
  if (faults.length > 0) return faults
  const file = value as ProductFile
  const slug = file.slug ?? slugify(file.name)
  if (slug === '') return [{ field: 'slug', message: 'is required, because none can be made from the name' }]

  const minor = (amount: number, field: string) => {
    const exact = toMinor(amount, currency)
    if (exact === null) faults.push({ field, message: `is not an amount in ${currency}` })
    return exact ?? 0
  }
  const minorByOutlet = (prices: Record<string, number> | undefined, field: string) =>
    Object.fromEntries(Object.entries(prices ?? {}).map(([outlet, price]) => [outlet, minor(price, field)]))
  const readVariant = (variant: Static<typeof VariantFile>, field: string): VariantInput => ({
    sku: variant.sku ?? '',
    title: variant.title ?? Object.values(variant.options).join(' / '),
    options: variant.options,
    priceMinor: minor(variant.price, `${field}price`),
    compareAtMinor:
      variant.compareAtPrice === undefined ? null : minor(variant.compareAtPrice, `${field}compareAtPrice`),
    // A file can be sold any number of times, unless its seller sets a number. Anything else keeps the stock it has,
    // since a list of new prices must not empty the shelves; a new product has none.
    stock: variant.stock ?? (file.digital === undefined ? {} : 'plenty'),
    pricesMinor: minorByOutlet(variant.prices, `${field}prices`),
  })

  if (file.digital !== undefined && !file.digital.url && !file.digital.file) {
    faults.push({ field: 'digital', message: 'needs a url or a file' })
  }
  if (!hasThreeDecimals(file.taxRate ?? 0)) faults.push({ field: 'taxRate', message: 'has more than three decimals' })
  if (file.variants === undefined && file.price === undefined) faults.push({ field: 'price', message: 'is required' })
  const variants = file.variants?.map((variant, i) => readVariant(variant, `variants.${i}.`)) ?? [
    { ...readVariant({ ...file, price: file.price ?? 0, options: {} }, ''), title: '' },
  ]
  if (new Set(variants.map(({ options }) => optionKey(options))).size < variants.length) {
    faults.push({ field: 'variants', message: 'has two variants with the same options' })
  }
  if (faults.length > 0) return faults
  return {
    slug,
    name: file.name,
    description: file.description ?? '',
    status: file.status ?? 'ACTIVE',
    categoryPath: splitPath(file.category ?? ''),
    images: file.images ?? [],
    options: file.options ?? optionsOf(variants),
    hasVariants: file.variants !== undefined,
    tags: file.tags ?? [],
    seo: { title: file.seo?.title ?? '', description: file.seo?.description ?? '' },
    digital: file.digital ?? null,
    taxRate: file.taxRate ?? 0,
    variants,
  }
}

const hasThreeDecimals = (rate: number) => Math.round(rate * 1000) / 1000 === rate

/** One fault a field, in words for the person who wrote the file. */
const shapeFaults = (value: unknown): InputFault[] => {
  const faults = new Map<string, string>()
  for (const { instancePath, keyword, message, params } of Value.Errors(ProductFile, value)) {
    const place = instancePath.slice(1).replaceAll('/', '.')
    if (keyword === 'required') {
      for (const name of (params as { requiredProperties: string[] }).requiredProperties) {
        faults.set(place === '' ? name : `${place}.${name}`, 'is required')
      }
    } else if (keyword === 'anyOf') {
      // The alternatives have complained already, each from its own point of view.
      const within = [...faults.keys()].some((field) => field.startsWith(`${place}.`))
      if (within) faults.delete(place)
      else faults.set(place, 'must be a whole number from 0 to 1000000000, an object of them by outlet id, or "plenty"')
    } else if (keyword === 'minLength') {
      faults.set(place, 'must not be empty')
    } else if (keyword === 'enum') {
      faults.set(place, `must be one of ${(params as { allowedValues: string[] }).allowedValues.join(', ')}`)
    } else if (!faults.has(place || 'product')) {
      faults.set(place || 'product', message)
    }
  }
  return [...faults].map(([field, message]) => ({ field, message }))
}

/** What JSON can write and PostgreSQL cannot hold. */
const textFaults = (value: unknown, field: string): InputFault[] => {
  if (typeof value === 'string') {
    if (value.includes('\0')) return [{ field, message: 'holds a NUL character' }]
    return value.isWellFormed() ? [] : [{ field, message: 'holds half of a surrogate pair, which is no character' }]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => {
    const place = field === '' ? name : `${field}.${name}`
    return [...textFaults(name, field), ...textFaults(part, place)]
  })
}

export const splitPath = (path: string) =>
  path
    .split('>')
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** Equal options give equal texts, whatever the order they were written in. */
export const optionKey = (options: Record<string, string>) => {
  const entries = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.length === 0 ? '' : JSON.stringify(entries)
}

const optionsOf = (variants: VariantInput[]) => {
  const values = new Map<string, Set<string>>()
  for (const { options } of variants) {
    for (const [name, value] of Object.entries(options)) values.set(name, (values.get(name) ?? new Set()).add(value))
  }
  return [...values].map(([name, set]) => ({ name, values: [...set] }))
}

/** The beginning of a text, never with half a character at its end, which the database would refuse. */
export const cutText = (text: string, length: number) => text.slice(0, length).replace(/[\ud800-\udbff]$/, '')

/** Letters and digits of any script, accents folded, the rest as single hyphens. */
export const slugify = (text: string) =>
  cutText(
    text
      .normalize('NFKD')
      .replaceAll(/\p{M}(?<=[a-zA-Z]\p{M}+)/gu, '')
      .normalize('NFC')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
      .replaceAll(/^-+|-+$/g, ''),
    200,
  )
