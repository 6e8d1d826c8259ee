import { Failure } from '../core/errors.ts'
import { escapeHtml } from '../core/text.ts'
import { findStoreByPublicId } from '../features/access/directory.ts'
import type { Category, ProductDetail } from '../features/catalog/catalog.contract.ts'
import { listCategories, showProduct } from '../features/catalog/catalog.ts'
import { plainText } from '../features/catalog/import/safe-html.ts'
import { cutText } from '../features/catalog/product-input.ts'
import type { Services, StoreCtx } from '../features/context.ts'
import { findShopAddress } from './addresses.ts'

/** The status and head of a page for clients that run no script: search engines, link previews and monitors. */
export type PageHead = {
  status: 200 | 404 | 503
  title: string
  description: string
  /** The canonical path; null for a page that search engines must not index. */
  canonicalPath: string | null
  image?: string | undefined
  data?: object | undefined
}

type PageRequest = { path: string; query: URLSearchParams; origin: string }

/** Reads the catalog directly and not through the API, so that pages do not use up a rate limit. */
export const describePage = async (services: Services, storeId: string, request: PageRequest): Promise<PageHead> => {
  const store = await findStoreByPublicId(services.db, storeId)
  if (store === undefined) return notFound('Page not found', 'Shop')
  const outlet = store.defaultOutlet
  const ctx = {
    ...services,
    db: services.db.forStore(store.id),
    ...{ store, outlet, cacheStore: store.id, cacheScope: outlet.id, scopes: new Set<never>() },
    ...{ clientAddress: '', isBrowserKey: false, language: null },
  }
  const found = findShopAddress(request.path)
  if (found === undefined || !isName(found.param)) return notFound('Page not found', store.name)
  const { address, param } = found
  if (address.pattern === '/product/:slug') return describeProduct(ctx, param, request)
  if (address.pattern === '/category/:slug') return describeCategory(ctx, param, request)
  return {
    status: 200,
    title: `${titleOf(address, request)} · ${store.name}`,
    description: defaultDescription,
    canonicalPath: address.isPrivate ? null : address.pattern,
  }
}

/** No slug or id is longer, and PostgreSQL stores no null characters. */
const isName = (param: string) => param.length <= 300 && !param.includes('\0')

const defaultDescription = 'A small shop that shows what the Vitrine API can do.'

const titleOf = ({ pattern, title }: { pattern: string; title: string }, { query }: PageRequest) => {
  const words = pattern === '/search' ? (query.get('q') ?? '').trim() : ''
  return words === '' ? title : `Results for “${cutText(words, maxQueryLength)}”`
}

/** The maximum length of the search box. */
const maxQueryLength = 100

const notFound = (title: string, storeName: string): PageHead => ({
  status: 404,
  title: `${title} · ${storeName}`,
  description: defaultDescription,
  canonicalPath: null,
})

/** The head when the catalog cannot be read. The script shows the error and tries again. */
export const unreadable: PageHead = { status: 503, title: 'Shop', description: defaultDescription, canonicalPath: null }

const describeProduct = async (ctx: StoreCtx, idOrSlug: string, { query, origin }: PageRequest): Promise<PageHead> => {
  const product = await showProduct(ctx, idOrSlug).catch((error: unknown) => {
    if (error instanceof Failure && error.code === 'NOT_FOUND') return null
    throw error
  })
  if (product === null) return notFound('Product not found', ctx.store.name)
  const canonicalPath = `/product/${encodeURIComponent(product.slug)}`
  return {
    status: 200,
    title: `${product.seo.title || product.name} · ${ctx.store.name}`,
    description: product.seo.description || plainText(product.description),
    canonicalPath,
    image: product.images[0],
    data: productData(product, origin + canonicalPath, query.get('variant')),
  }
}

/** A schema.org Product with an offer for each variant, and the SKU of the variant that the page shows. */
const productData = (product: ProductDetail, url: string, wanted: string | null) => {
  const { variants } = product
  const chosen = variants.find(({ id }) => id === wanted) ?? variants.find(({ stock }) => stock > 0) ?? variants[0]
  return {
    '@context': 'https://schema.org',
    '@type': 'Product',
    name: product.name,
    description: plainText(product.description),
    ...(product.category === '' ? {} : { category: product.category }),
    image: product.images,
    ...(chosen?.sku ? { sku: chosen.sku } : {}),
    url,
    offers: variants.map(({ id, sku, title, price, stock }) => ({
      '@type': 'Offer',
      ...(title === '' ? {} : { name: title }),
      ...(sku === '' ? {} : { sku }),
      price,
      priceCurrency: product.currency,
      availability: `https://schema.org/${stock > 0 || product.digital ? 'InStock' : 'OutOfStock'}`,
      itemCondition: 'https://schema.org/NewCondition',
      url: variants.length === 1 ? url : `${url}?variant=${encodeURIComponent(id)}`,
    })),
  }
}

const describeCategory = async (ctx: StoreCtx, slug: string, { origin }: PageRequest): Promise<PageHead> => {
  const categories = await readCategories(ctx)
  const category = categories.find((candidate) => candidate.slug === slug)
  if (category === undefined) return notFound('Category not found', ctx.store.name)
  return {
    status: 200,
    title: `${category.name} · ${ctx.store.name}`,
    description: `${category.name} at ${ctx.store.name}.`,
    canonicalPath: pathOf(category),
    image: category.image,
    data: {
      '@context': 'https://schema.org',
      '@type': 'BreadcrumbList',
      itemListElement: breadcrumbsOf(category, categories).map((step, i) => ({
        '@type': 'ListItem',
        position: i + 1,
        name: step.name,
        item: origin + pathOf(step),
      })),
    },
  }
}

/** All categories, in pages of the maximum size. */
const readCategories = async (ctx: StoreCtx): Promise<Category[]> => {
  const all: Category[] = []
  for (let cursor: string | undefined; ; ) {
    const { data, nextCursor } = await listCategories(ctx, { limit: 100, ...(cursor === undefined ? {} : { cursor }) })
    all.push(...data)
    if (nextCursor === null) return all
    cursor = nextCursor
  }
}

const pathOf = ({ slug }: Category) => `/category/${encodeURIComponent(slug)}`

const breadcrumbsOf = (category: Category, categories: readonly Category[]): Category[] => {
  const parent = categories.find(({ id }) => id === category.parentId)
  return parent === undefined ? [category] : [...breadcrumbsOf(parent, categories), category]
}

/** Tags are marked with `data-of-page`, so that the script can remove them when it shows another page. */
export const headHtml = ({ title, description, canonicalPath, image, data }: PageHead, origin: string) => {
  const about = cutText(description.replace(/\s+/g, ' ').trim(), maxDescriptionLength)
  const tags = [
    `<title>${escapeHtml(title)}</title>`,
    meta('name', 'description', about),
    meta('property', 'og:title', title),
    meta('property', 'og:description', about),
    ...(image ? [meta('property', 'og:image', image)] : []),
    canonicalPath === null
      ? meta('name', 'robots', 'noindex')
      : `<link rel="canonical" href="${escapeHtml(origin + canonicalPath)}" data-of-page>`,
    ...(data ? [`<script type="application/ld+json" data-of-page>${scriptJson(data)}</script>`] : []),
  ]
  return tags.join('\n')
}

const maxDescriptionLength = 300

const meta = (key: 'name' | 'property', name: string, content: string) =>
  `<meta ${key}="${name}" content="${escapeHtml(content)}" data-of-page>`

/** Escapes `<`: the text of a script element must not contain its end tag or a comment. */
export const scriptJson = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003c')
