import { refuse } from '../../core/domain-errors.ts'
import { newId } from '../../core/ids.ts'
import { toMinor, toWire } from '../../core/money.ts'
import { mustExist } from '../../core/must-exist.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { compareFields, recordChange } from '../audit/record.ts'
import { findCategoryId, findProductId } from '../catalog/find-named.sql.ts'
import { splitPath } from '../catalog/product-input.ts'
import type { Author, Store } from '../context.ts'
import * as sql from './coupons.sql.ts'
import { readCouponCode } from './coupons.ts'

/** Input for a new coupon. Amounts are decimal numbers in the store's currency. */
export type CouponRequest = {
  code: string
  kind: 'percent' | 'fixed'
  /** Percent, with up to three decimals, or an amount. */
  value: number
  description: string
  minSubtotal: number
  startsAt: Date | null
  /** Exclusive. */
  endsAt: Date | null
  usageLimit: number | null
  customerLimit: number | null
  /** By id, slug or path (`Home > Kitchen`). If this and `products` are empty, the coupon applies to everything. */
  categories: readonly string[]
  /** By id or slug. */
  products: readonly string[]
  /** Whether customers see it in the list of coupons. An unlisted coupon works for anyone who knows the code. */
  listed: boolean
}

/** Defaults: no limits and no conditions. */
export const couponDefaults = {
  description: '',
  minSubtotal: 0,
  startsAt: null,
  endsAt: null,
  usageLimit: null,
  customerLimit: null,
  categories: [],
  products: [],
  listed: false,
} satisfies Partial<CouponRequest>

export const createCoupon = async (
  tx: Tx,
  store: Pick<Store, 'id' | 'currency'>,
  request: CouponRequest,
): Promise<ListedCoupon> => {
  const coupon = {
    id: newId('cpn'),
    code: readCode(request.code),
    kind: request.kind,
    value: readValue(request, store.currency),
    description: request.description,
    minSubtotalMinor: readAmount('minSubtotal', request.minSubtotal, store.currency),
    ...readWindow(request),
    usageLimit: readLimit(request.usageLimit),
    customerLimit: readLimit(request.customerLimit),
    categoryIds: await findAll(request.categories, (text) => findCategory(tx, store, text)),
    listed: request.listed,
    productIds: await findAll(request.products, (text) => findProduct(tx, store, text)),
  }
  const isNew = (await sql.insertCoupon(tx, store.id, coupon)) > 0
  if (!isNew) throw refuse('COUPON_TAKEN', { coupon: coupon.code })
  return readCouponById(tx, store, coupon.id)
}

export const createCouponBy = async (tx: Tx, store: CouponStore, by: Author, request: CouponRequest) => {
  const made = await createCoupon(tx, store, request)
  recordChange(tx, store, by, { action: 'coupon.created', id: made.code, changes: compareFields({}, auditedOf(made)) })
  return made
}

/** Fields that are not given stay as they are. */
export type CouponEdit = Partial<Omit<CouponRequest, 'code'>> & { stopped?: boolean }

/**
 * Changes a coupon. Uses wait for the lock, so that none is counted between the check and the change. A used coupon keeps
 * its discount: its uses would not be comparable.
 */
export const changeCouponBy = async (
  tx: Tx,
  store: CouponStore,
  by: Author,
  text: string,
  change: CouponEdit,
  check: (before: ListedCoupon) => void = () => {},
): Promise<ListedCoupon> => {
  const code = readCode(text)
  const id = await sql.lockCoupon(tx, store.id, code)
  if (id === undefined) throw refuse('COUPON_NOT_FOUND', { coupon: code })
  const before = await readCouponById(tx, store, id)
  check(before)
  const { stopped, ...wanted } = change
  const next = { ...before, ...wanted }
  if (before.used > 0 && (next.kind !== before.kind || next.value !== before.value)) {
    throw refuse('COUPON_USED', { coupon: code })
  }
  if (next.usageLimit !== null && next.usageLimit < before.used) {
    throw refuse('COUPON_LIMIT_BELOW_USES', { coupon: code, used: before.used })
  }
  const { categories, products } = wanted
  await sql.updateCoupon(tx, store.id, id, {
    ...{ kind: next.kind, value: readValue(next, store.currency), description: next.description, listed: next.listed },
    minSubtotalMinor: readAmount('minSubtotal', next.minSubtotal, store.currency),
    ...readWindow(next),
    usageLimit: readLimit(next.usageLimit),
    customerLimit: readLimit(next.customerLimit),
    isStopped: stopped ?? before.stoppedAt !== null,
    categoryIds: categories === undefined ? null : await findAll(categories, (one) => findCategory(tx, store, one)),
    productIds: products === undefined ? null : await findAll(products, (one) => findProduct(tx, store, one)),
  })
  const after = await readCouponById(tx, store, id)
  const changes = compareFields(auditedOf(before), auditedOf(after))
  const isStopped = after.stoppedAt !== null && before.stoppedAt === null
  const action = isStopped ? 'coupon.stopped' : 'coupon.updated'
  if (Object.keys(changes).length > 0) recordChange(tx, store, by, { action, id: code, changes })
  return after
}

