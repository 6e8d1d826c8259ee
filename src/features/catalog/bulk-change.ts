import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { refuse } from '../../core/domain-errors.ts'
import { later } from '../../core/later.ts'
import { maxMinor, toMinor, toWire } from '../../core/money.ts'
import type { Tx } from '../../db/database.ts'
import { maxCounted } from '../admin-list.ts'
import { compareFields, recordChange } from '../audit/record.ts'
import type { AdminCtx, Author, Store } from '../context.ts'
import type { Step } from '../merchant-jobs/merchant-jobs.jobs.ts'
import type { JobFault, MerchantJob } from '../merchant-jobs/merchant-jobs.sql.ts'
import { queueJob } from '../merchant-jobs/merchant-jobs.ts'
import { BulkChange, BulkFilter, type BulkRequest } from './bulk.admin.contract.ts'
import { readCategory } from './edit-products.ts'
import type { ProductPatch, VariantPatch } from './product-input.ts'
import { openProductList } from './product-list.ts'
import { listCategoryNodes, lockCatalog, lockProducts } from './products.sql.ts'
import { categoryPaths } from './products.ts'
import { tryToSave } from './save.ts'
import { emptyPatch } from './variant-fields.ts'
import { findWholeProducts, type WholeProduct } from './whole-product.sql.ts'

export const bulkJobType = 'products.bulk'
/** Products that one step changes. */
const stepSize = 25

/** Prices change by thousandths of a percent, or by minor units. */
const PriceChange = Type.Union([
  Type.Object({ milliPercent: Type.Integer() }),
  Type.Object({ amountMinor: Type.Integer() }),
])
const StoredChange = Type.Object({
  status: BulkChange.properties.status,
  tags: BulkChange.properties.tags,
  price: Type.Optional(PriceChange),
  categoryId: Type.Optional(Type.Union([Type.String(), Type.Null()])),
})
type StoredChange = Static<typeof StoredChange>
const ChosenInput = Type.Object({ ids: Type.Array(Type.String()), change: StoredChange })
const FilteredInput = Type.Object({ filter: BulkFilter, change: StoredChange })
type BulkInput = Static<typeof ChosenInput> | Static<typeof FilteredInput>
const chosenInput = later(() => Compile(ChosenInput))
const filteredInput = later(() => Compile(FilteredInput))

/** Where a job with a filter is in the list. */
const filteredState = later(() =>
  Compile(Type.Object({ after: Type.Array(Type.Union([Type.String(), Type.Number()])) })),
)

/** The job shows the first ones, and counts all. */
const maxFaults = 1000

/** The job changes products as they are then. Those of a filter are the ones that match when the job comes to them. */
export const requestBulkChange = async (tx: Tx, ctx: Pick<AdminCtx, 'store' | 'by'>, request: BulkRequest) => {
  const { store, by } = ctx
  const change = await readChange(tx, store, request.change)
  const { input, total } = await readProducts(tx, store, request, change)
  return queueJob(tx, store, by, {
    ...{ type: bulkJobType, total, input },
    audited: { change: request.change, ...(request.filter === undefined ? {} : { filter: request.filter }) },
  })
}

const readProducts = async (
  tx: Tx,
  store: Store,
  { ids, filter }: BulkRequest,
  change: StoredChange,
): Promise<{ input: BulkInput; total: number }> => {
  if (ids !== undefined && filter === undefined) {
    const chosen = [...new Set(ids)]
    return { input: { ids: chosen, change }, total: chosen.length }
  }
  if (ids !== undefined || filter === undefined) throw refuse('BULK_PRODUCTS_UNCLEAR', {})
  const { found } = await (await openProductList({ db: tx, store }, filter)).count(maxCounted)
  return { input: { filter, change }, total: found }
}

const readChange = async (tx: Tx, store: Store, { price, category, ...change }: BulkChange): Promise<StoredChange> => {
  if (price === undefined && category === undefined && Object.keys(change).length === 0)
    throw refuse('BULK_CHANGE_EMPTY', {})
  const stored: StoredChange = { ...change }
  if (price !== undefined) stored.price = readPriceChange(store, price)
  if (category === null) stored.categoryId = null
  if (typeof category === 'string') {
    const path = await readCategory(tx, { store }, category, false)
    const nodes = await listCategoryNodes(tx, store.id)
    const pathOf = categoryPaths(nodes)
    stored.categoryId = nodes.find(({ id }) => pathOf(id).join('\n') === path.join('\n'))?.id ?? null
  }
  return stored
}

const readPriceChange = ({ currency }: Store, { percent, amount }: NonNullable<BulkChange['price']>) => {
  if ((percent === undefined) === (amount === undefined)) throw refuse('BULK_PRICE_UNCLEAR', {})
  if (percent !== undefined) {
    const milliPercent = Math.round(percent * 1000)
    if (Math.abs(milliPercent - percent * 1000) > 1e-6) throw refuse('BULK_PERCENT_INVALID', { percent })
    return { milliPercent }
  }
  const minor = toMinor(Math.abs(amount ?? 0), currency)
  if (minor === null) throw refuse('BULK_AMOUNT_INVALID', { amount: amount ?? 0, currency })
  return { amountMinor: (amount ?? 0) < 0 ? -minor : minor }
}

/** Rounds half up to a minor unit. Never below zero. */
export const changePrice = (minor: number, change: NonNullable<StoredChange['price']>): number => {
  if ('amountMinor' in change) return Math.max(0, minor + change.amountMinor)
  // Products of large prices and fine percentages are beyond what a number holds exactly.
  const [whole, part] = [BigInt(minor) * BigInt(100_000 + change.milliPercent), 100_000n]
  return Math.max(0, Number((2n * whole + part) / (2n * part)))
}

