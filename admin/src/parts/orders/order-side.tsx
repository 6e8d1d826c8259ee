import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { FormDialog } from '../../../../ui/dialog.tsx'
import { useLoad } from '../../../../ui/load.ts'
import { showNotice } from '../../../../ui/notice.ts'
import { Button } from '../../../../ui/states.tsx'
import type { AdminOrder } from '../../api.ts'
import { counted, countryName, dateTime, money } from '../../format.ts'
import { admin, may, pathTo, store } from '../../session.ts'
import { useAction } from '../action.ts'
import { nameOf, StatusBadge } from '../status.tsx'
import { attemptWords, messageWords, parcelWords, refundWords, returnWords } from './words.ts'

type Address = NonNullable<AdminOrder['shippingAddress']>

export const OrderCustomer = ({ order }: { order: AdminOrder }) => {
  const { customer, shippingAddress, billingAddress, note } = order
  const isSame = JSON.stringify(shippingAddress) === JSON.stringify(billingAddress)
  return (
    <section class="panel">
      <h2>Customer</h2>
      <p>
        {may('customers:read') ? <a href={pathTo(`customers/${customer.id}`)}>{nameOf(order)}</a> : nameOf(order)}
        {customer.email !== '' && (
          <>
            <br />
            <a href={`mailto:${customer.email}`}>{customer.email}</a>
          </>
        )}
        {customer.phone !== '' && (
          <>
            <br />
            <a href={`tel:${customer.phone}`}>{customer.phone}</a>
          </>
        )}
      </p>
      {note !== '' && (
        <>
          <h3>Their note</h3>
          <p>{note}</p>
        </>
      )}
      {shippingAddress && (
        <>
          <h3>{isSame ? 'Ship and bill to' : 'Ship to'}</h3>
          <AddressText address={shippingAddress} />
        </>
      )}
      {billingAddress && !isSame && (
        <>
          <h3>Bill to</h3>
          <AddressText address={billingAddress} />
        </>
      )}
    </section>
  )
}

const AddressText = ({ address }: { address: Address }) => {
  const { name, line1, line2, landmark, postalCode, city, state, country, phone } = address
  const lines = [
    name,
    line1,
    line2,
    landmark,
    `${postalCode} ${city}`.trim(),
    [state, countryName(country)].filter(Boolean).join(', '),
    phone,
  ]
  return (
    <address>
      {lines.filter(Boolean).map((line) => (
        <span key={line}>{line}</span>
      ))}
    </address>
  )
}

export const Row = ({
  main,
  beside,
  children,
}: {
  main: ComponentChildren
  beside: ComponentChildren
  children?: ComponentChildren
}) => (
  <li class="side-row">
    <div class="side-main">
      <span>{main}</span>
      {beside}
    </div>
    {children && <div class="quiet-text">{children}</div>}
  </li>
)

export const OrderPayments = ({ order }: { order: AdminOrder }) => {
  const { payments, payment, refunds, currency } = order
  return (
    <section class="panel">
      <h2>Payment</h2>
      {payment && (
        <p>
          {[capital(payment.method), payment.last4 && `•••• ${payment.last4}`, payment.upiId].filter(Boolean).join(' ')}
          {payment.reference && (
            <>
              <br />
              <small>Reference {payment.reference}</small>
            </>
          )}
        </p>
      )}
      {payments.length === 0 && (
        <p class="quiet-text">{order.paymentMethod === 'cod' ? 'Cash on delivery.' : 'No payment was started.'}</p>
      )}
      <ul>
        {payments.map((attempt) => (
          <Row
            main={`${money(attempt.amount, attempt.currency)} ${attempt.provider === 'cod' ? 'in cash' : `by ${capital(attempt.provider)}`}`}
            beside={
              <StatusBadge
                words={attemptWords}
                value={attempt.provider === 'cod' && attempt.status === 'open' ? 'due' : attempt.status}
              />
            }
            key={attempt.id}
          >
            {dateTime(attempt.createdAt)}
            {attempt.duplicate && ', a second payment, which is returned'}
          </Row>
        ))}
        {refunds.map((refund) => (
          <Row
            main={`Refund of ${money(refund.amount, currency)}`}
            beside={<StatusBadge words={refundWords} value={refund.status} />}
            key={refund.id}
          >
            {[dateTime(refund.createdAt), refund.reason, refund.detail].filter(Boolean).join(', ')}
          </Row>
        ))}
      </ul>
      {payments.length > 0 && (
        <p>
          <a href={pathTo(`activity?show=received&order=${order.id}`)}>What was reported about it</a>
        </p>
      )}
    </section>
  )
}

