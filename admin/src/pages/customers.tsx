import { useState } from 'preact/hooks'
import { SelectField, TextField } from '../../../ui/fields.tsx'
import { changeQuery, route } from '../../../ui/router.ts'
import { Empty } from '../../../ui/states.tsx'
import type { AdminListCustomersInput, StoreCustomer } from '../api.ts'
import { date, money, number } from '../format.ts'
import { CsvLink } from '../parts/csv-link.tsx'
import { NotAllowed } from '../parts/not-allowed.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { PagesOf, usePages } from '../parts/pages-of.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { admin, may, pathTo } from '../session.ts'

type Filter = Pick<AdminListCustomersInput, 'q' | 'from' | 'to' | 'hasOrders' | 'erased' | 'sort'>

const tabs = [
  ['', 'All'],
  ['buyers', 'With orders'],
  ['no-orders', 'Without orders'],
  ['erased', 'Erased'],
] as const
const filterOfTab: Record<string, Filter> = {
  buyers: { hasOrders: true },
  'no-orders': { hasOrders: false },
  erased: { erased: true },
}

/** The filter that the address names. */
const readFilter = (query: URLSearchParams): Filter => {
  const day = (name: string) => (/^\d{4}-\d{2}-\d{2}$/.test(query.get(name) ?? '') ? query.get(name) : null)
  const [q, from, to] = [query.get('q'), day('from'), day('to')]
  return {
    ...filterOfTab[query.get('show') ?? ''],
    ...(q && { q }),
    ...(from && { from }),
    ...(to && { to }),
    ...(query.get('sort') === 'oldest' && { sort: 'oldest' }),
  }
}

export const CustomersPage = () => (may('customers:read') ? <Customers /> : <NotAllowed title="Customers" />)

const Customers = () => {
  const { query } = route.value
  const filter = readFilter(query)
  const list = usePages(`customers ${JSON.stringify(filter)}`, (cursor) =>
    admin().listCustomers({ ...filter, ...cursor, limit: 50 }),
  )
  const { sort: _, ...narrowing } = filter
  return (
    <>
      <PageHead title="Customers">
        <CsvLink path="customers" filter={filter} />
      </PageHead>
      <div class="toolbar">
        <Tabs label="Show" value={query.get('show') ?? ''} tabs={tabs} />
        <SearchField label="Search customers" value={filter.q ?? ''} onSearch={(q) => changeQuery({ q })} />
      </div>
      <MoreFilters filter={filter} />
      <PagesOf list={list} one="customer" empty={Object.keys(narrowing).length > 0 ? <NoMatch /> : <NoCustomers />}>
        {(customers) => <CustomerTable customers={customers} />}
      </PagesOf>
    </>
  )
}

const MoreFilters = ({ filter: { from = '', to = '', sort = 'newest' } }: { filter: Filter }) => {
  // Only at first, so that it does not close below the fields that are being changed.
  const [isOpen] = useState(from !== '' || to !== '' || sort !== 'newest')
  return (
    <details class="more-filters" open={isOpen}>
      <summary>More filters</summary>
      <div class="filter-fields">
        <TextField
          {...{ type: 'date', label: 'Customer since, from', name: 'from', value: from }}
          onInput={(text) => changeQuery({ from: text })}
        />
        <TextField
          {...{ type: 'date', label: 'until', name: 'to', value: to }}
          onInput={(text) => changeQuery({ to: text })}
        />
        <SelectField
          {...{ label: 'Order', name: 'sort', value: sort }}
          options={[
            ['newest', 'Newest first'],
            ['oldest', 'Oldest first'],
          ]}
          onChange={(value) => changeQuery({ sort: value === 'newest' ? null : value })}
        />
        {(from !== '' || to !== '') && (
          <button type="button" class="text-button" onClick={() => changeQuery({ from: null, to: null })}>
            Any day
          </button>
        )}
      </div>
    </details>
  )
}

const NoCustomers = () => (
  <Empty title="No customers yet">
    <p>Customers appear here when they create an account in your shop or place an order.</p>
  </Empty>
)

const NoMatch = () => (
  <Empty title="No customer matches">
    <p>Try another filter, or search for the beginning of a name, an email address or a phone number.</p>
    <p>
      <a class="button quiet" href={pathTo('customers')}>
        Show all customers
      </a>
    </p>
  </Empty>
)

/** What staff call a customer. */
export const nameOf = ({
  name,
  email,
  phone,
  erasedAt,
}: Pick<StoreCustomer, 'name' | 'email' | 'phone' | 'erasedAt'>) =>
  erasedAt === null ? name || email || phone || 'No name' : 'An erased customer'

const CustomerTable = ({ customers }: { customers: readonly StoreCustomer[] }) => (
  <table class="table">
    <thead>
      <tr>
        <th scope="col">Customer</th>
        <th scope="col">Contact</th>
        <th scope="col">Since</th>
        <th scope="col">Last order</th>
        <th scope="col" class="number">
          Orders
        </th>
        <th scope="col" class="number">
          Spent
        </th>
      </tr>
    </thead>
    <tbody>
      {customers.map((customer) => (
        <tr key={customer.id}>
          <th scope="row">
            <a href={pathTo(`customers/${customer.id}`)}>{nameOf(customer)}</a>
          </th>
          <td data-label="Contact" class="wraps">
            {[customer.email, customer.phone].filter(Boolean).join(', ') || 'None'}
          </td>
          <td data-label="Since">{date(customer.createdAt)}</td>
          <td data-label="Last order">{customer.lastOrderAt === null ? 'None' : date(customer.lastOrderAt)}</td>
          <td data-label="Orders" class="number">
            {number(customer.orderCount)}
          </td>
          <td data-label="Spent" class="number">
            {money(customer.totalSpent)}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)
