import { routes, type StoreCtx } from '../context.ts'
import { catalogContract } from './catalog.contract.ts'
import { listCategories, listProducts, showProduct } from './catalog.ts'
import { filtersContract } from './filters.contract.ts'
import { listFilters } from './filters.ts'
import { search, suggest } from './search.ts'
import { storeContract } from './store.contract.ts'
import { showMenu, showStore } from './store.ts'
import { writeList, writeResult } from './written-products.ts'

/** Only these endpoints may read from a replica: their answers are cached, and nothing is decided by them. */
const reading = (ctx: StoreCtx): StoreCtx => {
  const db = ctx.readsFor(ctx.db, ctx.store.id)
  return db === ctx.db ? ctx : { ...ctx, db }
}

const idsOf = (products: readonly { id: string }[]) => products.map(({ id }) => id)

export const catalogRoutes = routes(catalogContract, {
  listProducts: async ({ ctx, query }) => {
    const { data, nextCursor, hasMore, asOfMs } = await listProducts(reading(ctx), query)
    const products = idsOf(data)
    const body = writeList(data)
    if (nextCursor === null) return { body, products, asOfMs, headers: { 'x-has-more': String(hasMore) } }
    const next = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) next.set(name, String(value))
    next.set('cursor', nextCursor)
    return {
      body,
      products,
      asOfMs,
      headers: {
        'x-has-more': String(hasMore),
        'x-next-cursor': nextCursor,
        link: `<${ctx.publicUrl}/v1/products?${next}>; rel="next"`,
      },
    }
  },
  showProduct: async ({ ctx, params }) => {
    const body = await showProduct(reading(ctx), params.idOrSlug)
    return { body, products: [body.id] }
  },
  listCategories: async ({ ctx, query }) => ({ body: await listCategories(reading(ctx), query), products: [] }),
  search: async ({ ctx, query }) => {
    const { result, asOfMs } = await search(reading(ctx), query)
    return { body: writeResult(result), products: idsOf(result.data), asOfMs }
  },
  suggest: async ({ ctx, query }) => {
    const { suggestions, asOfMs } = await suggest(reading(ctx), query.q)
    return { body: suggestions, products: [], asOfMs }
  },
})

export const filterRoutes = routes(filtersContract, {
  listFilters: async ({ ctx, query }) => {
    const { filters, asOfMs } = await listFilters(reading(ctx), query)
    return { body: filters, products: [], ...(asOfMs !== undefined && { asOfMs }) }
  },
})

export const storeRoutes = routes(storeContract, {
  showStore: ({ ctx }) => ({ body: showStore(ctx), products: [] }),
  showMenu: ({ ctx }) => ({ body: showMenu(ctx), products: [] }),
})
