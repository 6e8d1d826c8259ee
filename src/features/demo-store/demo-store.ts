import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { randomText } from '../../core/ids.ts'
import { toMinor } from '../../core/money.ts'
import type { Db, Queries, Tx } from '../../db/database.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import { type ProductPatch, readProduct, splitPath, type VariantPatch } from '../catalog/product-input.ts'
import { categoryImages, ensureCategories } from '../catalog/products.ts'
import { saveProducts } from '../catalog/save.ts'
import type { Store } from '../context.ts'
import type { CommonFolder } from '../downloads/files.ts'
import { couponDefaults, createCoupon } from '../pricing/manage-coupons.ts'
import { replaceMenu } from '../stores/menu.ts'
import { countStores, isDemoStore, isDomainTaken, markDemoStore } from '../stores/stores.sql.ts'
import { changeStore, createOutlet, createStore } from '../stores/stores.ts'
import { lockDemo } from './demo-store.sql.ts'

const folder = new URL('./data/', import.meta.url)
const readJson = (name: string) => JSON.parse(readFileSync(new URL(name, folder), 'utf8'))

type DemoStore = Pick<
  Store,
  'name' | 'domain' | 'currency' | 'locale' | 'timezone' | 'logo' | 'contact' | 'address' | 'taxIncluded'
> & {
  shipping: { flat: number; freeAbove: number }
  outlets: { key: string; name: string; default?: boolean }[]
  categories: { path: string; image: string }[]
}

/** The default ports of common front-end tools. */
const demoOrigins = [3000, 3001, 4200, 5173, 8080].flatMap((port) => [
  `http://localhost:${port}`,
  `http://127.0.0.1:${port}`,
])

export type DemoKeys = Awaited<ReturnType<typeof createStore>> & { outlets: Record<string, string> }

/** The download files of demo stores, which are part of the package. */
export const demoFilesFolder = fileURLToPath(new URL('./files/', folder))

/** Null in production, which serves no demo files. */
export const demoFilesOf = (production: boolean, db: Queries): CommonFolder | null =>
  production ? null : { folder: demoFilesFolder, isFor: (storeId) => isDemoStore(db, storeId) }

/** Creates the demo store if the database has no store, and returns its keys; otherwise null. */
export const seedDemoIfEmpty = (db: Db): Promise<DemoKeys | null> =>
  db.tx(async (tx) => {
    await lockDemo(tx)
    return (await countStores(tx)) > 0 ? null : seedDemo(tx)
  })

/** Creates a complete store to try the API with. */
export const seedDemo = async (tx: Tx): Promise<DemoKeys> => {
  await lockDemo(tx)
  const demo: DemoStore = readJson('store.json')
  // A second demo store needs a domain of its own.
  const domain = (await isDomainTaken(tx, demo.domain)) ? `https://kavya-${randomText(8)}.example` : demo.domain
  const [first, ...others] = demo.outlets.toSorted((a, b) => Number(b.default ?? false) - Number(a.default ?? false))
  if (first === undefined) throw new Error('the demo store has no outlet')
  const made = await createStore(tx, {
    ...demo,
    domain,
    origins: demoOrigins,
    outletName: first.name,
    paymentProvider: 'sandbox',
  })
  const load = async () => {
    const store = await findStoreByPublicId(tx, made.storeId)
    if (store === undefined) throw new Error(`the demo store ${made.storeId} was not found after its creation`)
    return store
  }
  const outlets: Record<string, string> = { [first.key]: made.outletId }
  for (const { key, name } of others) outlets[key] = (await createOutlet(tx, await load(), name)).outletId

  const store = await load()
  await markDemoStore(tx, store.id)
  await changeStore(tx, store, {
    name: null,
    domain: null,
    locale: null,
    timezone: null,
    logo: demo.logo,
    contact: demo.contact,
    address: demo.address,
    taxIncluded: demo.taxIncluded,
    shippingFlatMinor: toMinor(demo.shipping.flat, demo.currency),
    shippingFreeAboveMinor: toMinor(demo.shipping.freeAbove, demo.currency),
    cashOnDelivery: true,
  })
  const categories = demo.categories.map(({ path, image }) => ({ path: splitPath(path), image }))
  await ensureCategories(
    tx,
    store,
    categories.map(({ path }) => path),
    categoryImages(categories),
  )
  // Lists show the newest product first. The file has the best products first, so they are saved last.
  await saveProducts(tx, store, readCatalog(demo.currency, outlets).toReversed())
  await replaceMenu(tx, store, readJson('menu.json'))
  const coupons: DemoCoupon[] = readJson('coupons.json')
  for (const coupon of coupons) await createCoupon(tx, store, readCoupon(coupon))
  return { ...made, outlets }
}

type DemoCoupon = {
  code: string
  type: 'percent' | 'fixed'
  value: number
  minSubtotal?: number
  limit?: number
  perCustomer?: number
  category?: string
  ends?: string
  description: string
}

/** docs/tour.md and tests use these coupons by their codes, so the codes must not change. */
const readCoupon = (file: DemoCoupon) => ({
  ...couponDefaults,
  code: file.code,
  kind: file.type,
  value: file.value,
  description: file.description,
  minSubtotal: file.minSubtotal ?? 0,
  endsAt: file.ends === undefined ? null : new Date(file.ends),
  usageLimit: file.limit ?? null,
  customerLimit: file.perCustomer ?? null,
  categories: file.category === undefined ? [] : [file.category],
  listed: true,
})

/** Replaces the outlet keys of the file with the ids of the created outlets. */
const readCatalog = (currency: string, outlets: Record<string, string>): ProductPatch[] => {
  const rename = <Value>(byOutlet: Record<string, Value>) =>
    Object.fromEntries(Object.entries(byOutlet).map(([key, value]) => [outlets[key] ?? key, value]))
  const renameIn = (variant: VariantPatch): VariantPatch => ({
    ...variant,
    stock: typeof variant.stock === 'object' && variant.stock !== null ? rename(variant.stock) : variant.stock,
    pricesMinor: variant.pricesMinor && { ...variant.pricesMinor, byOutlet: rename(variant.pricesMinor.byOutlet) },
  })
  const products: unknown[] = readJson('catalog.json')
  return products.map((file) => {
    const product = readProduct(file, currency)
    if (Array.isArray(product)) throw new Error(`the demo catalog is invalid: ${JSON.stringify({ file, product })}`)
    return { ...product, own: renameIn(product.own), variants: product.variants?.map(renameIn) }
  })
}
