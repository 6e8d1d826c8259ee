import { useLoad } from '../../../ui/load.ts'
import { route } from '../../../ui/router.ts'
import { Empty, Heading, ProblemPage, Show, Skeleton } from '../../../ui/states.tsx'
import { FilterBar, readFilters, toQuery } from '../parts/filters.tsx'
import { ProductList } from '../parts/product-list.tsx'
import { type Category, shop } from '../shop.ts'
import { NotFoundPage } from './not-found.tsx'

const allowedSorts = ['newest', 'price', '-price', 'name'] as const

const readCategories = async (signal: AbortSignal) => {
  const all: Category[] = []
  for await (const category of shop.listCategories({ limit: 100 }, { signal })) all.push(category)
  return all
}

export const CategoryPage = ({ slug = '' }: { slug?: string }) => {
  const { loaded, reload } = useLoad('categories', readCategories)
  if (loaded.status === 'failed') return <ProblemPage error={loaded.error} onRetry={reload} />
  return (
    <Show loaded={loaded} onRetry={reload} skeleton={<Skeleton lines={6} />}>
      {(categories) => {
        const category = categories.find((candidate) => candidate.slug === slug)
        return category ? (
          <CategoryView key={slug} category={category} categories={categories} />
        ) : (
          <NotFoundPage what="category" />
        )
      }}
    </Show>
  )
}

const CategoryView = ({ category, categories }: { category: Category; categories: Category[] }) => {
  const { query } = route.value
  const filters = toQuery(readFilters(query), allowedSorts)
  const below = categories.filter(({ parentId }) => parentId === category.id)
  return (
    <>
      <Breadcrumb path={breadcrumbsOf(category, categories)} />
      <Heading title={category.name} />
      {below.length > 0 && (
        <nav class="chips" aria-label={`Subcategories of ${category.name}`}>
          {below.map(({ id, slug, name }) => (
            <a key={id} class="chip" href={`/category/${slug}`}>
              {name}
            </a>
          ))}
        </nav>
      )}
      <FilterBar firstSort={{ value: 'newest', label: 'Newest first' }} of={{ category: category.slug }} />
      <ProductList
        listKey={`category ${category.slug} ${JSON.stringify(filters)}`}
        read={(cursor, signal) =>
          shop.listProducts(
            { category: category.slug, limit: 24, ...filters, ...(cursor === null ? {} : { cursor }) },
            { signal },
          )
        }
        empty={
          <Empty title="No matches">
            <p>No products in this category match your filters.</p>
            <a class="button quiet" href={`/category/${category.slug}`}>
              Show all in {category.name}
            </a>
          </Empty>
        }
      />
    </>
  )
}

const breadcrumbsOf = (category: Category, categories: Category[]): Category[] => {
  const parent = categories.find(({ id }) => id === category.parentId)
  return parent ? [...breadcrumbsOf(parent, categories), category] : [category]
}

const Breadcrumb = ({ path }: { path: Category[] }) => (
  <nav class="breadcrumb" aria-label="Breadcrumb">
    <ol>
      <li>
        <a href="/">Shop</a>
      </li>
      {path.map(({ id, slug, name }, index) => (
        <li key={id}>
          {index === path.length - 1 ? (
            <span aria-current="page">{name}</span>
          ) : (
            <a href={`/category/${slug}`}>{name}</a>
          )}
        </li>
      ))}
    </ol>
  </nav>
)