export const OrderParcels = ({ order, onChange }: { order: AdminOrder; onChange: () => void }) => {
  if (order.shipments.length === 0) return null
  return (
    <section class="panel">
      <h2>Parcels</h2>
      <ul>
        {order.shipments.map((parcel) => {
          const { id, partner, trackingNumber, trackingUrl, status, items, labelUrl } = parcel
          const name = `${partner} ${trackingNumber}`.trim() || 'By the store'
          return (
            <Row
              main={
                trackingUrl === '' ? (
                  name
                ) : (
                  <a href={trackingUrl} target="_blank" rel="noreferrer">
                    {name}
                  </a>
                )
              }
              beside={<StatusBadge words={parcelWords} value={status} />}
              key={id}
            >
              {items.length === 0
                ? 'The whole order'
                : counted(
                    items.reduce((sum, { quantity }) => sum + quantity, 0),
                    'unit',
                  )}
              {', '}
              <a href={printPath(order, `packing-slip?shipmentId=${id}`)} target="_blank" rel="noreferrer">
                packing slip<span class="hidden"> of {name}</span>
              </a>
              {labelUrl !== '' && (
                <>
                  {', '}
                  <a href={labelUrl} target="_blank" rel="noreferrer">
                    label
                  </a>
                </>
              )}
              {parcel.carrier !== null && (status === 'booked' || status === 'preparing') && may('orders:fulfil') && (
                <ParcelActions {...{ order, parcel, onChange }} />
              )}
            </Row>
          )
        })}
      </ul>
    </section>
  )
}

/** What the carrier does on request, until the courier has taken the parcel. */
const ParcelActions = ({
  order,
  parcel,
  onChange,
}: {
  order: AdminOrder
  parcel: AdminOrder['shipments'][number]
  onChange: () => void
}) => {
  const [isAsked, setAsked] = useState(false)
  const { isBusy, run } = useAction()
  const { status, labelUrl, pickupAt } = parcel
  const act = async (name: 'labelShipment' | 'pickUpShipment' | 'cancelShipment', done: string) => {
    await admin()[name]({ id: order.id, shipmentId: parcel.id })
    showNotice(done)
    onChange()
  }
  const steps = [
    ['labelShipment', 'Make label', 'The label is ready.', labelUrl === ''],
    ['pickUpShipment', 'Ask for pickup', 'The courier is asked to come.', pickupAt === null],
  ] as const
  return (
    <div class="row">
      {steps.map(
        ([name, text, done, isOpen]) =>
          isOpen &&
          status === 'booked' && (
            <Button class="quiet small" isBusy={isBusy} onClick={() => run(() => act(name, done))} key={name}>
              {text}
            </Button>
          ),
      )}
      <button type="button" class="text-button" onClick={() => setAsked(true)}>
        Cancel parcel
      </button>
      {isAsked && (
        <FormDialog
          {...{ title: 'Cancel this parcel?', action: 'Cancel parcel', leave: 'Keep it', isDangerous: true }}
          onSubmit={() => act('cancelShipment', 'The parcel is cancelled.')}
          onClose={() => setAsked(false)}
        >
          <p>It is cancelled at the carrier too. What is in it can be shipped again.</p>
        </FormDialog>
      )}
    </div>
  )
}

/** A page of the API to print. */
export const printPath = ({ id }: Pick<AdminOrder, 'id'>, page: string) =>
  `/admin/v1/stores/${store.value?.id}/orders/${id}/${page}`

export const OrderMessages = ({ order, onChange }: { order: AdminOrder; onChange: () => void }) => {
  const { run } = useAction()
  const last = new Map(order.messages.map((message) => [message.name, message]))
  if (last.size === 0) return null
  const resend = async (name: string) => {
    const { recipient } = await admin().resendMessage({ id: order.id, name })
    showNotice(`The mail goes to ${recipient} again.`)
    onChange()
  }
  return (
    <section class="panel">
      <h2>Mail to the customer</h2>
      <ul>
        {[...last.values()].map(({ name, state, error, recipient }) => {
          const title = messageWords[name] ?? name
          return (
            <Row
              main={title}
              beside={
                may('orders:support') && (
                  <button type="button" class="text-button" onClick={() => run(() => resend(name))}>
                    Send again<span class="hidden">: {title}</span>
                  </button>
                )
              }
              key={name}
            >
              {state === 'sent' && `Sent to ${recipient ?? 'the customer'}`}
              {state === 'waiting' && 'Waits to be sent'}
              {(state === 'failed' || state === 'skipped') && `Not sent${error === '' ? '' : `: ${error}`}`}
            </Row>
          )
        })}
      </ul>
    </section>
  )
}

export const OrderReturns = ({ order }: { order: AdminOrder }) => {
  const key = `${store.value?.id} returns of ${order.id}`
  const { loaded } = useLoad(key, async () => await admin().listReturns({ order: order.id, limit: 50 }))
  if (loaded.status !== 'ready' || loaded.value.items.length === 0) return null
  return (
    <section class="panel">
      <h2>Returns</h2>
      <ul>
        {loaded.value.items.map(({ id, status, items, createdAt }) => (
          <Row
            main={
              <a href={pathTo(`returns/${id}`)}>
                Return of{' '}
                {counted(
                  items.reduce((sum, { quantity }) => sum + quantity, 0),
                  'unit',
                )}
              </a>
            }
            beside={<StatusBadge words={returnWords} value={status} />}
            key={id}
          >
            {dateTime(createdAt)}
          </Row>
        ))}
      </ul>
    </section>
  )
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)
