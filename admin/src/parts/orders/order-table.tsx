import type { ComponentChildren } from 'preact'
import { dateTime, money } from '../../format.ts'
import { pathTo } from '../../session.ts'
import { SelectAll, type Selection, SelectRow } from '../selection.tsx'
import {
  deliveryOf,
  deliveryWords,
  type ListedOrder,
  nameOf,
  paymentOf,
  paymentWords,
  StatusBadge,
  statusOf,
  statusWords,
  type WithStatus,
} from '../status.tsx'

/** `name` is the heading of the column, and the label of its cells on a phone. */
type OrderColumn<Order> = { name: string; class?: string; show: (order: Order) => ComponentChildren }

export const orderColumns = {
  placed: {
    ...{ name: 'Placed', class: 'when' },
    show: ({ createdAt }: { createdAt: string }) => dateTime(createdAt),
  },
  customer: { name: 'Customer', show: nameOf },
  status: {
    name: 'Status',
    show: (order: WithStatus & { needsAttention?: string | null }) => (
      <span class="states">
        <StatusBadge words={statusWords} value={statusOf(order)} />
        {order.needsAttention && <span class="status bad">Needs attention</span>}
      </span>
    ),
  },
  payment: {
    name: 'Payment',
    show: (order: ListedOrder) => <StatusBadge words={paymentWords} value={paymentOf(order)} />,
  },
  delivery: {
    name: 'Delivery',
    show: (order: ListedOrder) => <StatusBadge words={deliveryWords} value={deliveryOf(order)} />,
  },
  total: {
    ...{ name: 'Total', class: 'number' },
    show: ({ total, currency }: { total: number; currency?: string }) => money(total, currency),
  },
}

/** Orders with the columns that a screen needs. `selection`: rows can be chosen. `marked`: those that have just arrived. */
export const OrderTable = <Order extends { id: string; number: string }>({
  orders,
  columns,
  selection,
  marked,
}: {
  orders: readonly Order[]
  columns: readonly OrderColumn<Order>[]
  selection?: Selection
  marked?: ReadonlySet<string>
}) => (
  <table class={selection ? 'table selectable' : 'table'}>
    <thead>
      <tr>
        {selection && (
          <th scope="col" class="select">
            <SelectAll selection={selection} ids={orders.map(({ id }) => id)} />
          </th>
        )}
        <th scope="col">Order</th>
        {columns.map((column) => (
          <th scope="col" class={column.class} key={column.name}>
            {column.name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {orders.map((order) => (
        <tr class={marked?.has(order.id) ? 'is-new' : ''} key={order.id}>
          {selection && (
            <td class="select">
              <SelectRow selection={selection} id={order.id} label={`order ${order.number}`} />
            </td>
          )}
          <th scope="row">
            <a href={pathTo(`orders/${order.id}`)}>{order.number}</a>
            {marked?.has(order.id) && <span class="status warn">New</span>}
          </th>
          {columns.map((column) => (
            <td data-label={column.name} class={column.class} key={column.name}>
              {column.show(order)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)
