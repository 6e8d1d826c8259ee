import { useEffect, useState } from 'preact/hooks'
import { changeQuery, route } from '../../../ui/router.ts'
import { storeInfo } from '../state.ts'
import { OptionFilters } from './option-filters.tsx'

export type Filters = {
  sort: string
  minPrice: number | null
  maxPrice: number | null
  isInStock: boolean
  options: string
}

export const sorts = {
  newest: 'Newest first',
  price: 'Price, low to high',
  '-price': 'Price, high to low',
  name: 'Name',
}
export type Sort = keyof typeof sorts | 'relevance'

const amount = (text: string | null) => {
  const value = Number(text)
  return text && Number.isFinite(value) && value >= 0 ? value : null
}

/** Filters are in the URL, so that a reload, a bookmark and the back button keep them. */
export const readFilters = (query: URLSearchParams): Filters => ({
  sort: query.get('sort') ?? '',
  minPrice: amount(query.get('min')),
  maxPrice: amount(query.get('max')),
  isInStock: query.get('stock') === '1',
  options: query.get('options') ?? '',
})

/** The parameters of the API, without filters that are not set. */
export const toQuery = <S extends string>(
  { sort, minPrice, maxPrice, isInStock, options }: Filters,
  allowed: readonly S[],
) => ({
  ...(allowed.includes(sort as S) ? { sort: sort as S } : {}),
  ...(minPrice === null ? {} : { minPrice }),
  ...(maxPrice === null ? {} : { maxPrice }),
  ...(isInStock ? { inStock: true } : {}),
  ...(options ? { options } : {}),
})

export const FilterBar = ({
  firstSort,
  of,
}: {
  firstSort: { value: Sort; label: string }
  /** The list that is filtered. */
  of: { category: string } | { q: string }
}) => {
  const { query } = route.value
  const filters = readFilters(query)
  const symbol = currencySymbol(storeInfo.value?.currency)
  const isFiltered =
    filters.minPrice !== null || filters.maxPrice !== null || filters.isInStock || filters.options !== ''
  const others = Object.entries(sorts).filter(([value]) => value !== firstSort.value)
  return (
    <section class="filters" aria-label="Filter and sort">
      <label class="check">
        <input
          type="checkbox"
          checked={filters.isInStock}
          onChange={(event) => changeQuery({ stock: event.currentTarget.checked ? '1' : null })}
        />
        <span>In stock only</span>
      </label>
      <div class="price-range">
        <PriceField label={`Lowest price in ${symbol}`} hint={`${symbol} min`} name="min" value={filters.minPrice} />
        <PriceField label={`Highest price in ${symbol}`} hint={`${symbol} max`} name="max" value={filters.maxPrice} />
      </div>
      <label class="sort">
        <span>Sort by</span>
        <select value={filters.sort} onChange={(event) => changeQuery({ sort: event.currentTarget.value })}>
          <option value="">{firstSort.label}</option>
          {others.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {isFiltered && (
        <button
          type="button"
          class="text-button"
          onClick={() => changeQuery({ stock: null, min: null, max: null, options: null })}
        >
          Clear filters
        </button>
      )}
      <OptionFilters of={of} />
    </section>
  )
}

const PriceField = ({
  label,
  hint,
  name,
  value,
}: {
  label: string
  hint: string
  name: 'min' | 'max'
  value: number | null
}) => {
  const [text, setText] = useState(value === null ? '' : String(value))
  useEffect(() => setText(value === null ? '' : String(value)), [value])
  useEffect(() => {
    if (text === (value === null ? '' : String(value))) return
    const timer = setTimeout(() => changeQuery({ [name]: amount(text) === null ? null : text }), 400)
    return () => clearTimeout(timer)
  }, [text, value, name])
  return (
    <input
      type="number"
      inputMode="numeric"
      min={0}
      aria-label={label}
      placeholder={hint}
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
    />
  )
}

const currencySymbol = (currency = 'INR') =>
  new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })
    .formatToParts(0)
    .find(({ type }) => type === 'currency')?.value ?? currency
