import { useEffect } from 'preact/hooks'
import { changeQuery, route } from '../../../ui/router.ts'
import { Empty } from '../../../ui/states.tsx'
import type { AdminListProductsInput } from '../api.ts'
import { useCategories, useOutlets } from '../parts/catalog-lists.ts'
import { CsvLink } from '../parts/csv-link.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { PagesOf, usePages } from '../parts/pages-of.tsx'
import { ProductBulk } from '../parts/product-bulk.tsx'
import { ProductRow } from '../parts/product-row.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { SelectAll, type Selection, useSelection } from '../parts/selection.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { admin, may, pathTo } from '../session.ts'

const quickFilters: { name: string; label: string; filter: Pick<AdminListProductsInput, 'status' | 'stock'> }[] = [
  { name: '', label: 'All', filter: {} },
  { name: 'active', label: 'Active', filter: { status: 'ACTIVE' } },
  { name: 'draft', label: 'Drafts', filter: { status: 'DRAFT' } },
  { name: 'archived', label: 'Archived', filter: { status: 'ARCHIVED' } },
  { name: 'low', label: 'Low in stock', filter: { stock: 'low' } },
  { name: 'out', label: 'Sold out', filter: { stock: 'out' } },
]

const sorts = [
  ['newest', 'Newest first'],
  ['oldest', 'Oldest first'],
  ['name', 'Name, A to Z'],
  ['-name', 'Name, Z to A'],
] as const

/** What the address asks for. */
const readFilter = (query: URLSearchParams) => {
  const shown = query.get('show') ?? ''
  const q = query.get('q') ?? ''
  const category = query.get('category') ?? ''
  const [sort] = sorts.find(([name]) => name === query.get('sort')) ?? sorts[0]
  const filter = {
    ...quickFilters.find(({ name }) => name === shown)?.filter,
    ...(q === '' ? {} : { q }),
    ...(category === '' ? {} : { category }),
  }
  return { shown, q, category, sort, filter }
}

export const ProductsPage = () => {
  const { shown, q, category, sort, filter } = readFilter(route.value.query)
  const key = JSON.stringify([filter, sort])
  const list = usePages(`products ${key}`, (cursor) => admin().listProducts({ ...filter, ...cursor, sort, limit: 50 }))
  const selection = useSelection()
  const categories = useCategories()
  const outlets = useOutlets()
  // A bulk action is for rows that can be seen.
  useEffect(() => selection.clear(), [key])
  const products = list.loaded.status === 'ready' ? list.loaded.value.items : []
  const mayWrite = may('catalog:write')
  const rows = (
    <PagesOf list={list} one="product" empty={<NoProducts isFiltered={Object.keys(filter).length > 0} />}>
      {(items) => (
        <table class="table products">
          <Head selection={mayWrite ? selection : null} ids={items.map(({ id }) => id)} />
          <tbody>
            {items.map((item) => (
              <ProductRow key={item.id} item={item} selection={mayWrite ? selection : null} outletId={outlets[0]?.id} />
            ))}
          </tbody>
        </table>
      )}
    </PagesOf>
  )
  return (
    <>
      <PageHead title="Products">
        <CsvLink path="products" filter={{ ...filter, sort }} />
        {mayWrite && (
          <a class="button small" href={pathTo('products/new')}>
            Add a product
          </a>
        )}
      </PageHead>
      <div class="toolbar">
        <Tabs label="Show" value={shown} tabs={quickFilters.map(({ name, label }) => [name, label] as const)} />
        <SearchField label="Search products" value={q} onSearch={(text) => changeQuery({ q: text })} />
      </div>
      <div class="toolbar filters">
        <Choice
          label="Category"
          value={category}
          options={[['', 'All categories'], ...categories]}
          onChange={(value) => changeQuery({ category: value }, { replace: false })}
        />
        <Choice
          label="Order"
          value={sort}
          options={sorts}
          onChange={(value) => changeQuery({ sort: value === 'newest' ? '' : value })}
        />
      </div>
      {mayWrite ? (
        <ProductBulk selection={selection} products={products} onChanged={list.reload}>
          {rows}
        </ProductBulk>
      ) : (
        rows
      )}
    </>
  )
}

const Head = ({ selection, ids }: { selection: Selection | null; ids: readonly string[] }) => (
  <thead>
    <tr>
      {selection && (
        <th scope="col" class="select">
          <SelectAll selection={selection} ids={ids} />
        </th>
      )}
      <th scope="col">Product</th>
      <th scope="col">Status</th>
      <th scope="col">Category</th>
      <th scope="col" class="number">
        Price
      </th>
      <th scope="col" class="number">
        Stock
      </th>
      {selection && (
        <th scope="col">
          <span class="hidden">Actions</span>
        </th>
      )}
    </tr>
  </thead>
)

const Choice = ({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  value: string
  options: readonly (readonly [string, string])[]
  onChange: (value: string) => void
}) => (
  <label class="choice-field">
    <span class="quiet-text">{label}</span>
    <select onChange={(event) => onChange(event.currentTarget.value)}>
      {options.map(([option, text]) => (
        <option value={option} selected={option === value} key={option}>
          {text}
        </option>
      ))}
    </select>
  </label>
)

const NoProducts = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No product matches">
      <p>Try another filter, or search for a part of the name, a SKU or a tag.</p>
    </Empty>
  ) : (
    <Empty title="No products yet">
      <p>Add your first product, or import the ones that you have.</p>
      {may('catalog:write') && (
        <p>
          <a class="button" href={pathTo('products/new')}>
            Add a product
          </a>
        </p>
      )}
      {may('jobs:write') && <a href={pathTo('imports')}>Import products</a>}
    </Empty>
  )
