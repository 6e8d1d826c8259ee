import { SelectField, TextField } from '../../../ui/fields.tsx'
import { useLoad } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import { changeQuery, route } from '../../../ui/router.ts'
import { Empty } from '../../../ui/states.tsx'
import type { AdminListOrdersInput, OrderEventData } from '../api.ts'
import { counted } from '../format.ts'
import { CsvLink } from '../parts/csv-link.tsx'
import { useNewItems } from '../parts/new-items.ts'
import { BulkOrders } from '../parts/orders/bulk-orders.tsx'
import { OrderTable, orderColumns } from '../parts/orders/order-table.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { PagesOf, usePages } from '../parts/pages-of.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { useSelection } from '../parts/selection.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { admin, may, store } from '../session.ts'

type Filter = Pick<
  AdminListOrdersInput,
  'status' | 'payment' | 'toShip' | 'attention' | 'outlet' | 'from' | 'to' | 'q' | 'sort'
>

/** What staff look for most. The filter is in the address, so that a list can be bookmarked. */
const quickFilters: { name: string; label: string; filter: Filter }[] = [
  { name: '', label: 'All', filter: {} },
  { name: 'to-ship', label: 'To ship', filter: { toShip: true } },
  { name: 'unpaid', label: 'Unpaid', filter: { status: 'pending' } },
  { name: 'attention', label: 'Need attention', filter: { attention: true } },
  { name: 'on-the-way', label: 'On the way', filter: { status: 'out_for_delivery' } },
  { name: 'delivered', label: 'Delivered', filter: { status: 'delivered' } },
  { name: 'refunded', label: 'Refunded', filter: { status: 'refunded' } },
  { name: 'cancelled', label: 'Cancelled', filter: { status: 'cancelled' } },
]

const paymentOptions = [
  ['', 'Any'],
  ['pending', 'Unpaid'],
  ['paid', 'Paid'],
  ['failed', 'Failed'],
  ['partially_refunded', 'Refunded in part'],
  ['refunded', 'Refunded'],
] as const

/** Filters of the address beside the quick ones. */
const moreFilters = ['from', 'to', 'payment', 'outlet', 'sort'] as const

const readFilter = (query: URLSearchParams): Filter => {
  const { filter = {} } = quickFilters.find(({ name }) => name === (query.get('show') ?? '')) ?? {}
  const given = [...moreFilters, 'q'].map((name) => [name, query.get(name) ?? ''])
  return { ...filter, ...Object.fromEntries(given.filter(([, value]) => value !== '')) }
}

const columns = Object.values(orderColumns)

export const OrdersPage = () => {
  const { query } = route.value
  const filter = readFilter(query)
  const q = query.get('q') ?? ''
  const key = `orders ${JSON.stringify(filter)}`
  const list = usePages(key, (cursor) => admin().listOrders({ ...filter, ...cursor, limit: 50 }), {
    ...(filter.sort === 'createdAt' ? {} : { liveBy: ({ id }: OrderEventData) => id }),
  })
  const { loaded } = list
  const marked = useNewItems(
    key,
    loaded.status === 'ready' ? loaded.value.items.map(({ id }) => id) : null,
    (added) => {
      showNotice(
        added.length === 1 ? 'A new order has arrived.' : `${counted(added.length, 'new order')} have arrived.`,
        {
          isQuiet: true,
        },
      )
    },
  )
  const selection = useSelection()
  const isFiltered = Object.keys(filter).length > 0
  return (
    <>
      <PageHead title="Orders">
        <CsvLink path="orders" filter={filter} />
      </PageHead>
      <div class="toolbar">
        <Tabs
          label="Show"
          value={query.get('show') ?? ''}
          tabs={quickFilters.map(({ name, label }) => [name, label] as const)}
        />
        <SearchField label="Search orders" value={q} onSearch={(text) => changeQuery({ q: text })} />
      </div>
      <MoreFilters query={query} />
      <PagesOf list={list} one="order" empty={isFiltered ? <NoMatch /> : <NoOrders />}>
        {(orders) => (
          <>
            <OrderTable orders={orders} columns={columns} selection={selection} marked={marked} />
            <BulkOrders orders={orders} selection={selection} onChange={list.reload} />
          </>
        )}
      </PagesOf>
    </>
  )
}

const MoreFilters = ({ query }: { query: URLSearchParams }) => {
  const used = moreFilters.filter((name) => (query.get(name) ?? '') !== '').length
  const field = (name: string) => ({ name, value: query.get(name) ?? '' })
  const change = (name: string) => (value: string) => changeQuery({ [name]: value })
  return (
    <details class="more-filters" open={used > 0}>
      <summary>More filters{used > 0 ? ` (${used})` : ''}</summary>
      <div class="filter-fields">
        <TextField type="date" label="From" {...field('from')} onInput={change('from')} />
        <TextField type="date" label="To" {...field('to')} onInput={change('to')} />
        <SelectField label="Payment" options={paymentOptions} {...field('payment')} onChange={change('payment')} />
        {may('catalog:read') && <OutletField {...field('outlet')} onChange={change('outlet')} />}
        <SelectField
          label="Sort"
          options={[
            ['', 'Newest first'],
            ['createdAt', 'Oldest first'],
          ]}
          {...field('sort')}
          onChange={change('sort')}
        />
        {used > 0 && (
          <button
            type="button"
            class="text-button"
            onClick={() => changeQuery(Object.fromEntries(moreFilters.map((name) => [name, null])))}
          >
            Clear
          </button>
        )}
      </div>
    </details>
  )
}

/** Only for stores with several outlets. */
const OutletField = (field: { name: string; value: string; onChange: (value: string) => void }) => {
  const { loaded } = useLoad(`${store.value?.id} outlets of orders`, async () => await admin().listOutlets())
  if (loaded.status !== 'ready') return null
  const { items: outlets } = loaded.value
  if (outlets.length < 2) return null
  const options: [string, string][] = [['', 'Any'], ...outlets.map(({ id, name }): [string, string] => [id, name])]
  return <SelectField label="Outlet" options={options} {...field} />
}

const NoOrders = () => (
  <Empty title="No orders yet">
    <p>Orders appear here as soon as a customer places one.</p>
  </Empty>
)

const NoMatch = () => (
  <Empty title="No order matches">
    <p>Try another filter, or search for a number, a name, a phone number, an email address or a SKU.</p>
  </Empty>
)
