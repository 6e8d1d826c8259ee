/** The requests to measure. Words come from the generated catalog (`big-catalog.ts`); counts are for a million products. */
export type Read = {
  name: string
  /** `{deep}` is replaced by the cursor of a page deep in the list, `{product}` by the slug of a product. */
  path: string
  headers?: Record<string, string>
  /** Sends the current ETag, so the answer is 304. */
  revalidate?: boolean
  uncached?: boolean
  paths?: readonly string[]
  /** Reads another page each time, so the database does not always read the same rows. */
  anyPage?: boolean
}

/** `where` and `order` say the same as the parameters in `more`, for `judge.ts`. */
type SearchKind = { q: string; more?: string; where?: string; order?: string }

/**
 * Typical searches: one or two words, prefixes, typos, filters; and a few very common words.
 * In the generated catalog every prefix of four letters is also a word, so only shorter prefixes match other words. No
 * word ends with an s: the service would look for its singular, which the generator does not store.
 */
const searches: Record<string, SearchKind> = {
  'two words (1 match)': { q: 'wieea wouta' },
  'two common words (30)': { q: 'wole wunt' },
  'a rare word (330)': { q: 'wisrol' },
  'a word (780)': { q: 'wrsta' },
  'a common word (1,800)': { q: 'wieea' },
  'a common word (6,400)': { q: 'wole' },
  'a prefix (110,000)': { q: 'wtt' },
  'a short prefix (520,000)': { q: 'wie' },
  'a word in most (570,000)': { q: 'wa' },
  'a misspelt word (330)': { q: 'wixsrol' },
  'in a category': { q: 'wieea', more: 'category=category-7', where: `l.category_id = 'cat_' || l.store_id || '_7'` },
  'between prices': {
    ...{ q: 'wieea', more: 'minPrice=200&maxPrice=900', where: 'l.price_minor between 20000 and 90000' },
  },
  'by price, in stock': { q: 'wieea', more: 'sort=price&inStock=true', where: 'l.in_stock', order: 'l.price_minor' },
}
const suggestions: Record<string, string> = {
  'suggest for a prefix': 'q=wisr',
  'suggest for a short prefix': 'q=wie',
}

const queryOf = ({ q, more }: SearchKind) => `q=${q.replaceAll(' ', '+')}${more === undefined ? '' : `&${more}`}`

/** The searches, with what they look for. */
export const searchKinds = Object.entries(searches).map(([name, kind]) => ({
  ...{ name, query: queryOf(kind), words: kind.q },
  ...{ where: kind.where, order: kind.order },
}))

export const searchPaths = searchKinds.map(({ query }) => `/v1/search?${query}`)

export const readsOf = (): Read[] => [
  { name: 'list', path: '/v1/products' },
  { name: 'list, gzip', path: '/v1/products', headers: { 'accept-encoding': 'gzip' } },
  { name: 'list, 304', path: '/v1/products', revalidate: true },
  { name: 'product', path: '/v1/products/{product}' },
  { name: 'search', path: '/v1/search?q=wieea+wouta' },
  { name: 'list, uncached', path: '/v1/products', uncached: true },
  { name: 'list, deep page, uncached', path: '/v1/products?cursor={deep}', uncached: true },
  { name: 'list, any page, uncached', path: '/v1/products', anyPage: true, uncached: true },
  { name: 'list by price, uncached', path: '/v1/products?sort=price', uncached: true },
  { name: 'category by name, uncached', path: '/v1/products?category=category-7&sort=name', uncached: true },
  { name: 'product, uncached', path: '/v1/products/{product}', uncached: true },
  ...searchKinds.map(({ name, query }) => ({ name: `search ${name}`, path: `/v1/search?${query}`, uncached: true })),
  ...Object.entries(suggestions).map(([name, query]) => ({
    ...{ name, path: `/v1/search/suggest?${query}`, uncached: true },
  })),
  { name: 'all these searches in turn', path: searchPaths[0] as string, paths: searchPaths, uncached: true },
]
