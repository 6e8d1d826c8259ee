import { useLoad } from '../../../ui/load.ts'
import { Empty, Heading, Problem, Show } from '../../../ui/states.tsx'
import { GridSkeleton, ProductGrid } from '../parts/product-card.tsx'
import { session } from '../session.ts'
import { type Product, shop } from '../shop.ts'
import { loadWishlist, wishlist } from '../wishlist.ts'

export const WishlistPage = () => {
  const { status, items, error } = wishlist.value
  const isGuest = session.value?.customerId === null
  return (
    <>
      <Heading title="Wishlist" />
      {status === 'loading' && <GridSkeleton count={4} />}
      {status === 'failed' && <Problem error={error} onRetry={loadWishlist} />}
      {status === 'ready' &&
        (items.length === 0 ? (
          <Empty title="Your wishlist is empty">
            <p>Select the heart on a product to save it here.</p>
            <a class="button" href="/">
              Start shopping
            </a>
          </Empty>
        ) : (
          <>
            {isGuest && (
              <p class="quiet-text">
                <a href="/sign-in?next=/wishlist">Sign in</a> to see this list on all your devices.
              </p>
            )}
            <WishedProducts ids={items.map(({ productId }) => productId)} />
          </>
        ))}
    </>
  )
}

const WishedProducts = ({ ids }: { ids: string[] }) => {
  const { loaded, reload } = useLoad(`wished ${[...ids].sort().join()}`, (signal) => readProducts(ids, signal))
  return (
    <Show loaded={loaded} onRetry={reload} skeleton={<GridSkeleton count={ids.length} />}>
      {(products) => <ProductGrid products={inOrder(ids, products)} />}
    </Show>
  )
}

/** In batches, because a wishlist may have more products than one call accepts. */
const readProducts = async (ids: string[], signal: AbortSignal): Promise<Product[]> => {
  const products: Product[] = []
  for (let from = 0; from < ids.length; from += 100) {
    const some = ids.slice(from, from + 100).join()
    products.push(...(await shop.listProducts({ ids: some, limit: 100 }, { signal })).items)
  }
  return products
}

const inOrder = (ids: string[], products: Product[]) =>
  ids.flatMap((id) => products.find((product) => product.id === id) ?? [])
