import { changeQuery, route } from '../../../ui/router.ts'
import { Empty, Heading } from '../../../ui/states.tsx'
import type { AdminListOrdersInput, OrderEventData } from '../api.ts'
import { dateTime, money } from '../format.ts'
import { PagesOf, usePages } from '../parts/pages-of.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { deliveryWords, paymentWords, StatusBadge, statusWords } from '../parts/status.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { admin } from '../session.ts'

type Filter = Pick<AdminListOrdersInput, 'status' | 'payment' | 'delivery' | 'attention'>

/** What staff look for most. The filter is in the address, so that a list can be bookmarked. */
const quickFilters: { name: string; label: string; filter: Filter }[] = [
  { name: '', label: 'All', filter: {} },
  { name: 'to-ship', label: 'To ship', filter: { status: 'paid', delivery: 'none' } },
  { name: 'unpaid', label: 'Unpaid', filter: { status: 'pending' } },
  { name: 'attention', label: 'Need attention', filter: { attention: true } },
  { name: 'on-the-way', label: 'On the way', filter: { status: 'out_for_delivery' } },
  { name: 'refunded', label: 'Refunded', filter: { status: 'refunded' } },
]

export const OrdersPage = () => {
  const { query } = route.value
  const shown = query.get('show') ?? ''
  const q = query.get('q') ?? ''
  const { filter = {} } = quickFilters.find(({ name }) => name === shown) ?? {}
  const searched = q === '' ? filter : { ...filter, q }
  const list = usePages(`orders ${shown} ${q}`, (cursor) => admin().listOrders({ ...searched, ...cursor, limit: 50 }), {
    liveBy: ({ id }) => id,
  })
  const isFiltered = shown !== '' || q !== ''
  return (
    <>
      <Heading title="Orders" />
      <div class="toolbar">
        <Tabs label="Show" value={shown} tabs={quickFilters.map(({ name, label }) => [name, label] as const)} />
        <SearchField label="Search orders" value={q} onSearch={(text) => changeQuery({ q: text })} />
      </div>
      <PagesOf list={list} one="order" empty={isFiltered ? <NoMatch /> : <NoOrders />}>
        {(orders) => <OrderTable orders={orders} />}
      </PagesOf>
    </>
  )
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

const OrderTable = ({ orders }: { orders: readonly OrderEventData[] }) => (
  <table class="table">
    <thead>
      <tr>
        <th scope="col">Order</th>
        <th scope="col">Placed</th>
        <th scope="col">Customer</th>
        <th scope="col">Status</th>
        <th scope="col">Payment</th>
        <th scope="col">Delivery</th>
        <th scope="col" class="number">
          Total
        </th>
      </tr>
    </thead>
    <tbody>
      {orders.map((order) => (
        <tr key={order.id}>
          <th scope="row">{order.number}</th>
          <td data-label="Placed">{dateTime(order.createdAt)}</td>
          <td data-label="Customer">{order.customer.name || order.customer.email || order.customer.phone}</td>
          <td data-label="Status">
            <StatusBadge words={statusWords} value={order.status} />
          </td>
          <td data-label="Payment">
            <StatusBadge words={paymentWords} value={order.paymentStatus} />
          </td>
          <td data-label="Delivery">
            <StatusBadge words={deliveryWords} value={order.deliveryStatus ?? 'none'} />
          </td>
          <td data-label="Total" class="number">
            {money(order.total, order.currency)}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)
