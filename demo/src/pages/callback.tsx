import { useEffect, useState } from 'preact/hooks'
import { loadCart } from '../cart.ts'
import { errorText, money } from '../format.ts'
import { dropDrafts } from '../load.ts'
import { CustomerOnly } from '../parts/customer-only.tsx'
import { followPayment } from '../parts/follow-payment.ts'
import { CheckIcon } from '../parts/icons.tsx'
import { isPayable, OrderLines } from '../parts/order-parts.tsx'
import { payAgain } from '../parts/payment.ts'
import { Button, Heading, Problem, Waiting } from '../parts/states.tsx'
import { place } from '../router.ts'
import { tellOtherTabs } from '../session.ts'
import { isVitrineError, type Order } from '../shop.ts'
import { NotFoundPage } from './not-found.tsx'

/** Where the shopper arrives after paying. The address says how it went, but only the order itself is believed. */
export const CallbackPage = () => {
  const { query } = place.value
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
  const [fault, setFault] = useState<unknown>(null)
  const [round, setRound] = useState(0)
  // Another round is asked for by its number alone.
  useEffect(() => {
    const abort = new AbortController()
    const wait = async () => {
      setFault(null)
      const now = await followPayment(orderId, { signal: abort.signal, isFirstLook: true, onLook: setOrder })
      if (now.paymentStatus === 'paid') dropDrafts('checkout')
      await loadCart()
      tellOtherTabs()
    }
    wait().catch((error) => !abort.signal.aborted && setFault(error))
    return () => abort.abort()
  }, [orderId, round])

  if (fault !== null) {
    if (isVitrineError(fault, 'NOT_FOUND')) return <NotFoundPage what="order" />
    return <Problem error={fault} onRetry={() => setRound(round + 1)} />
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
    <Waiting text="The bank has not answered yet. This page follows by itself" />
    {order && (
      <>
        <p>You can leave this page. The order is settled all the same, and you find it under your orders.</p>
        <PayAgain order={order} label="Go back to paying" />
      </>
    )}
  </div>
)

const Failed = ({ order }: { order: Order }) => (
  <div class="narrow settled">
    <Heading title={order.status === 'cancelled' ? 'This order was cancelled' : 'Your payment did not go through'} />
    <p class="lead">
      {order.status === 'cancelled'
        ? 'Nothing was charged. What you chose is still in your cart.'
        : 'Nothing was charged, and we still hold these things for you. You can try again.'}
    </p>
    <OrderLines order={order} />
    <PayAgain order={order} label="Try to pay again" />
  </div>
)

const PayAgain = ({ order, label }: { order: Order; label: string }) => {
  const [fault, setFault] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const pay = async () => {
    setBusy(true)
    setFault(null)
    try {
      await payAgain(order.id)
    } catch (error) {
      setFault(errorText(error))
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
      {fault && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
    </>
  )
}
