import type { ComponentChildren } from 'preact'
import { useLoad } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import { Show } from '../../../ui/states.tsx'
import { plural } from '../format.ts'
import type { Product } from '../shop.ts'
import { GridSkeleton, ProductGrid } from './product-card.tsx'
import { ShowMore } from './show-more.tsx'

export type ProductPage<Beside> = { items: Product[]; nextCursor: string | null } & Beside
type Read<Beside> = (cursor: string | null, signal?: AbortSignal) => PromiseLike<ProductPage<Beside>>

/** A paged list of products. It is cached under its key, so that going back restores the same pages and position. */
export const ProductList = <Beside,>({
  listKey,
  read,
  empty,
  above,
}: {
  listKey: string
  read: Read<Beside>
  empty: ComponentChildren
  above?: (page: ProductPage<Beside>) => ComponentChildren
}) => {
  const { loaded, reload, extend } = useLoad(listKey, async (signal) => read(null, signal))
  const readMore = async (page: ProductPage<Beside>) => {
    const next = await read(page.nextCursor)
    extend({ ...page, items: [...page.items, ...next.items], nextCursor: next.nextCursor })
    showNotice(`${plural(next.items.length, 'more product')} shown.`, { isQuiet: true })
  }
  return (
    <Show loaded={loaded} onRetry={reload} skeleton={<GridSkeleton />}>
      {(page) => (
        <>
          {above?.(page)}
          {page.items.length === 0 ? empty : <ProductGrid products={page.items} />}
          {page.nextCursor && <ShowMore readMore={() => readMore(page)} />}
        </>
      )}
    </Show>
  )
}
