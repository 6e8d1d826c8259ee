import { useEffect, useState } from 'preact/hooks'
import { useLoad } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import { route } from '../../../ui/router.ts'
import { Button, Heading, Problem, Skeleton } from '../../../ui/states.tsx'
import { loadCart } from '../cart.ts'
import { date, errorText, money } from '../format.ts'
import { AddressText } from '../parts/address-form.tsx'
import { CustomerOnly } from '../parts/customer-only.tsx'
import { DevelopmentOnly } from '../parts/development.tsx'
import { followPayment } from '../parts/follow-payment.ts'
import { DeliverySteps, isCash, isPayable, OrderLines, OrderStatus, Timeline } from '../parts/order-parts.tsx'
import { payAgain } from '../parts/payment.ts'
import { Totals } from '../parts/totals.tsx'
import { development, isVitrineError, type Order, shop } from '../shop.ts'
import { NotFoundPage } from './not-found.tsx'

export const OrderPage = ({ id = '' }: { id?: string }) => (
  <CustomerOnly title="Your order">
    <OrderView id={id} />
  </CustomerOnly>
)

const OrderView = ({ id }: { id: string }) => {
  const { loaded, reload, replace } = useLoad(`order ${id}`, (signal) => shop.showOrder({ id }, { signal }))
  const order = loaded.status === 'ready' ? loaded.value : null
  useEffect(() => {
    addEventListener('focus', reload)
    return () => removeEventListener('focus', reload)
  }, [reload])
  useSettlement(order, replace)
  if (loaded.status === 'loading') return <Skeleton lines={6} />
  if (loaded.status === 'failed') {
    return isVitrineError(loaded.error, 'NOT_FOUND') ? (
      <NotFoundPage what="order" />
    ) : (
      <Problem error={loaded.error} onRetry={reload} />
    )
  }
  return <OrderDetails order={loaded.value} onChanged={replace} />
}

/** While a payment is pending, waits for the API to report its outcome, so that the page updates automatically. */
const useSettlement = (order: Order | null, onSettled: (order: Order) => void) => {
  const id = order && isPayable(order) && order.paymentStatus === 'pending' ? order.id : null
  useEffect(() => {
    if (id === null) return
    const abort = new AbortController()
    const wait = async () => {
      onSettled(await followPayment(id, { signal: abort.signal }))
      void loadCart()
    }
    // A failed wait is no loss: the order is read again when the window gets the focus.
    wait().catch(() => {})
    return () => abort.abort()
  }, [id, onSettled])
}

const OrderDetails = ({ order, onChanged }: { order: Order; onChanged: (order: Order) => void }) => {
  const { query } = route.value
  const isDigital = order.items.some(({ digital }) => digital)
  const isPaid = ['paid', 'partially_refunded'].includes(order.paymentStatus)
  return (
    <div class="order">
      {query.has('placed') && !['cancelled', 'refunded'].includes(order.status) && (
        <div class="thanks">
          <p class="thanks-title">Thank you for your order.</p>
          <p>We are packing it now. {isCash(order) ? 'You pay when it arrives.' : ''}</p>
        </div>
      )}
      <div class="order-head">
        <Heading title={`Order ${order.number}`} />
        <OrderStatus order={order} />
      </div>
      <p class="quiet-text">Placed on {date(order.createdAt)}</p>
      <DeliverySteps order={order} />
      <OrderActions order={order} onChanged={onChanged} />
      {isDigital && isPaid && (
        <p class="panel row">
          Your files are ready.
          <a class="button small" href="/downloads">
            Go to downloads
          </a>
        </p>
      )}
      <div class="order-columns">
        <section aria-labelledby="order-items">
          <h2 id="order-items">Items</h2>
          <OrderLines order={order} />
          <Totals sums={order} couponCode={order.couponCode} />
        </section>
        <div>
          <section aria-labelledby="order-timeline">
            <h2 id="order-timeline">History</h2>
            <Shipments order={order} />
            <Timeline order={order} />
            <MoveParcel order={order} onChanged={onChanged} />
          </section>
          {order.shippingAddress && (
            <section aria-labelledby="order-address">
              <h2 id="order-address">Delivery address</h2>
              <AddressText address={order.shippingAddress as Record<string, unknown>} />
            </section>
          )}
          <section aria-labelledby="order-payment">
            <h2 id="order-payment">Payment</h2>
            <p>{paymentText(order)}</p>
          </section>
          {order.note && (
            <section aria-labelledby="order-note">
              <h2 id="order-note">Your note</h2>
              <p>{order.note}</p>
            </section>
          )}
        </div>
      </div>
    </div>
  )
}

