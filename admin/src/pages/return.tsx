import { useLoad } from '../../../ui/load.ts'
import type { PathParams } from '../../../ui/router.ts'
import { Empty, focusHeading, ProblemPage, Skeleton } from '../../../ui/states.tsx'
import { type AdminOrder, type AdminReturn, isVitrineError } from '../api.ts'
import { dateTime, money, number } from '../format.ts'
import { useLive } from '../parts/live.ts'
import { ReturnActions } from '../parts/orders/return-actions.tsx'
import { nameOfLine, Picture } from '../parts/orders/units.tsx'
import { refundWords, returnWords } from '../parts/orders/words.ts'
import { PageHead } from '../parts/page-head.tsx'
import { nameOf, StatusBadge } from '../parts/status.tsx'
import { admin, may, pathTo, store } from '../session.ts'

const back = { path: 'returns', label: 'Returns' }

const read = async (id: string, signal: AbortSignal) => {
  const shown = await admin().getReturn({ id }, { signal })
  return { shown, order: await admin().getOrder({ id: shown.orderId }, { signal }) }
}

/** One return, with the next step as the main action. */
export const ReturnPage = ({ id = '' }: PathParams) => {
  const { loaded, reload, replace } = useLoad(`${store.value?.id} return ${id}`, (signal) => read(id, signal))
  useLive(() => {
    if (loaded.status === 'ready') reload()
  })
  if (loaded.status === 'loading') return <Skeleton lines={8} />
  if (loaded.status === 'failed') {
    if (!isVitrineError(loaded.error, 'NOT_FOUND')) return <ProblemPage error={loaded.error} onRetry={reload} />
    return (
      <>
        <PageHead title="Return" back={back} />
        <Empty title="There is no such return" />
      </>
    )
  }
  const { shown, order } = loaded.value
  const change = (changed: AdminReturn) => {
    replace({ shown: changed, order })
    reload()
    // The button of the step that was done is gone.
    focusHeading()
  }
  return (
    <>
      <PageHead
        title={`Return of order ${shown.orderNumber}`}
        back={back}
        beside={<StatusBadge words={returnWords} value={shown.status} />}
      >
        <ReturnActions shown={shown} order={order} onDone={change} />
      </PageHead>
      <Steps shown={shown} />
      <div class="columns">
        <ReturnedItems shown={shown} order={order} />
        <ReturnFacts shown={shown} order={order} />
      </div>
    </>
  )
}

const stepTitles = ['Requested', 'Approved', 'Items here', 'Refunded'] as const

/** How far it is. A refund may come before the items. */
const Steps = ({ shown: { status, restocked } }: { shown: AdminReturn }) => {
  if (status === 'rejected') return null
  const isRefunded = status === 'refunded'
  const done = [true, status !== 'requested', status === 'received' || restocked !== null, isRefunded]
  const next = done.indexOf(false)
  return (
    <ol class="progress-steps" aria-label="Progress">
      {stepTitles.map((title, index) => (
        <li
          class={done[index] ? 'done' : index === next ? 'next' : ''}
          aria-current={index === next ? 'step' : undefined}
          key={title}
        >
          {title}
          <span class="hidden">{done[index] ? ', done' : index === next ? ', next' : ''}</span>
        </li>
      ))}
    </ol>
  )
}

type Props = { shown: AdminReturn; order: AdminOrder }

const ReturnedItems = ({ shown, order }: Props) => (
  <section class="panel">
    <h2>Items</h2>
    <ul class="units">
      {shown.items.map(({ id, quantity }) => {
        const line = order.items.find((one) => one.id === id)
        return (
          line && (
            <li key={id}>
              <Picture line={line} />
              <span class="units-name">
                {nameOfLine(line)}
                {line.sku !== '' && <small>{line.sku}</small>}
              </span>
              <span>
                {number(quantity)} of {number(line.quantity)}
              </span>
            </li>
          )
        )
      })}
    </ul>
  </section>
)

const ReturnFacts = ({ shown, order }: Props) => {
  const { reason, answer, refund, restocked, byCustomer, createdAt } = shown
  const name = nameOf(order)
  return (
    <section class="panel">
      <h2>Details</h2>
      <dl class="facts">
        <dt>Order</dt>
        <dd>
          <a href={pathTo(`orders/${order.id}`)}>{order.number}</a>, {money(order.total, order.currency)}
        </dd>
        <dt>Customer</dt>
        <dd>{may('customers:read') ? <a href={pathTo(`customers/${order.customer.id}`)}>{name}</a> : name}</dd>
        <dt>Asked by</dt>
        <dd>
          {byCustomer ? 'the customer' : 'the store'}, {dateTime(createdAt)}
        </dd>
        <dt>Reason</dt>
        <dd>{reason === '' ? 'None given' : reason}</dd>
        {answer !== '' && (
          <>
            <dt>Your answer</dt>
            <dd>{answer}</dd>
          </>
        )}
        {restocked !== null && (
          <>
            <dt>Stock</dt>
            <dd>{restocked ? 'Back in stock' : 'Not put back in stock'}</dd>
          </>
        )}
        {refund && (
          <>
            <dt>Refund</dt>
            <dd>
              {money(refund.amount, order.currency)} <StatusBadge words={refundWords} value={refund.status} />
            </dd>
          </>
        )}
      </dl>
    </section>
  )
}