/** The count of uses changes without staff. */
const auditedOf = ({ used: _, ...coupon }: ListedCoupon) => coupon

type CouponStore = Pick<Store, 'id' | 'currency'>

/** A stopped coupon gives no discount. It stays in the operator's list, and existing orders keep their discount. */
export const stopCoupon = (tx: Tx, store: CouponStore, by: Author, text: string) =>
  changeCouponBy(tx, store, by, text, { stopped: true })

/** Sets whether customers see the coupon in their list. */
export const setCouponListed = (tx: Tx, store: CouponStore, by: Author, text: string, listed: boolean) =>
  changeCouponBy(tx, store, by, text, { listed })

export const findCoupon = async (db: Queries, store: CouponStore, text: string): Promise<ListedCoupon> => {
  const code = readCode(text)
  const id = await sql.findCouponId(db, store.id, code)
  if (id === undefined) throw refuse('COUPON_NOT_FOUND', { coupon: code })
  return readCouponById(db, store, id)
}

const readCouponById = async (db: Queries, store: CouponStore, id: string): Promise<ListedCoupon> => {
  const [coupon] = await readCoupons(db, store, id)
  return mustExist(coupon, `coupon ${id}`)
}

/** A coupon as operators see it, with the slugs of its categories and products. */
export type ListedCoupon = Omit<sql.CouponRow, 'minSubtotalMinor'> & { minSubtotal: number }

/** Oldest first. */
export const listCoupons = (db: Queries, store: Pick<Store, 'id' | 'currency'>) => readCoupons(db, store, null)

const readCoupons = async (
  db: Queries,
  { id, currency }: Pick<Store, 'id' | 'currency'>,
  only: string | null,
): Promise<ListedCoupon[]> => (await sql.listCoupons(db, id, only)).map((row) => toListed(row, currency))

export const toListed = ({ value, minSubtotalMinor, ...coupon }: sql.CouponRow, currency: string): ListedCoupon => ({
  ...coupon,
  value: coupon.kind === 'percent' ? value / 1000 : toWire(value, currency),
  minSubtotal: toWire(minSubtotalMinor, currency),
})

const readCode = (text: string) => {
  const code = readCouponCode(text)
  if (code !== null) return code
  throw refuse('COUPON_CODE_INVALID', { coupon: text })
}

const readValue = ({ kind, value }: Pick<CouponRequest, 'kind' | 'value'>, currency: string) => {
  if (kind === 'fixed') {
    const minor = readAmount('value', value, currency)
    if (minor === 0) throw refuse('COUPON_DISCOUNT_ZERO', {})
    return minor
  }
  const thousandths = Math.round(value * 1000)
  if (!(value > 0 && value <= 100) || thousandths / 1000 !== value) {
    throw refuse('COUPON_PERCENT_INVALID', { percent: value })
  }
  return thousandths
}

const readAmount = (field: 'value' | 'minSubtotal', amount: number, currency: string) => {
  const minor = toMinor(amount, currency)
  if (minor === null) throw refuse('COUPON_AMOUNT_INVALID', { field, amount, currency })
  return minor
}

const readWindow = ({ startsAt, endsAt }: Pick<CouponRequest, 'startsAt' | 'endsAt'>) => {
  if (startsAt !== null && endsAt !== null && endsAt <= startsAt) {
    throw refuse('COUPON_PERIOD_INVALID', { startsAt, endsAt })
  }
  return { startsAt, endsAt }
}

const maxUses = 1_000_000_000

const readLimit = (limit: number | null) => {
  if (limit === null || (Number.isInteger(limit) && limit >= 1 && limit <= maxUses)) return limit
  throw refuse('COUPON_LIMIT_INVALID', { limit, maxUses })
}

const findAll = async (texts: readonly string[], find: (text: string) => Promise<string>) => {
  const ids = new Set<string>()
  for (const text of texts) ids.add(await find(text))
  return [...ids]
}

const findCategory = async (tx: Tx, store: Pick<Store, 'id'>, text: string) => {
  const id = await findCategoryId(tx, store.id, text.trim(), splitPath(text))
  if (id === undefined) throw refuse('COUPON_CATEGORY_UNKNOWN', { category: text })
  return id
}

const findProduct = async (tx: Tx, store: Pick<Store, 'id'>, text: string) => {
  const id = await findProductId(tx, store.id, text.trim())
  if (id === undefined) throw refuse('COUPON_PRODUCT_UNKNOWN', { product: text })
  return id
}