const paymentText = (order: Order) => {
  const { method, last4, upiId } = (order.payment ?? {}) as { method?: string; last4?: string; upiId?: string }
  const means = [method === 'upi' ? 'UPI' : method, last4 ? `ending in ${last4}` : '', upiId].filter(Boolean).join(' ')
  if (order.paymentStatus === 'refunded') return 'Refunded.'
  const paid = means ? `Paid by ${means}.` : 'Paid.'
  if (order.paymentStatus === 'paid') return paid
  if (order.paymentStatus === 'partially_refunded')
    return `${paid} ${money(order.refundedTotal, order.currency)} was refunded.`
  if (isCash(order)) return 'Cash on delivery.'
  return order.paymentStatus === 'failed' ? 'The payment did not go through.' : 'Not paid yet.'
}

const OrderActions = ({ order, onChanged }: { order: Order; onChanged: (order: Order) => void }) => {
  const [errorMessage, setErrorMessage] = useState<string | null>(null)
  const [busy, setBusy] = useState<'pay' | 'cancel' | null>(null)
  const canCancel = order.status === 'pending' || (isCash(order) && order.status === 'paid')
  const work = async (name: 'pay' | 'cancel', doing: () => Promise<unknown>) => {
    setBusy(name)
    setErrorMessage(null)
    try {
      await doing()
    } catch (error) {
      setErrorMessage(errorText(error))
      onChanged(await shop.showOrder({ id: order.id }).catch(() => order))
    }
    setBusy(null)
  }
  const cancel = async () => {
    onChanged(await shop.cancelOrder({ id: order.id }))
    showNotice('The order was cancelled.')
  }
  if (!isPayable(order) && !canCancel) return null
  return (
    <>
      {isPayable(order) && order.expiresAt && (
        <p class="warning">
          {order.paymentStatus === 'failed' ? 'The payment did not go through. ' : ''}
          Your items are reserved until{' '}
          {new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' }).format(new Date(order.expiresAt))}
          .
        </p>
      )}
      <p class="row">
        {isPayable(order) && (
          <Button isBusy={busy === 'pay'} onClick={() => work('pay', () => payAgain(order.id))}>
            {order.paymentStatus === 'failed' ? 'Try again' : 'Pay now'}
          </Button>
        )}
        {canCancel && (
          <Button class="quiet" isBusy={busy === 'cancel'} onClick={() => work('cancel', cancel)}>
            Cancel order
          </Button>
        )}
      </p>
      {errorMessage && (
        <p class="error" role="alert">
          {errorMessage}
        </p>
      )}
    </>
  )
}

const Shipments = ({ order }: { order: Order }) => (
  <>
    {order.estimatedDelivery && order.status !== 'delivered' && (
      <p>
        Expected on <strong>{date(order.estimatedDelivery)}</strong>
      </p>
    )}
    {order.deliveredAt && (
      <p>
        Delivered on <strong>{date(order.deliveredAt)}</strong>
      </p>
    )}
    {order.shipments.map(({ id, partner, trackingNumber, trackingUrl }) => (
      <p key={id} class="quiet-text">
        {partner || 'Parcel'} {trackingNumber}{' '}
        {/^https?:/.test(trackingUrl) && (
          <a href={trackingUrl} target="_blank" rel="noreferrer">
            Track the parcel
          </a>
        )}
      </p>
    ))}
  </>
)

const MoveParcel = ({ order, onChanged }: { order: Order; onChanged: (order: Order) => void }) => {
  const [isBusy, setBusy] = useState(false)
  const isShippable = order.items.some(({ digital }) => !digital)
  const canMove = order.status === 'paid' || order.status === 'out_for_delivery' || isCash(order)
  if (!isShippable || !canMove || order.status === 'delivered' || order.status === 'cancelled') return null
  const move = async () => {
    setBusy(true)
    const isMoved = await development.moveParcel(order.id).catch(() => false)
    const now = await shop.showOrder({ id: order.id }).catch(() => null)
    if (now) onChanged(now)
    showNotice(
      isMoved && now ? `The parcel was moved on. ${now.timeline.at(-1)?.message ?? ''}` : 'The parcel was not moved.',
    )
    setBusy(false)
  }
  return (
    <DevelopmentOnly>
      <p>Simulate the carrier: the first step ships the parcel, the second delivers it.</p>
      <Button class="quiet small" isBusy={isBusy} onClick={move}>
        Move the parcel on
      </Button>
    </DevelopmentOnly>
  )
}
