import type { Store } from '../../context.ts'
import { ProductFile, type ProductInput, readProduct, slugify, type VariantInput } from '../product-input.ts'
import { type Fault, type ProductRecord, placeFault } from './records.ts'
import { createSlugLines } from './slug-lines.ts'

export type Checked = { product: ProductInput } | { faults: Fault[] }

/**
 * Tells good products from bad ones, the same way each time a file is read. Of two products with one slug, the first
 * counts and the second is a fault.
 */
export const createCheck = (store: Store, unit: 'line' | 'element') => {
  const slugLines = createSlugLines()
  const outlets = new Set(store.outlets.map(({ publicId }) => publicId))
  const ignored = new Set<string>()

  const check = (record: ProductRecord): Checked => {
    if (record.value === null && record.faults !== undefined) return { faults: [...record.faults] }
    const slug = slugOf(record.value)
    const firstLine = slug === '' ? record.line : slugLines.firstLine(slug, record.line)
    if (firstLine !== record.line) {
      const message = `is "${slug}", which ${unit} ${firstLine} has already; everything about one product stands together`
      return { faults: [placeFault(record, { field: 'slug', message })] }
    }
    const product = readProduct(record.value, store.currency)
    const found = Array.isArray(product) ? product : outletFaults(product, outlets)
    const faults = [...(record.faults ?? []), ...found.map((fault) => placeFault(record, fault))]
    noteIgnored(record, ignored)
    return faults.length > 0 || Array.isArray(product) ? { faults: oneForEachField(faults) } : { product }
  }
  return { check, ignoredFields: () => [...ignored] }
}

const slugOf = (value: unknown) => {
  const { slug, name } = (value ?? {}) as { slug?: unknown; name?: unknown }
  if (typeof slug === 'string') return slug
  return typeof name === 'string' ? slugify(name) : ''
}

const outletFaults = ({ hasVariants, variants }: ProductInput, outlets: ReadonlySet<string>) =>
  variants.flatMap((variant, i) =>
    outletsNamed(variant)
      .filter(({ outlet }) => !outlets.has(outlet))
      .map(({ field, outlet }) => ({
        field: `${hasVariants ? `variants.${i}.` : ''}${field}.${outlet}`,
        message: 'is no outlet of this store',
      })),
  )

const outletsNamed = ({ stock, pricesMinor }: VariantInput) => [
  ...(typeof stock === 'object' ? Object.keys(stock).map((outlet) => ({ field: 'stock', outlet })) : []),
  ...Object.keys(pricesMinor).map((outlet) => ({ field: 'prices', outlet })),
]

const oneForEachField = (faults: readonly Fault[]) =>
  faults.filter(
    (fault, i) => faults.findIndex((other) => other.line === fault.line && other.field === fault.field) === i,
  )

const knownFields = new Set(Object.keys(ProductFile.properties))
const mostIgnored = 50

/** A name that we do not know may be a slip of the pen, so it is told, but a file may well hold more than we take. */
const noteIgnored = ({ value }: ProductRecord, ignored: Set<string>) => {
  if (typeof value !== 'object' || value === null) return
  for (const name of Object.keys(value)) if (!knownFields.has(name) && ignored.size < mostIgnored) ignored.add(name)
}
