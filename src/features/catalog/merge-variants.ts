import { newId } from '../../core/ids.ts'
import type { InputFault } from './input-faults.ts'
import { optionKey, type ProductPatch, type StockInput, type VariantPatch } from './product-input.ts'
import type { Field, SaveMode } from './save-mode.ts'

/** A variant in the store. Outlets are identified by their public ids. */
export type VariantState = {
  id: string
  active: boolean
  position: number
  sku: string
  title: string
  options: Record<string, string>
  priceMinor: number
  compareAtMinor: number | null
  barcode: string
  weightGrams: number | null
  image: string
  stockTracked: boolean
  /** Null: as the store says. */
  lowStockThreshold: number | null
  pricesMinor: Record<string, number>
  /** Available units by outlet before the save. Null for a new variant. */
  stock: Record<string, number> | null
  /** Available units at the default outlet before the save. */
  defaultStock?: number
}

/** Stock to write. `atDefaultOutlet` is a plain number in the file, which is for the default outlet. */
export type StockToSet = { variantId: string; byOutlet: Record<string, number>; atDefaultOutlet?: number }

export type MergedVariants = {
  variants: VariantState[]
  newVariants: VariantState[]
  changedVariants: VariantState[]
  deactivatedIds: string[]
  idsToFreeKeysOf: string[]
  stockChanges: StockToSet[]
  priceChanges: VariantState[]
  thresholdChanges: VariantState[]
  changes: Field[]
  stockKept: number
  faults: InputFault[]
}

type Named = { patch: VariantPatch; at: string; match: VariantState | undefined }

export const mergeVariants = (
  known: readonly VariantState[],
  product: ProductPatch,
  mode: SaveMode,
  isDigital: boolean,
): MergedVariants => {
  const active = known.filter(({ active }) => active)
  const { named, faults } = matchVariants(known, active, product, mode)
  const matched = new Set(named.map(({ match }) => match))
  const rest = active.filter((variant) => !matched.has(variant))
  // A variant without options cannot coexist with variants that have options.
  const isAdding = product.variants?.some((variant) => variant.active !== false) === true
  const others = mode.replace ? [] : isAdding ? rest.filter(hasOptions) : rest
  faults.push(...optionNameFaults(named, others))
  const outcome = named.map((one) => mergeVariant(one, mode, isDigital, faults))
  const [on, off] = [outcome.filter(({ variant }) => variant.active), outcome.filter(({ variant }) => !variant.active)]
  const ordered = inOrder(active, on, others)
  faults.push(...sameOptionFaults(ordered, named, outcome))
  if (ordered.length === 0) {
    faults.push({ field: 'active', message: 'cannot be false for the last variant; archive the product instead' })
  }

  const deactivated = rest.filter((variant) => !others.includes(variant))
  const before = new Map(known.map((variant) => [variant.id, variant]))
  const isNew = ({ id }: VariantState) => !before.has(id)
  // New variants that are off come last. Those that exist keep their place.
  const hidden = off.map(({ variant }, i) => (isNew(variant) ? { ...variant, position: ordered.length + i } : variant))
  const all = [...ordered, ...hidden]
  const newVariants = all.filter(isNew)
  const fieldsOf = (variant: VariantState) => changedFields(before.get(variant.id) ?? variant, variant)
  const changedVariants = all.filter((variant) => !isNew(variant) && fieldsOf(variant).length > 0)
  const stocked = outcome.filter(({ stock }) => stock.isSet)
  return {
    faults,
    variants: ordered,
    newVariants,
    changedVariants,
    deactivatedIds: deactivated.map(({ id }) => id),
    idsToFreeKeysOf: variantsToFree(known, ordered),
    stockChanges: stocked.map(({ variant, stock }) =>
      stockToSet(variant, stock.given, before.get(variant.id)?.stockTracked ?? true),
    ),
    thresholdChanges: changedVariants.filter((variant) => fieldsOf(variant).includes('lowStockThreshold')),
    priceChanges: all.filter((variant) => isNew(variant) || fieldsOf(variant).includes('prices')),
    changes: [
      ...(newVariants.length + deactivated.length > 0 ? ['variants'] : []),
      ...changedVariants.flatMap(fieldsOf),
      ...(stocked.some(({ variant }) => !isNew(variant)) ? ['stock'] : []),
    ],
    stockKept: outcome.filter(({ stock }) => stock.isKept).length,
  }
}

