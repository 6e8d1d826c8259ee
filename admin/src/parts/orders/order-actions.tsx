import { useState } from 'preact/hooks'
import { FormDialog } from '../../../../ui/dialog.tsx'
import { showNotice } from '../../../../ui/notice.ts'
import { Button } from '../../../../ui/states.tsx'
import type { AdminOrder } from '../../api.ts'
import { counted, money } from '../../format.ts'
import { admin, may } from '../../session.ts'
import { callOnce } from '../once.ts'
import { canDeliver, shippedUnits } from '../status.tsx'
import { RefundDialog } from './refund-dialog.tsx'
import { ReturnDialog, returnableLines } from './return-dialog.tsx'
import { ShipDialog } from './ship-dialog.tsx'
import { attentionOf, unfinishedParcel } from './words.ts'

type Name = 'ship' | 'deliver' | 'refund' | 'return' | 'cancel'
type Action = { name: Name; label: string; isPossible: boolean }

const actionsOf = (order: AdminOrder): Action[] => {
  const { status, paymentStatus, items } = order
  const isPaid = paymentStatus === 'paid' || paymentStatus === 'partially_refunded'
  const isConfirmed = status !== 'pending' || order.paymentMethod === 'cod'
  const isSent = status === 'out_for_delivery' || status === 'delivered'
  const unfinished = unfinishedParcel(order.shipments)
  const toShip = unfinished !== undefined || items.some((item) => item.toShip > 0)
  return [
    {
      name: 'ship',
      label: unfinished ? 'Finish the booking' : 'Ship',
      isPossible: may('orders:fulfil') && isConfirmed && status !== 'delivered' && toShip,
    },
    { name: 'deliver', label: 'Mark as delivered', isPossible: may('orders:fulfil') && canDeliver(order) },
    { name: 'refund', label: 'Refund', isPossible: may('orders:refund', 'orders:support') && isPaid },
    {
      name: 'return',
      label: 'Start a return',
      isPossible: may('orders:support') && isSent && returnableLines(order).length > 0,
    },
    {
      name: 'cancel',
      label: 'Cancel order',
      isPossible: may('orders:write') && status === 'pending' && shippedUnits(order) === 0,
    },
  ]
}

/** What can be done with the order now, by this person. The first is the next step. */
export const OrderActions = ({ order, onChange }: { order: AdminOrder; onChange: () => void }) => {
  const [open, setOpen] = useState<Name | null>(null)
  const actions = actionsOf(order).filter(({ isPossible }) => isPossible)
  const close = () => setOpen(null)
  const dialog = { order, onDone: onChange, onClose: close }
  return (
    <>
      {actions.map(({ name, label }, index) => (
        <Button
          class={index === 0 && name !== 'cancel' && name !== 'refund' ? 'small' : 'quiet small'}
          onClick={() => setOpen(name)}
          key={name}
        >
          {label}
        </Button>
      ))}
      {open === 'ship' && <ShipDialog {...dialog} />}
      {open === 'deliver' && <DeliverDialog {...dialog} />}
      {open === 'refund' && <RefundDialog {...dialog} />}
      {open === 'return' && <ReturnDialog order={order} onClose={close} />}
      {open === 'cancel' && <CancelDialog {...dialog} />}
    </>
  )
}

type DialogProps = { order: AdminOrder; onDone: () => void; onClose: () => void }

const DeliverDialog = ({ order, onDone, onClose }: DialogProps) => {
  const { id, number, total, currency, items } = order
  const left = items.reduce((sum, { toShip }) => sum + toShip, 0)
  const isCash = order.paymentMethod === 'cod' && order.paymentStatus === 'pending'
  const deliver = async () => {
    await callOnce(`deliver ${id}`, (options) => admin().deliverOrder({ id }, options))
    showNotice(`Order ${number} is delivered.`)
    onDone()
  }
  return (
    <FormDialog
      title={`Mark order ${number} as delivered`}
      action="Mark as delivered"
      onSubmit={deliver}
      onClose={onClose}
    >
      <p>All units of the order count as delivered. This cannot be undone.</p>
      {left > 0 && (
        <p class="warning">
          {counted(left, 'unit')} of it {left === 1 ? 'is' : 'are'} not shipped yet.
        </p>
      )}
      {isCash && <p>The order counts as paid: {money(total, currency)} in cash.</p>}
    </FormDialog>
  )
}

const CancelDialog = ({ order, onDone, onClose }: DialogProps) => {
  const { id, number, items } = order
  const units = items.filter(({ digital }) => !digital).reduce((sum, { quantity }) => sum + quantity, 0)
  const cancel = async () => {
    await admin().cancelOrder({ id })
    showNotice(`Order ${number} is cancelled.`)
    onDone()
  }
  return (
    <FormDialog
      title={`Cancel order ${number}`}
      action={`Cancel order ${number}`}
      leave="Keep it"
      isDangerous
      onSubmit={cancel}
      onClose={onClose}
    >
      <p>
        Cancel order {number} and return {counted(units, 'unit')} to stock. The customer can no longer pay it. This
        cannot be undone.
      </p>
    </FormDialog>
  )
}

/** Why the merchant must decide, and a way to say that this is done. */
export const OrderAttention = ({ order, onChange }: { order: AdminOrder; onChange: () => void }) => {
  const [isAsking, setAsking] = useState(false)
  const { id, needsAttention } = order
  if (needsAttention === null) return null
  const [title, advice] = attentionOf(needsAttention)
  const resolve = async () => {
    await callOnce(`resolve ${id}`, (options) => admin().resolveOrder({ id }, options))
    showNotice('Marked as done.')
    onChange()
  }
  return (
    <section class="attention" aria-label="Needs attention">
      <div>
        <h2>{title}</h2>
        <p>{advice}</p>
      </div>
      {may('orders:write') && (
        <Button class="quiet small" onClick={() => setAsking(true)}>
          Mark as done
        </Button>
      )}
      {isAsking && (
        <FormDialog title={title} action="Mark as done" onSubmit={resolve} onClose={() => setAsking(false)}>
          <p>The order no longer needs attention. Nothing else about it changes.</p>
        </FormDialog>
      )}
    </section>
  )
}
