import { useEffect, useState } from 'preact/hooks'
import { CheckIcon } from '../../../ui/icons.tsx'
import { dropDrafts } from '../../../ui/load.ts'
import { route } from '../../../ui/router.ts'
import { Button, Heading, Problem, Waiting } from '../../../ui/states.tsx'
import { loadCart } from '../cart.ts'
import { errorText, money } from '../format.ts'
import { CustomerOnly } from '../parts/customer-only.tsx'
import { followPayment } from '../parts/follow-payment.ts'
import { isPayable, OrderLines } from '../parts/order-parts.tsx'
import { payAgain } from '../parts/payment.ts'
import { notifyOtherTabs } from '../session.ts'
import { isVitrineError, type Order } from '../shop.ts'
import { NotFoundPage } from './not-found.tsx'

/** The page after a payment. The URL claims an outcome, but only the order itself is trusted. */
export const CallbackPage = () => {
  const { query } = route.value
  const orderId = query.get('orderId')
  if (!orderId) return <NotFoundPage />
  return (
    <CustomerOnly title="Your payment">
      <Settlement key={orderId} orderId={orderId} />
    </CustomerOnly>
  )
}

const Settlement = ({ orderId }: { orderId: string }) => {
  const [order, setOrder] = useState<Order | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const [round, setRound] = useState(0)
  // `round` is a dependency because a new number requests another try.
  useEffect(() => {
    const abort = new AbortController()
    const wait = async () => {
      setFailure(null)
      const now = await followPayment(orderId, { signal: abort.signal, readsFirst: true, onRead: setOrder })
      if (now.paymentStatus === 'paid') dropDrafts('checkout')
      await loadCart()
      notifyOtherTabs()
    }
    wait().catch((error) => !abort.signal.aborted && setFailure(error))
    return () => abort.abort()
  }, [orderId, round])

  if (failure !== null) {
    if (isVitrineError(failure, 'NOT_FOUND')) return <NotFoundPage what="order" />
    return <Problem error={failure} onRetry={() => setRound(round + 1)} />
  }
  if (order === null) return <Undecided order={null} />
  if (order.paymentStatus === 'paid') return <Paid order={order} />
  if (isPayable(order) && order.paymentStatus === 'pending') return <Undecided order={order} />
  return <Failed order={order} />
}

const Paid = ({ order }: { order: Order }) => (
  <div class="narrow settled">
    <span class="settled-mark" aria-hidden="true">
      <CheckIcon />
    </span>
    <Heading title="Thank you, your order is paid" />
    <p class="lead">
      Order {order.number}, {money(order.total, order.currency)}. We are packing it now.
    </p>
    <OrderLines order={order} />
    <p class="row centred">
      <a class="button" href={`/orders/${order.id}`}>
        See your order
      </a>
      {order.items.some(({ digital }) => digital) && (
        <a class="button quiet" href="/downloads">
          Go to downloads
        </a>
      )}
      <a class="button quiet" href="/">
        Back to the shop
      </a>
    </p>
  </div>
)

const Undecided = ({ order }: { order: Order | null }) => (
  <div class="narrow settled">
    <Heading title="Waiting for your payment" />
    <Waiting text="Your bank has not confirmed the payment yet. This page updates automatically" />
    {order && (
      <>
        <p>You can leave this page. You will find the order under your orders.</p>
        <PayAgain order={order} label="Return to payment" />
      </>
    )}
  </div>
)

const Failed = ({ order }: { order: Order }) => (
  <div class="narrow settled">
    <Heading title={order.status === 'cancelled' ? 'This order was cancelled' : 'Your payment did not go through'} />
    <p class="lead">
      {order.status === 'cancelled'
        ? 'You were not charged. Your items are still in your cart.'
        : 'You were not charged. Your items are still reserved, so you can try again.'}
    </p>
    <OrderLines order={order} />
    <PayAgain order={order} label="Try again" />
  </div>
)

const PayAgain = ({ order, label }: { order: Order; label: string }) => {
  const [errorMessage, setErrorMessage] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const pay = async () => {
    setBusy(true)
    setErrorMessage(null)
    try {
      await payAgain(order.id)
    } catch (error) {
      setErrorMessage(errorText(error))
    }
    setBusy(false)
  }
  return (
    <>
      <p class="row centred">
        {isPayable(order) && (
          <Button isBusy={isBusy} onClick={pay}>
            {label}
          </Button>
        )}
        <a class="button quiet" href={`/orders/${order.id}`}>
          See your order
        </a>
      </p>
      {errorMessage && (
        <p class="error" role="alert">
          {errorMessage}
        </p>
      )}
    </>
  )
}
