import { toFields } from '../../../core/fields.ts'
import type { Store } from '../../context.ts'
import { ProductFile, type ProductPatch, readProduct, slugify, type VariantPatch } from '../product-input.ts'
import { locateFault, type ProductRecord, type RecordFault } from './records.ts'
import { createSlugLines } from './slug-lines.ts'

export type Checked = { patch: ProductPatch } | { faults: RecordFault[] }

/** Validates the products of a file, the same way in both passes. A second product with the same slug is a fault. */
export const createCheck = (store: Store, unit: 'line' | 'element') => {
  const slugLines = createSlugLines()
  const outlets = new Set(store.outlets.map(({ publicId }) => publicId))
  const ignored = new Set<string>()
  const notes = new Map<string, number>()

  const check = (record: ProductRecord): Checked => {
    if (record.value === null && record.faults !== undefined) return { faults: [...record.faults] }
    const slug = slugOf(record.value)
    const firstLine = slug === '' ? record.line : slugLines.firstLine(slug, record.line)
    if (firstLine !== record.line) {
      const message = `is "${slug}", which ${unit} ${firstLine} already has; all rows of a product must be together`
      return { faults: [locateFault(record, { field: 'slug', message })] }
    }
    const patch = readProduct(record.value, store.currency)
    const found = Array.isArray(patch) ? patch : outletFaults(patch, outlets)
    const faults = [...(record.faults ?? []), ...found.map((fault) => locateFault(record, fault))]
    noteIgnored(record, ignored)
    for (const note of record.notes ?? []) notes.set(note, (notes.get(note) ?? 0) + 1)
    return faults.length > 0 || Array.isArray(patch) ? { faults: oneForEachField(faults) } : { patch }
  }
  return {
    check,
    ignoredFields: () => [...ignored],
    notes: () => [...notes].map(([text, products]) => ({ text, products })),
  }
}

const slugOf = (value: unknown) => {
  const { slug, name } = toFields(value)
  if (typeof slug === 'string') return slug
  return typeof name === 'string' ? slugify(name) : ''
}

/** Outlets that the store does not have. */
export const outletFaults = ({ own, variants }: ProductPatch, outlets: ReadonlySet<string>) =>
  [{ variant: own, at: '' }, ...(variants ?? []).map((variant, i) => ({ variant, at: `variants.${i}.` }))].flatMap(
    ({ variant, at }) =>
      outletsNamed(variant)
        .filter(({ outlet }) => !outlets.has(outlet))
        .map(({ field, outlet }) => ({ field: `${at}${field}.${outlet}`, message: 'is not an outlet of this store' })),
  )

const outletsNamed = ({ stock, pricesMinor }: VariantPatch) => [
  ...(typeof stock === 'object' && stock !== null
    ? Object.keys(stock).map((outlet) => ({ field: 'stock', outlet }))
    : []),
  ...Object.keys(pricesMinor?.byOutlet ?? {}).map((outlet) => ({ field: 'prices', outlet })),
]

const oneForEachField = (faults: readonly RecordFault[]) =>
  faults.filter(
    (fault, i) => faults.findIndex((other) => other.line === fault.line && other.field === fault.field) === i,
  )

const knownFields = new Set(Object.keys(ProductFile.properties))
const maxIgnored = 50

/** Unknown names are reported: they may be misspelt, or a field that is not supported. */
const noteIgnored = ({ value, ignored: columns = [] }: ProductRecord, ignored: Set<string>) => {
  const names = typeof value === 'object' && value !== null ? Object.keys(value) : []
  for (const name of [...names.filter((field) => !knownFields.has(field)), ...columns]) {
    if (ignored.size < maxIgnored) ignored.add(name)
  }
}
