import { makeSafeHtml } from './import/safe-html.ts'
import type { InputFault } from './input-faults.ts'
import { mergeVariants, type StockToSet, type VariantState } from './merge-variants.ts'
import {
  type Digital,
  optionKey,
  optionsOf,
  type ProductOption,
  type ProductPatch,
  type Status,
} from './product-input.ts'
import type { Field, SaveMode } from './save-mode.ts'

/** A product in the store. Its values stay for fields that the file does not have. */
export type ProductState = {
  id: string
  name: string
  description: string
  status: Status
  categoryPath: string[]
  vendor: string
  images: string[]
  /** One for each image, or empty. */
  imageTexts: string[]
  options: ProductOption[]
  hasVariants: boolean
  tags: string[]
  seo: { title: string; description: string }
  digital: Digital | null
  taxRate: number
  /** Including inactive ones, which a file can activate again. */
  variants: VariantState[]
}

export type MergedProduct = Omit<ProductState, 'id' | 'variants'> & {
  slug: string
  /** Undefined for a new product. */
  id: string | undefined
  variants: VariantState[]
  newVariants: VariantState[]
  changedVariants: VariantState[]
  deactivatedIds: string[]
  /** Variants whose option key must be freed before other variants can use it. */
  idsToFreeKeysOf: string[]
  stockChanges: StockToSet[]
  priceChanges: VariantState[]
  /** Variants that exist and get another threshold of low stock. */
  thresholdChanges: VariantState[]
  changes: Set<Field>
  /** Variants whose stock differs from the file and is not changed. */
  stockKept: number
}

const blank: Omit<ProductState, 'id' | 'variants'> = {
  ...{ name: '', description: '', status: 'ACTIVE', categoryPath: [], vendor: '', images: [], imageTexts: [] },
  ...{ options: [], hasVariants: false, tags: [], seo: { title: '', description: '' }, digital: null, taxRate: 0 },
}

/**
 * Merges a patch into a product: returns the result with its changed fields, or the faults. A pure function, so a dry
 * run and an import decide the same.
 */
export const mergeProduct = (
  state: ProductState | undefined,
  patch: ProductPatch,
  mode: SaveMode,
): MergedProduct | InputFault[] => {
  const base = state === undefined || mode.replace ? blank : state
  const name = patch.name ?? base.name
  const digital = patch.digital === undefined ? base.digital : patch.digital
  const merged = mergeVariants(state?.variants ?? [], patch, mode, digital !== null)
  const faults = [
    ...(name === '' ? [{ field: 'name', message: 'is required for a new product' }] : []),
    ...merged.faults,
  ]
  if (faults.length > 0) return faults

  const product = {
    name,
    digital,
    description: patch.description ?? base.description,
    status: patch.status ?? base.status,
    categoryPath: patch.categoryPath ?? base.categoryPath,
    vendor: patch.vendor ?? base.vendor,
    ...mergeImages(base, patch),
    options: mergeOptions(base.options, patch.options, base === state ? state.variants : [], merged.variants),
    hasVariants: !hasLostOptions(base, patch, merged.variants) && (isGiven(patch) || base.hasVariants),
    tags: patch.tags ?? base.tags,
    seo: {
      title: patch.seo.title ?? base.seo.title,
      description: patch.seo.description ?? base.seo.description,
    },
    taxRate: patch.taxRate ?? base.taxRate,
  }
  const { faults: _, ...variants } = merged
  const slug = patch.newSlug ?? patch.slug
  const changes =
    state === undefined
      ? new Set<Field>()
      : new Set([...changedFields(state, product), ...merged.changes, ...(slug === patch.slug ? [] : ['slug'])])
  return { ...product, ...variants, slug, id: state?.id, changes }
}

const isGiven = ({ variants }: ProductPatch) => variants?.some(({ active }) => active !== false) === true

/** Its options were taken away, and one variant is left. */
const hasLostOptions = (
  before: Pick<ProductState, 'options'>,
  { options }: ProductPatch,
  [variant, ...others]: readonly VariantState[],
) =>
  before.options.length > 0 &&
  options?.length === 0 &&
  others.length === 0 &&
  variant !== undefined &&
  optionKey(variant.options) === ''

/** An image with the same URL keeps its text unless the file has a new one. */
const mergeImages = (base: Pick<ProductState, 'images' | 'imageTexts'>, { images }: ProductPatch) => {
  if (images === undefined) return { images: base.images, imageTexts: base.imageTexts }
  const known = new Map(base.images.map((url, i) => [url, base.imageTexts[i] ?? '']))
  const texts = images.map(({ url, alt }) => alt ?? known.get(url) ?? '')
  return { images: images.map(({ url }) => url), imageTexts: texts.some((text) => text !== '') ? texts : [] }
}

/**
 * With options in the file: those, plus the values of all variants. Without: the current options, plus values that
 * variants gained, minus values that no variant has any more.
 */
const mergeOptions = (
  before: readonly ProductOption[],
  given: readonly ProductOption[] | undefined,
  known: readonly VariantState[],
  variants: readonly VariantState[],
): ProductOption[] => {
  const [used, usedBefore] = [optionsOf(variants), optionsOf(known.filter(({ active }) => active))]
  const has = (options: readonly ProductOption[], name: string, value?: string) =>
    options.some((option) => option.name === name && (value === undefined || option.values.includes(value)))
  if (given !== undefined) {
    // The file decides the names. Values of variants that are not in the file stay.
    return given.map(({ name, values }) => ({ name, values: distinct([...values, ...valuesOf(used, name)]) }))
  }
  const isLeft = (name: string, value?: string) => has(used, name, value) || !has(usedBefore, name, value)
  const isAdded = (name: string) => (value: string) => !has(usedBefore, name, value)
  const kept = before.filter(({ name }) => isLeft(name))
  return [
    ...kept.map(({ name, values }) => ({
      name,
      values: distinct([
        ...values.filter((value) => isLeft(name, value)),
        ...valuesOf(used, name).filter(isAdded(name)),
      ]),
    })),
    ...used.filter(({ name }) => !has(kept, name) && !has(usedBefore, name)),
  ]
}

const distinct = (texts: readonly string[]) => [...new Set(texts)]
const valuesOf = (options: readonly ProductOption[], name: string) =>
  options.find((option) => option.name === name)?.values ?? []

type Comparable = Omit<ProductState, 'id' | 'variants'>

const changedFields = (before: Comparable, after: Comparable): Field[] => {
  const same: Record<string, boolean> = {
    name: before.name === after.name,
    // The stored description was sanitised when it was saved.
    description: before.description === after.description || before.description === makeSafeHtml(after.description),
    status: before.status === after.status,
    category: equal(before.categoryPath, after.categoryPath),
    vendor: before.vendor === after.vendor,
    images: equal(before.images, after.images) && equal(before.imageTexts, after.imageTexts),
    options: equal(inOrder(before.options), inOrder(after.options)),
    variants: before.hasVariants === after.hasVariants,
    tags: equal(before.tags, after.tags),
    seo: before.seo.title === after.seo.title && before.seo.description === after.seo.description,
    digital: optionKey({ ...before.digital }) === optionKey({ ...after.digital }),
    taxRate: before.taxRate === after.taxRate,
  }
  return Object.keys(same).filter((field) => !same[field])
}

const equal = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
const inOrder = (options: readonly ProductOption[]) => options.map(({ name, values }) => [name, values])
