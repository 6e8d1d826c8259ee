import { useState } from 'preact/hooks'
import { FormDialog } from '../../../../ui/dialog.tsx'
import { CheckField, TextArea } from '../../../../ui/fields.tsx'
import { showNotice } from '../../../../ui/notice.ts'
import { Button, Problem } from '../../../../ui/states.tsx'
import type { AdminOrder, AdminReturn } from '../../api.ts'
import { counted, money } from '../../format.ts'
import { admin, may } from '../../session.ts'
import { callOnce } from '../once.ts'
import { AmountField, RefundOutcome, typedPart, useRefundPreview, wordRefund } from './refund-dialog.tsx'

type Step = 'approve' | 'reject' | 'receive' | 'refund'

const labels: Readonly<Record<Step, string>> = {
  approve: 'Approve',
  reject: 'Reject',
  receive: 'Items have arrived',
  refund: 'Refund',
}

/** The next step first. */
const stepsOf = ({ status, restocked }: AdminReturn): Step[] => {
  if (status === 'requested') return ['approve', 'reject', 'receive']
  if (status === 'approved') return ['receive', 'refund', 'reject']
  if (status === 'received') return ['refund']
  return status === 'refunded' && restocked === null ? ['receive'] : []
}

type DialogProps = {
  shown: AdminReturn
  order: AdminOrder
  onDone: (changed: AdminReturn) => void
  onClose: () => void
}

/** Only who may do it sees it: support answers and receives, and refunds up to its limit. */
export const ReturnActions = ({ shown, order, onDone }: Omit<DialogProps, 'onClose'>) => {
  const [open, setOpen] = useState<Step | null>(null)
  const isAllowed = (step: Step) => may('orders:support') || (step === 'refund' && may('orders:refund'))
  const dialog = { shown, order, onDone, onClose: () => setOpen(null) }
  return (
    <>
      {stepsOf(shown)
        .filter(isAllowed)
        .map((step, index) => (
          <Button class={index === 0 ? 'small' : 'quiet small'} onClick={() => setOpen(step)} key={step}>
            {labels[step]}
          </Button>
        ))}
      {open === 'approve' && <DecideDialog {...dialog} isApproval />}
      {open === 'reject' && <DecideDialog {...dialog} isApproval={false} />}
      {open === 'receive' && <ReceiveDialog {...dialog} />}
      {open === 'refund' && <RefundReturnDialog {...dialog} />}
    </>
  )
}

const unitsOf = ({ items }: AdminReturn) => items.reduce((sum, { quantity }) => sum + quantity, 0)

const DecideDialog = ({ shown, onDone, onClose, isApproval }: DialogProps & { isApproval: boolean }) => {
  const [answer, setAnswer] = useState('')
  const units = counted(unitsOf(shown), 'unit')
  const decide = async () => {
    const input = { id: shown.id, ...(answer.trim() === '' ? {} : { answer }) }
    const changed = await callOnce(`${isApproval ? 'approve' : 'reject'} ${shown.id}`, (options) =>
      isApproval ? admin().approveReturn(input, options) : admin().rejectReturn(input, options),
    )
    showNotice(isApproval ? 'The return is approved.' : 'The return is rejected.')
    onDone(changed)
  }
  return (
    <FormDialog
      title={isApproval ? `Approve the return of ${units}` : `Reject the return of ${units}`}
      action={isApproval ? 'Approve' : 'Reject'}
      isDangerous={!isApproval}
      onSubmit={decide}
      onClose={onClose}
    >
      <p>
        {isApproval
          ? 'The customer may send the items back. Nothing is refunded yet.'
          : 'The customer keeps the items, and nothing is refunded. This cannot be undone.'}
      </p>
      <TextArea
        {...{ label: 'Answer', remark: '(optional)', name: 'answer', rows: 3, maxLength: 500 }}
        help={`The customer sees it${isApproval ? ': say where to send the items' : ': say why'}.`}
        value={answer}
        onInput={setAnswer}
      />
    </FormDialog>
  )
}

const ReceiveDialog = ({ shown, onDone, onClose }: DialogProps) => {
  const [restock, setRestock] = useState(true)
  const units = counted(unitsOf(shown), 'unit')
  const receive = async () => {
    const changed = await callOnce(`receive ${shown.id}`, (options) =>
      admin().receiveReturn({ id: shown.id, restock }, options),
    )
    showNotice(restock ? `${units} back in stock.` : 'Noted that the items have arrived.')
    onDone(changed)
  }
  return (
    <FormDialog
      title="Items have arrived"
      action={restock ? `Put ${units} back in stock` : 'Items have arrived'}
      onSubmit={receive}
      onClose={onClose}
    >
      <CheckField
        {...{ label: `Put ${units} back in stock`, name: 'restock', isChecked: restock, onChange: setRestock }}
        help="Not if they cannot be sold again."
      />
    </FormDialog>
  )
}

const RefundReturnDialog = ({ shown, order, onDone, onClose }: DialogProps) => {
  const [isByAmount, setByAmount] = useState(false)
  const [typed, setTyped] = useState('')
  const part = isByAmount ? typedPart(typed) : { items: shown.items }
  const { answer, error } = useRefundPreview(order.id, part)
  const isTooMuch = answer !== undefined && answer.amount > answer.maximum
  const { currency } = order
  const refund = async () => {
    const input = { id: shown.id, ...(isByAmount ? typedPart(typed) : {}) }
    const changed = await callOnce(`refund ${shown.id}`, (options) => admin().refundReturn(input, options))
    onDone(changed)
    const made = changed.refund
    showNotice(made === null ? 'The return is refunded.' : wordRefund(made.amount, currency, made.status))
  }
  return (
    <FormDialog
      title={`Refund the return of ${counted(unitsOf(shown), 'unit')}`}
      action={answer && !isTooMuch ? `Refund ${money(answer.amount, currency)}` : 'Refund'}
      isDangerous
      isReady={answer !== undefined && answer.amount > 0 && !isTooMuch}
      onSubmit={refund}
      onClose={onClose}
    >
      <CheckField
        {...{ label: 'Refund another amount', name: 'byAmount', isChecked: isByAmount, onChange: setByAmount }}
        help="Otherwise what was paid for the items."
      />
      {isByAmount && <AmountField currency={currency} value={typed} onInput={setTyped} />}
      <RefundOutcome answer={answer} currency={currency} />
      {shown.status === 'approved' && <p class="warning">The items have not arrived yet.</p>}
      {error !== undefined && <Problem error={error} />}
      {error !== undefined && order.paymentMethod === 'cod' && (
        <p>This order was paid in cash, which cannot be returned from here. Give the customer the money yourself.</p>
      )}
    </FormDialog>
  )
}
