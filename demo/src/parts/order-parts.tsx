import { CheckIcon } from '../../../ui/icons.tsx'
import { dateTime, money } from '../format.ts'
import type { Order } from '../shop.ts'
import { Picture } from './picture.tsx'

const statusTexts: Record<string, string> = {
  pending: 'Waiting for payment',
  paid: 'Paid',
  out_for_delivery: 'On its way',
  delivered: 'Delivered',
  cancelled: 'Cancelled',
  refunded: 'Refunded',
}

export const isCash = (order: Order) => order.paymentMethod === 'cod'

/** Whether the shopper still has to pay online. */
export const isPayable = (order: Order) =>
  order.status === 'pending' && !isCash(order) && ['pending', 'failed'].includes(order.paymentStatus)

const statusText = (order: Order) => {
  if (order.status === 'pending' && isCash(order)) return 'Placed'
  if (order.status === 'pending' && order.paymentStatus === 'failed') return 'Payment failed'
  return statusTexts[order.status] ?? order.status
}

export const OrderStatus = ({ order }: { order: Order }) => (
  <span class={`pill status-${order.status}`} data-testid="order-status">
    {statusText(order)}
  </span>
)

export const OrderLines = ({ order }: { order: Order }) => (
  <ul class="lines">
    {order.items.map((item) => (
      <li class="line" key={item.id}>
        <span class="line-image">
          <Picture src={item.image} size={64} />
        </span>
        <div class="line-text">
          <a class="line-name" href={`/product/${item.productId}`}>
            {item.name}
          </a>
          <p class="quiet-text">
            {[item.variant, `${item.quantity} × ${money(item.price, order.currency)}`].filter(Boolean).join(' · ')}
          </p>
        </div>
        <p class="line-total">{money(item.lineTotal, order.currency)}</p>
      </li>
    ))}
  </ul>
)

/** The steps of an order: done and upcoming. An order of downloads has no delivery steps. */
export const DeliverySteps = ({ order }: { order: Order }) => {
  if (order.status === 'cancelled' || order.status === 'refunded') return null
  const isDigital = order.items.every(({ digital }) => digital)
  const reached = ['pending', 'paid', 'out_for_delivery', 'delivered'].indexOf(order.status)
  const names = isDigital
    ? ['Placed', 'Paid']
    : ['Placed', isCash(order) ? 'Confirmed' : 'Paid', 'On its way', 'Delivered']
  const done = order.status === 'pending' && isCash(order) ? 1 : reached
  return (
    <ol class="steps" aria-label="Progress">
      {names.map((name, index) => (
        <li key={name} class={index <= done ? 'done' : ''} aria-current={index === done ? 'step' : undefined}>
          <span class="step-mark" aria-hidden="true">
            {index <= done && <CheckIcon />}
          </span>
          <span>
            {name}
            <span class="hidden">{index <= done ? ' (done)' : ' (upcoming)'}</span>
          </span>
        </li>
      ))}
    </ol>
  )
}

export const Timeline = ({ order }: { order: Order }) => (
  <ol class="timeline">
    {order.timeline.map(({ at, type, message }) => (
      <li key={`${at}${type}`}>
        <span>{message}</span>
        <time class="quiet-text" dateTime={at}>
          {dateTime(at)}
        </time>
      </li>
    ))}
  </ol>
)
