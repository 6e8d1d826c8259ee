import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { newStore, startTestService, type TestService } from '../../../test/harness.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import { listCoupons } from '../pricing/manage-coupons.ts'
import { type DemoKeys, seedDemo, seedDemoIfEmpty } from './demo-store.ts'

let service: TestService
let demo: DemoKeys
before(async () => {
  service = await startTestService()
  demo = await service.db.tx(seedDemo)
})
after(() => service.close())

type Written = { slug: string; status: string; price?: number; variants?: { price: number }[] }
const catalog: Written[] = JSON.parse(readFileSync(new URL('./data/catalog.json', import.meta.url), 'utf8'))

type Product = { id: string; slug: string; price: number; stock: number; currency: string; images: string[] }
type Entry = { label: string; type: string; target: string; children: Entry[] }

const get = async (path: string, headers: Record<string, string> = {}) => {
  const { status, json } = await service.call(path, { headers: { 'x-store-key': demo.browserKey, ...headers } })
  assert.equal(status, 200, path)
  return json
}

const inBengaluru = () => ({ 'x-outlet-id': demo.outlets.bengaluru as string })
const allProducts = (headers?: Record<string, string>): Promise<Product[]> => get('/v1/products?limit=100', headers)
const detailsOf = async (products: readonly Product[]) =>
  Promise.all(products.map(({ slug }) => get(`/v1/products/${slug}`)))

/** Images have the public URL of the service. */
const fetchPicture = (address: string) => service.call(address.replace('http://vitrine.test', ''))

test('the demo store has about forty products with the prices of its file, in rupees, and shows no draft', async () => {
  const products = await allProducts()
  assert.ok(products.length >= 38 && products.length <= 45, String(products.length))
  const shown = products.map(({ slug, price, currency }) => ({ slug, price, currency }))
  const written = catalog
    .filter(({ status }) => status === 'ACTIVE')
    .map(({ slug, price, variants }) => ({
      slug,
      price: price ?? Math.min(...(variants ?? []).map((variant) => variant.price)),
      currency: 'INR',
    }))
  assert.deepEqual(shown, written, 'the best ones, at the beginning of the file, come first')
  const hidden = catalog.filter(({ status }) => status !== 'ACTIVE')
  assert.ok(hidden.length > 0)
  for (const { slug } of hidden) {
    const headers = { 'x-store-key': demo.serverKey }
    assert.equal((await service.call(`/v1/products/${slug}`, { headers })).status, 404)
  }
})

test('its products cover the cases of a storefront: variants, downloads, sale prices and out of stock', async () => {
  const products = await allProducts()
  const details = await detailsOf(products)
  const withVariants = details.filter(({ variants }) => variants.length > 1)
  assert.ok(withVariants.length >= 10)
  for (const { slug, price, variants, options, hasVariants } of withVariants) {
    assert.equal(hasVariants, true)
    assert.equal(price, Math.min(...variants.map((variant: Product) => variant.price)), slug)
    for (const variant of variants) {
      for (const { name, values } of options) assert.ok(values.includes(variant.options[name]), `${slug} ${name}`)
    }
  }
  const digital = details.filter((product) => product.digital)
  assert.ok(digital.length >= 2)
  for (const { slug, stock } of digital) assert.ok(stock > 0, `${slug} can always be bought`)
  assert.ok(details.some(({ compareAtPrice, price }) => compareAtPrice > price))
  const soldOut = products.filter(({ stock }) => stock === 0)
  assert.ok(soldOut.some(({ slug }) => slug === 'applique-sling-bag'))
  for (const { description, seo, slug } of details) assert.ok(description.length > 50 && seo.title !== '', slug)
})

test('its second outlet has its own prices and stock', async () => {
  const { outlets, defaultOutletId } = await get('/v1/store')
  assert.equal(outlets.length, 2)
  assert.equal(defaultOutletId, demo.outlets.mumbai)
  const here = new Map((await allProducts()).map((product) => [product.slug, product]))
  const there = await allProducts(inBengaluru())
  const dearer = there.filter(({ slug, price }) => price !== here.get(slug)?.price)
  assert.deepEqual(dearer.map(({ slug, price }) => [slug, price]).sort(), [
    ['brass-filter-coffee-set', 1090],
    ['hammered-copper-jug', 2290],
  ])
  const onlyThere = there.filter(({ slug, stock }) => stock > 0 && here.get(slug)?.stock === 0)
  assert.ok(onlyThere.some(({ slug }) => slug === 'cane-pendant-lamp'))
})