/** Changes the next products. All in one transaction with the progress, so that none is changed twice. */
export const runBulkStep = async (tx: Tx, store: Store, job: MerchantJob): Promise<Step> => {
  const { input } = job
  await lockCatalog(tx, store.id)
  if (chosenInput().Check(input)) {
    const { ids, change } = input
    const chosen = ids.slice(job.done, job.done + stepSize)
    return { ...(await changeProducts(tx, store, job, chosen, change)), isFinished: job.done + stepSize >= ids.length }
  }
  if (!filteredInput().Check(input)) throw new Error(`the input of job ${job.id} is not that of a bulk change`)
  const { filter, change } = input
  // By id, which never changes: no product is met twice, whatever the change does to the filter.
  const list = await openProductList({ db: tx, store }, { ...filter, sort: 'newest' })
  const found = await list.read(filteredState().Check(job.state) ? job.state.after : undefined, stepSize)
  const ids = found.map(({ id }) => id)
  const { done, ...step } = await changeProducts(tx, store, job, ids, change)
  const last = found.at(-1)
  const isFinished = found.length < stepSize || last === undefined
  const state = last === undefined ? undefined : { after: list.positionOf(last) }
  // What was counted in the beginning has a limit, and may have changed.
  return { ...step, done, isFinished, state, total: isFinished ? done : Math.max(job.total, done + 1) }
}

const changeProducts = async (
  tx: Tx,
  store: Store,
  job: MerchantJob,
  chosen: readonly string[],
  change: StoredChange,
): Promise<Omit<Step, 'isFinished'>> => {
  await lockProducts(tx, store.id, chosen)
  const found = new Map((await findWholeProducts(tx, store.id, chosen)).map((product) => [product.id, product]))
  const nodes = await listCategoryNodes(tx, store.id)
  const path = change.categoryId === undefined ? undefined : categoryPaths(nodes)(change.categoryId)
  const isCategoryGone = change.categoryId != null && path?.length === 0
  const faults: JobFault[] = []
  const fault = (id: string, field: string, message: string) =>
    faults.push({ line: job.done + chosen.indexOf(id) + 1, field, message, id })
  const products: WholeProduct[] = []
  for (const id of chosen) {
    const product = found.get(id)
    if (product === undefined) fault(id, 'id', 'is not a product of this store')
    else if (isCategoryGone) fault(id, 'category', 'does not exist any more')
    else if (isTooHigh(product, change)) fault(id, 'price', 'would be too high')
    else products.push(product)
  }
  const patches = products.map((product) => patchFor(product, change, path))
  const mode = { replace: false, setStock: false, by: job.author, cause: 'adjustment' } as const
  const { summary, plans } = await tryToSave(tx, store, patches, mode)
  for (const [i, plan] of plans.entries()) {
    if ('faults' in plan) for (const { field, message } of plan.faults) fault(products[i]?.id ?? '', field, message)
  }
  await recordChanges(tx, store, job.author, products)
  const before = { updated: 0, unchanged: 0, faulty: 0, ...job.result }
  const result = {
    updated: before.updated + summary.updated,
    unchanged: before.unchanged + summary.unchanged,
    faulty: before.faulty + new Set(faults.map(({ id }) => id)).size,
  }
  return { done: job.done + chosen.length, faults: before.faulty < maxFaults ? faults : [], result }
}

const isTooHigh = ({ variants }: WholeProduct, { price }: StoredChange) =>
  price !== undefined && variants.some(({ priceMinor }) => changePrice(priceMinor, price) > maxMinor)

const patchFor = (product: WholeProduct, change: StoredChange, categoryPath: string[] | undefined): ProductPatch => {
  const { status, tags, price } = change
  const { own, ...patch } = emptyPatch(product.slug)
  const active = product.variants.filter((variant) => variant.active)
  const priced =
    price === undefined
      ? []
      : active.map(
          ({ id, priceMinor, pricesMinor }): VariantPatch => ({
            ...{ ...own, id, active: true, priceMinor: changePrice(priceMinor, price) },
            pricesMinor: { clears: false, byOutlet: mapValues(pricesMinor, (minor) => changePrice(minor, price)) },
          }),
        )
  const [only] = priced
  return {
    ...{ ...patch, own, status, categoryPath },
    tags: tags === undefined ? undefined : changeTags(product.tags, tags),
    ...(only === undefined ? {} : product.hasVariants ? { variants: priced } : { own: only }),
  }
}

const mapValues = (values: Record<string, number>, change: (value: number) => number) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))

const changeTags = (before: readonly string[], change: NonNullable<BulkChange['tags']>) => {
  if (Array.isArray(change)) return change
  const { add = [], remove = [] } = change
  return [...new Set([...before, ...add])].filter((tag) => !remove.includes(tag))
}

/** What a bulk change can change. */
const recordChanges = async (tx: Tx, store: Store, by: Author, products: readonly WholeProduct[]) => {
  const ids = products.map(({ id }) => id)
  const after = new Map((await findWholeProducts(tx, store.id, ids)).map((product) => [product.id, product]))
  for (const before of products) {
    const changes = compareFields(audited(store, before), audited(store, after.get(before.id) ?? before))
    if (Object.keys(changes).length > 0)
      recordChange(tx, store, by, { action: 'product.updated', id: before.id, changes })
  }
}

const audited = ({ currency }: Store, { status, category, tags, variants }: WholeProduct) => ({
  ...{ status, category, tags },
  prices: Object.fromEntries(variants.map(({ id, priceMinor }) => [id, toWire(priceMinor, currency)])),
  outletPrices: variants.map(({ pricesMinor }) => mapValues(pricesMinor, (minor) => toWire(minor, currency))),
})
