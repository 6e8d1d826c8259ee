import { changeQuery, route } from '../../../ui/router.ts'
import { Empty, Heading } from '../../../ui/states.tsx'
import { plural } from '../format.ts'
import { FilterBar, readFilters, toQuery } from '../parts/filters.tsx'
import { ProductList } from '../parts/product-list.tsx'
import { shop } from '../shop.ts'

const allowedSorts = ['relevance', 'newest', 'price', '-price', 'name'] as const

export const SearchPage = () => {
  const { query } = route.value
  const q = (query.get('q') ?? '').trim()
  if (q === '') {
    return (
      <>
        <Heading title="Search" />
        <Empty title="What are you looking for?">
          <p>Enter a word above, for example chai, brass or kurta.</p>
        </Empty>
      </>
    )
  }
  const category = query.get('category')
  const filters = { ...toQuery(readFilters(query), allowedSorts), ...(category ? { category } : {}) }
  return (
    <>
      <Heading title={`Results for “${q}”`} />
      <FilterBar firstSort={{ value: 'relevance', label: 'Best match' }} of={{ q }} />
      <ProductList
        listKey={`search ${q} ${JSON.stringify(filters)}`}
        read={(cursor, signal) =>
          shop.search({ q, limit: 24, ...filters, ...(cursor === null ? {} : { cursor }) }, { signal })
        }
        above={({ total, totalIsExact, facets, correctedQuery }) => (
          <>
            {correctedQuery !== null && (
              <p role="status">
                Showing results for <strong>{correctedQuery}</strong>. Nothing was found for “{q}”.
              </p>
            )}
            <p class="quiet-text" role="status">
              {plural(total, 'product')}
              {totalIsExact ? '' : ' or more'}
            </p>
            {(facets.categories.length > 1 || category) && (
              // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend that is seen.
              <div class="chips" role="group" aria-label="Narrow to a category">
                {category && (
                  <button type="button" class="chip" onClick={() => changeQuery({ category: null })}>
                    All categories
                  </button>
                )}
                {facets.categories.slice(0, 8).map(({ id, slug, name, count }) => (
                  <button
                    type="button"
                    key={id}
                    class="chip"
                    aria-pressed={slug === category}
                    onClick={() => changeQuery({ category: slug })}
                  >
                    {name} <span class="quiet-text">{count}</span>
                  </button>
                ))}
              </div>
            )}
          </>
        )}
        empty={
          <Empty title={`Nothing found for “${q}”`}>
            <p>Try another word, or fewer filters.</p>
            <a class="button quiet" href="/">
              Back to the shop
            </a>
          </Empty>
        }
      />
    </>
  )
}