const hasOptions = ({ options }: Pick<VariantState, 'options'>) => Object.keys(options).length > 0

/** Matches the variants of the file to those of the store: by SKU, then by options, then the only one without options. */
const matchVariants = (
  known: readonly VariantState[],
  active: readonly VariantState[],
  { variants, own }: ProductPatch,
  { replace }: SaveMode,
): { named: Named[]; faults: InputFault[] } => {
  if (variants === undefined) return matchOwn(known, active, own, replace)
  const taken = new Set<VariantState>()
  const take = (variant: VariantState | undefined) => {
    if (variant === undefined || taken.has(variant)) return undefined
    taken.add(variant)
    return variant
  }
  const skusOnce = once(variants.map(({ sku }) => sku))
  const byId = variants.map(({ id }) => take(known.find((variant) => variant.id === id)))
  const bySku = variants.map(
    ({ id, sku }, i) =>
      byId[i] ?? (id === undefined && sku && skusOnce.has(sku) ? take(withSku(active, sku)) : undefined),
  )
  const byOptions = variants.map(
    ({ id, options }, i) =>
      bySku[i] ?? (id === undefined && options ? take(withOptions([...active, ...known], options)) : undefined),
  )
  const [only, ...more] = active
  const isSingle =
    only !== undefined &&
    variants[0]?.id === undefined &&
    more.length === 0 &&
    variants.length === 1 &&
    !hasOptions(only)
  const matches = isSingle && byOptions[0] === undefined ? [only] : byOptions
  const named = variants.map((patch, i) => ({ patch, at: `variants.${i}.`, match: matches[i] }))
  const faults = named
    .filter(({ patch, match }) => patch.options === undefined && match === undefined)
    .map(({ patch, at }) => ({
      field: `${at}options`,
      message: `is required, because the product has no variant with the SKU ${patch.sku}`,
    }))
  return { named, faults }
}

/** Variant fields on the product itself apply to its only variant, or to the variant with that SKU. */
const matchOwn = (
  known: readonly VariantState[],
  active: readonly VariantState[],
  own: VariantPatch,
  replace: boolean,
): { named: Named[]; faults: InputFault[] } => {
  const plain = { ...own, options: {} }
  if (active.length === 0 || replace) {
    return { named: [{ patch: plain, at: '', match: known.find((variant) => !hasOptions(variant)) }], faults: [] }
  }
  const match = active.length === 1 ? active[0] : own.sku ? withSku(active, own.sku) : undefined
  if (match !== undefined) return { named: [{ patch: own, at: '', match }], faults: [] }
  const given = ownFields.find(([name]) => own[name] !== undefined && own[name] !== null && own[name] !== '')
  const isPrices = given?.[0] === 'pricesMinor' && Object.keys(own.pricesMinor?.byOutlet ?? {}).length === 0
  if (given === undefined || isPrices) return { named: [], faults: [] }
  const message = `belongs to a variant, and the product has ${active.length}: set it on the variants`
  return { named: [], faults: [{ field: given[1], message, fixedBy: 'replace' }] }
}

const ownFields: [keyof VariantPatch, Field][] = [
  ['priceMinor', 'price'],
  ['compareAtMinor', 'compareAtPrice'],
  ['sku', 'sku'],
  ['stock', 'stock'],
  ['barcode', 'barcode'],
  ['weightGrams', 'weightGrams'],
  ['pricesMinor', 'prices'],
  ['lowStockThreshold', 'lowStockThreshold'],
]

const once = (texts: readonly (string | undefined)[]) =>
  new Set(texts.filter((text, i) => texts.indexOf(text) === i && texts.lastIndexOf(text) === i))

