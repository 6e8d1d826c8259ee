import { useLoad } from '../../../ui/load.ts'
import { Empty, Heading, Show } from '../../../ui/states.tsx'
import { date, money, plural } from '../format.ts'
import { AccountNav, CustomerOnly } from '../parts/customer-only.tsx'
import { OrderStatus } from '../parts/order-parts.tsx'
import { Picture } from '../parts/picture.tsx'
import { ShowMore } from '../parts/show-more.tsx'
import { type Order, shop } from '../shop.ts'

export const OrdersPage = () => (
  <CustomerOnly title="Orders">
    <Heading title="Orders" />
    <AccountNav current="/orders" />
    <OrderList />
  </CustomerOnly>
)

const OrderList = () => {
  const { loaded, reload, extend } = useLoad('orders', async (signal) => shop.listOrders({ limit: 10 }, { signal }))
  const readMore = async (page: { items: Order[]; nextCursor: string | null }) => {
    const next = await shop.listOrders({ limit: 10, ...(page.nextCursor ? { cursor: page.nextCursor } : {}) })
    extend({ items: [...page.items, ...next.items], nextCursor: next.nextCursor })
  }
  return (
    <Show loaded={loaded} onRetry={reload}>
      {(page) =>
        page.items.length === 0 ? (
          <Empty title="No orders yet">
            <p>Your orders will appear here.</p>
            <a class="button" href="/">
              Start shopping
            </a>
          </Empty>
        ) : (
          <>
            <ul class="orders">
              {page.items.map((order) => (
                <OrderRow key={order.id} order={order} />
              ))}
            </ul>
            {page.nextCursor && <ShowMore readMore={() => readMore(page)} />}
          </>
        )
      }
    </Show>
  )
}

const OrderRow = ({ order }: { order: Order }) => {
  const count = order.items.reduce((sum, { quantity }) => sum + quantity, 0)
  return (
    <li class="panel order-row">
      <span class="order-images" aria-hidden="true">
        {order.items.slice(0, 3).map(({ id, image }) => (
          <Picture key={id} src={image} size={56} isLazy />
        ))}
      </span>
      <span class="order-text">
        <a href={`/orders/${order.id}`}>Order {order.number}</a>
        <span class="quiet-text">
          {date(order.createdAt)} · {plural(count, 'item')} · {money(order.total, order.currency)}
        </span>
      </span>
      <OrderStatus order={order} />
    </li>
  )
}
