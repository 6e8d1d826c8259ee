import { useLoad } from '../../../ui/load.ts'
import type { PathParams } from '../../../ui/router.ts'
import { Empty, focusHeading, ProblemPage, Skeleton } from '../../../ui/states.tsx'
import { isVitrineError } from '../api.ts'
import { dateTime } from '../format.ts'
import { useLive } from '../parts/live.ts'
import { OrderActions, OrderAttention } from '../parts/orders/order-actions.tsx'
import { OrderDocuments } from '../parts/orders/order-documents.tsx'
import { OrderItems } from '../parts/orders/order-items.tsx'
import { OrderCustomer, OrderMessages, OrderParcels, OrderPayments, OrderReturns } from '../parts/orders/order-side.tsx'
import { OrderTimeline } from '../parts/orders/order-timeline.tsx'
import { PageHead } from '../parts/page-head.tsx'
import {
  deliveryOf,
  deliveryWords,
  paymentOf,
  paymentWords,
  StatusBadge,
  statusOf,
  statusWords,
} from '../parts/status.tsx'
import { admin, store } from '../session.ts'

const back = { path: 'orders', label: 'Orders' }

/** Everything about one order. */
export const OrderPage = ({ id = '' }: PathParams) => {
  const { loaded, reload } = useLoad(`${store.value?.id} order ${id}`, (signal) => admin().getOrder({ id }, { signal }))
  useLive(() => {
    if (loaded.status === 'ready') reload()
  })
  if (loaded.status === 'loading') return <Skeleton lines={8} />
  if (loaded.status === 'failed') {
    if (!isVitrineError(loaded.error, 'NOT_FOUND')) return <ProblemPage error={loaded.error} onRetry={reload} />
    return (
      <>
        <PageHead title="Order" back={back} />
        <Empty title="There is no such order">
          <p>Check the number, or search the list of orders.</p>
        </Empty>
      </>
    )
  }
  const order = loaded.value
  const change = () => {
    reload()
    // The button of what was done may be gone.
    focusHeading()
  }
  const status = statusOf(order)
  const delivery = deliveryOf(order)
  return (
    <>
      <PageHead
        title={`Order ${order.number}`}
        back={back}
        beside={
          <>
            <StatusBadge words={statusWords} value={status} />
            <StatusBadge words={paymentWords} value={paymentOf(order)} />
            {delivery !== status && <StatusBadge words={deliveryWords} value={delivery} />}
          </>
        }
      >
        <OrderActions order={order} onChange={change} />
      </PageHead>
      <p class="quiet-text">Placed on {dateTime(order.createdAt)}</p>
      <OrderAttention order={order} onChange={change} />
      <div class="columns order-columns">
        <div>
          <OrderItems order={order} />
          <OrderTimeline order={order} onChange={reload} />
        </div>
        <div>
          <OrderCustomer order={order} />
          <OrderPayments order={order} />
          <OrderParcels order={order} onChange={change} />
          <OrderReturns order={order} />
          <OrderDocuments order={order} onChange={reload} />
          <OrderMessages order={order} onChange={reload} />
        </div>
      </div>
    </>
  )
}