/** Undefined if several variants have the SKU. */
const withSku = (variants: readonly VariantState[], sku: string) => {
  const [found, another] = variants.filter((variant) => variant.sku === sku)
  return another === undefined ? found : undefined
}

const withOptions = (variants: readonly VariantState[], options: Record<string, string>) => {
  const key = optionKey(options)
  return variants.find((variant) => optionKey(variant.options) === key)
}

/** Remaining variants and those of the file must have the same option names, or shoppers could not choose. */
const optionNameFaults = (named: readonly Named[], others: readonly VariantState[]): InputFault[] => {
  const [first] = others
  if (first === undefined) return []
  const names = Object.keys(first.options).sort()
  return named
    .filter(({ patch, at }) => at !== '' && patch.options !== undefined)
    .filter(({ patch }) => JSON.stringify(Object.keys(patch.options ?? {}).sort()) !== JSON.stringify(names))
    .map(({ at }) => ({
      field: `${at}options`,
      message: `must have ${names.join(', ') || 'no option'}, like the other variants of the product`,
      fixedBy: 'replace' as const,
    }))
}

type Outcome = { variant: VariantState; stock: { given: StockInput; isSet: boolean; isKept: boolean } }

const mergeVariant = (
  { patch, at, match }: Named,
  { replace, setStock }: SaveMode,
  isDigital: boolean,
  faults: InputFault[],
): Outcome => {
  const base = match === undefined || replace ? undefined : match
  const options = patch.options ?? match?.options ?? {}
  const priceMinor = patch.priceMinor ?? base?.priceMinor
  if (priceMinor === undefined) faults.push({ field: `${at}price`, message: 'is required' })
  // Without a number, a new download is not tracked and any other new variant has no stock.
  const given = patch.stock === undefined && match === undefined ? (isDigital ? null : {}) : patch.stock
  const differs = given !== undefined && (match === undefined || isOtherStock(match, given))
  const isSet = differs && (match === undefined || setStock)
  const variant = {
    id: match?.id ?? patch.id ?? newId('var'),
    active: patch.active ?? true,
    position: match?.position ?? 0,
    sku: patch.sku ?? base?.sku ?? '',
    title: patch.title ?? titleOf(base, options),
    options,
    priceMinor: priceMinor ?? 0,
    compareAtMinor: patch.compareAtMinor === undefined ? (base?.compareAtMinor ?? null) : patch.compareAtMinor,
    barcode: patch.barcode ?? base?.barcode ?? '',
    weightGrams: patch.weightGrams === undefined ? (base?.weightGrams ?? null) : patch.weightGrams,
    image: patch.image ?? base?.image ?? '',
    stockTracked: isSet ? given !== null : (match?.stockTracked ?? true),
    lowStockThreshold:
      patch.lowStockThreshold === undefined ? (match?.lowStockThreshold ?? null) : patch.lowStockThreshold,
    pricesMinor: mergePrices(base?.pricesMinor ?? {}, patch.pricesMinor),
    stock: match?.stock ?? null,
  }
  return { variant, stock: { given: given === undefined ? {} : given, isSet, isKept: differs && !isSet } }
}

/** Built from the options, unless the merchant has written another title. */
const titleOf = (base: VariantState | undefined, options: Record<string, string>) => {
  const made = Object.values(options).join(' / ')
  if (base === undefined) return made
  const isSame = optionKey(base.options) === optionKey(options)
  // The database does not keep the order of options.
  const parts = (values: readonly string[]) => JSON.stringify(values.toSorted())
  const isWritten = base.title !== '' && parts(base.title.split(' / ')) !== parts(Object.values(base.options))
  return isSame || isWritten ? base.title : made
}

const mergePrices = (before: Record<string, number>, given: VariantPatch['pricesMinor']): Record<string, number> => {
  const all = Object.entries({ ...(given?.clears ? {} : before), ...given?.byOutlet })
  return Object.fromEntries(all.filter((entry): entry is [string, number] => entry[1] !== null))
}

const isOtherStock = ({ stockTracked, stock, defaultStock }: VariantState, given: StockInput) => {
  if (given === null || !stockTracked) return stockTracked !== (given !== null)
  if (typeof given === 'number') return given !== (defaultStock ?? 0)
  return Object.entries(given).some(([outlet, units]) => units !== (stock?.[outlet] ?? 0))
}