test('every image of a product, a category and the store is served as an SVG', async () => {
  const { data } = await get('/v1/categories?limit=100')
  const { logo } = await get('/v1/store')
  const addresses = new Set<string>([
    logo,
    ...data.map(({ image }: { image: string }) => image),
    ...(await allProducts()).flatMap(({ images }) => images),
  ])
  assert.ok(addresses.size > 40)
  for (const address of addresses) {
    const picture = await fetchPicture(address)
    assert.equal(picture.status, 200, address)
    assert.match(picture.headers.get('content-type') ?? '', /^image\/svg\+xml/)
    assert.match(picture.text, /^<svg [\s\S]+<\/svg>\s*$/, address)
    assert.doesNotMatch(picture.text, /<script|href="http|url\(http/, `${address} must need no network`)
  }
})

test('every product has an image, and every parent category exists', async () => {
  for (const { slug, images } of await allProducts()) assert.ok(images.length > 0, slug)
  const { data } = await get('/v1/categories?limit=100')
  const ids = new Set(data.map(({ id }: { id: string }) => id))
  const parents = data.map(({ parentId }: { parentId: string | null }) => parentId).filter(Boolean)
  assert.ok(parents.length > 5)
  for (const parent of parents) assert.ok(ids.has(parent))
})

test('every menu entry has an existing target', async () => {
  const { items } = await get('/v1/menu')
  const flat = (entries: Entry[]): Entry[] => entries.flatMap((entry) => [entry, ...flat(entry.children)])
  const { data } = await get('/v1/categories?limit=100')
  const slugs = new Set(data.map(({ slug }: { slug: string }) => slug))
  const entries = flat(items)
  for (const { type, target } of entries) {
    if (type === 'category') assert.ok(slugs.has(target), target)
    if (type === 'product') assert.equal((await get(`/v1/products/${target}`)).slug, target)
    if (type === 'link') assert.ok(URL.canParse(target), target)
  }
  assert.deepEqual([...new Set(entries.map(({ type }) => type))].sort(), ['category', 'link', 'page', 'product'])
  assert.equal(new Set(entries.map((entry) => (entry as Entry & { id: string }).id)).size, entries.length)
})

test('its shipping costs, contact and keys are ready to use', async () => {
  const store = await get('/v1/store')
  assert.deepEqual(store.shipping, { flat: 79, freeAbove: 999 })
  assert.deepEqual([store.taxIncluded, store.paymentMethods], [true, ['online', 'cod']])
  assert.equal(store.address.city, 'Mumbai')
  const limitOf = async (key: string) =>
    (await service.call('/v1/store', { headers: { 'x-store-key': key } })).headers.get('ratelimit-limit')
  assert.deepEqual([await limitOf(demo.serverKey), await limitOf(demo.browserKey)], ['60', '300'])
  const page = { 'x-store-key': demo.browserKey, origin: 'http://localhost:5173' }
  assert.equal((await service.call('/v1/store', { headers: page })).status, 200)
})

test('its coupons are those of its file, one of them for one category', async () => {
  const store = await findStoreByPublicId(service.db, demo.storeId)
  assert.ok(store)
  const coupons = await listCoupons(service.db, store)
  const shown = coupons.map(({ code, kind, value, minSubtotal, usageLimit, customerLimit, categories }) => [
    ...[code, kind, value, minSubtotal, usageLimit, customerLimit],
    ...categories,
  ])
  assert.deepEqual(shown.sort(), [
    ['CHAI15', 'percent', 15, 0, null, null, 'tea-and-coffee'],
    ['FESTIVE500', 'fixed', 500, 4999, 250, 2],
    ['FLAT200', 'fixed', 200, 1999, null, null],
    ['WELCOME10', 'percent', 10, 0, null, 1],
  ])
  for (const { startsAt, endsAt, description } of coupons) {
    assert.equal(startsAt, null)
    assert.ok(endsAt === null || endsAt.getUTCFullYear() === 2035)
    assert.ok(description.length > 10)
  }
})

test('no demo store is created in a database that has a store', async () => {
  await newStore(service)
  assert.equal(await seedDemoIfEmpty(service.db), null)
})
