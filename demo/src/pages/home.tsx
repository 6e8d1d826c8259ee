import { useLoad } from '../../../ui/load.ts'
import { Heading, Show } from '../../../ui/states.tsx'
import { money } from '../format.ts'
import { Picture } from '../parts/picture.tsx'
import { GridSkeleton, ProductGrid } from '../parts/product-card.tsx'
import { shop } from '../shop.ts'
import { loadStore, storeInfo } from '../state.ts'

export const HomePage = () => {
  const info = storeInfo.value
  const { loaded, reload } = useLoad('home', readHome)
  const retry = () => {
    reload()
    if (info === null) void loadStore()
  }
  return (
    <>
      <section class="hero">
        <div class="hero-text">
          <p class="eyebrow">{info?.name ?? ' '}</p>
          <Heading title="Made by hand, made to last">
            Made by hand,
            <br />
            made to last.
          </Heading>
          <p class="lead">
            Things for the home, the table and the wardrobe, from small workshops across India.
            {info?.shipping.freeAbove ? ` Delivery is free from ${money(info.shipping.freeAbove, info.currency)}.` : ''}
          </p>
          <p class="row">
            <a class="button" href="/category/home">
              Shop for the home
            </a>
            <a class="button quiet" href="/category/clothing">
              Shop clothing
            </a>
          </p>
        </div>
        {loaded.status !== 'failed' && (
          <div class="hero-images" aria-hidden="true">
            {loaded.status === 'ready' &&
              loaded.value.categories.slice(0, 3).map(({ id, image }) => <Picture key={id} src={image} size={400} />)}
          </div>
        )}
      </section>
      <Show loaded={loaded} onRetry={retry} skeleton={<GridSkeleton />}>
        {({ categories, newest, small }) => (
          <>
            <section aria-labelledby="by-category">
              <h2 id="by-category">Shop by category</h2>
              <ul class="category-tiles">
                {categories.map(({ id, slug, name, image }) => (
                  <li key={id}>
                    <a href={`/category/${slug}`}>
                      <Picture src={image} size={240} isLazy />
                      <span>{name}</span>
                    </a>
                  </li>
                ))}
              </ul>
            </section>
            <section aria-labelledby="new-in">
              <h2 id="new-in">New in</h2>
              <ProductGrid products={newest} />
            </section>
            <section aria-labelledby="small-gifts">
              <h2 id="small-gifts">Small gifts</h2>
              <ProductGrid products={small} />
            </section>
          </>
        )}
      </Show>
    </>
  )
}

const readHome = async (signal: AbortSignal) => {
  const [categories, newest, small] = await Promise.all([
    shop.listCategories({ limit: 100 }, { signal }),
    shop.listProducts({ sort: 'newest', limit: 8, inStock: true }, { signal }),
    shop.listProducts({ sort: 'price', maxPrice: 500, limit: 4, inStock: true }, { signal }),
  ])
  return {
    categories: categories.items.filter(({ parentId }) => parentId === null),
    newest: newest.items,
    small: small.items,
  }
}