/**
 * When an untracked variant is tracked again, its old numbers are reset to 0. They stay until then, because an open
 * checkout may still depend on them.
 */
const stockToSet = ({ id, stock }: VariantState, given: StockInput, wasTracked: boolean): StockToSet => {
  if (given === null) return { variantId: id, byOutlet: {} }
  const left = Object.entries(wasTracked ? {} : (stock ?? {})).filter(([, units]) => units !== 0)
  const emptied = Object.fromEntries(left.map(([outlet]) => [outlet, 0]))
  if (typeof given === 'number') return { variantId: id, byOutlet: emptied, atDefaultOutlet: given }
  return { variantId: id, byOutlet: { ...emptied, ...given } }
}

/**
 * A file with all variants defines their order. A file with some of them does not change the order, and new variants go
 * to the end. Positions change only if the order changes, to avoid needless writes.
 */
const inOrder = (
  active: readonly VariantState[],
  outcome: readonly Outcome[],
  others: readonly VariantState[],
): VariantState[] => {
  const merged = new Map(outcome.map(({ variant }) => [variant.id, variant]))
  const activeIds = new Set(active.map(({ id }) => id))
  const kept = active.flatMap((variant) => merged.get(variant.id) ?? (others.includes(variant) ? [variant] : []))
  const added = outcome.map(({ variant }) => variant).filter(({ id }) => !activeIds.has(id))
  const wanted = others.length === 0 ? outcome.map(({ variant }) => variant) : [...kept, ...added]
  const isInOrder = [...kept, ...added].every((variant, i) => variant === wanted[i])
  const last = Math.max(-1, ...kept.map(({ position }) => position))
  return wanted.map((variant, i) => {
    if (!isInOrder) return { ...variant, position: i }
    return activeIds.has(variant.id) ? variant : { ...variant, position: last + 1 + i - kept.length }
  })
}

const sameOptionFaults = (
  ordered: readonly VariantState[],
  named: readonly Named[],
  outcome: readonly Outcome[],
): InputFault[] => {
  const keys = ordered.map(({ options }) => optionKey(options))
  return outcome.flatMap(({ variant }, i) => {
    const key = optionKey(variant.options)
    if (!variant.active || keys.indexOf(key) === keys.lastIndexOf(key)) return []
    return [{ field: `${named[i]?.at}options`, message: 'are already used by another variant of the product' }]
  })
}

/** Variants whose options change or pass to another variant. Their option key must be freed first. */
const variantsToFree = (known: readonly VariantState[], ordered: readonly VariantState[]) => {
  const owner = new Map(ordered.map(({ id, options }) => [optionKey(options), id]))
  const after = new Map(ordered.map(({ id, options }) => [id, optionKey(options)]))
  return known
    .filter(({ id, options }) => {
      const key = optionKey(options)
      const isMoved = after.has(id) && after.get(id) !== key
      return isMoved || (owner.has(key) && owner.get(key) !== id)
    })
    .map(({ id }) => id)
}

const changedFields = (before: VariantState, after: VariantState): Field[] => {
  const same: Record<Field, boolean> = {
    variants: before.active === after.active && before.position === after.position,
    sku: before.sku === after.sku,
    title: before.title === after.title,
    options: optionKey(before.options) === optionKey(after.options),
    price: before.priceMinor === after.priceMinor,
    compareAtPrice: before.compareAtMinor === after.compareAtMinor,
    barcode: before.barcode === after.barcode,
    weightGrams: before.weightGrams === after.weightGrams,
    image: before.image === after.image,
    prices: pricesKey(before.pricesMinor) === pricesKey(after.pricesMinor),
    stock: before.stockTracked === after.stockTracked,
    lowStockThreshold: before.lowStockThreshold === after.lowStockThreshold,
  }
  return Object.keys(same).filter((field) => !same[field])
}

const pricesKey = (prices: Record<string, number>) => JSON.stringify(Object.entries(prices).sort())
