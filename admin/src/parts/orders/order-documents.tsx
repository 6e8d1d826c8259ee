import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { FormDialog } from '../../../../ui/dialog.tsx'
import { TextField } from '../../../../ui/fields.tsx'
import { showNotice } from '../../../../ui/notice.ts'
import { Button } from '../../../../ui/states.tsx'
import type { AdminOrder } from '../../api.ts'
import { date, money } from '../../format.ts'
import { admin, may } from '../../session.ts'
import { useAction } from '../action.ts'
import { printPath } from './order-side.tsx'

/** Pages to print: each opens in a new tab. */
export const OrderDocuments = ({ order, onChange }: { order: AdminOrder; onChange: () => void }) => {
  const [isAsking, setAsking] = useState(false)
  const invoice = order.invoices.find(({ kind }) => kind === 'invoice')
  const mayIssue = may('orders:support', 'orders:fulfil')
  const isPaid = order.paymentStatus !== 'pending' && order.paymentStatus !== 'failed'
  const canInvoice = mayIssue && !invoice && (isPaid || order.paymentMethod === 'cod') && order.status !== 'cancelled'
  const refunds = invoice ? order.refunds.filter(({ status }) => status === 'succeeded') : []
  return (
    <section class="panel">
      <h2>Documents</h2>
      <ul class="documents">
        <li>
          <PrintLink href={printPath(order, 'packing-slip')}>Packing slip</PrintLink>
        </li>
        {invoice && (
          <li>
            <PrintLink href={printPath(order, 'invoice')}>Invoice {invoice.number}</PrintLink>
            <small> of {date(invoice.issuedAt)}</small>
          </li>
        )}
        {refunds.map((refund) => (
          <li key={refund.id}>
            <CreditNote order={order} refund={refund} mayIssue={mayIssue} onChange={onChange} />
          </li>
        ))}
      </ul>
      {canInvoice && (
        <Button class="quiet small" onClick={() => setAsking(true)}>
          Issue invoice
        </Button>
      )}
      {isAsking && <InvoiceDialog order={order} onDone={onChange} onClose={() => setAsking(false)} />}
    </section>
  )
}

const PrintLink = ({ href, children }: { href: string; children: ComponentChildren }) => (
  <a href={href} target="_blank" rel="noreferrer">
    {children}
    <span class="hidden"> (opens a page to print)</span>
  </a>
)

const CreditNote = ({
  order,
  refund,
  mayIssue,
  onChange,
}: {
  order: AdminOrder
  refund: AdminOrder['refunds'][number]
  mayIssue: boolean
  onChange: () => void
}) => {
  const { isBusy, run } = useAction()
  const issued = order.invoices.find(({ refundId }) => refundId === refund.id)
  const refundId = refund.id
  if (refundId === null) return null
  if (issued) {
    return <PrintLink href={printPath(order, `refunds/${refundId}/credit-note`)}>Credit note {issued.number}</PrintLink>
  }
  const issue = async () => {
    const { number } = await admin().issueCreditNote({ id: order.id, refundId })
    showNotice(`Credit note ${number} is issued.`)
    onChange()
  }
  return mayIssue ? (
    <Button class="quiet small" isBusy={isBusy} onClick={() => run(issue)}>
      Issue credit note for {money(refund.amount, order.currency)}
    </Button>
  ) : null
}

const InvoiceDialog = ({
  order: { id, number, total, currency },
  onDone,
  onClose,
}: {
  order: AdminOrder
  onDone: () => void
  onClose: () => void
}) => {
  const [taxId, setTaxId] = useState('')
  const issue = async () => {
    const issued = await admin().issueInvoice({ id, ...(taxId.trim() === '' ? {} : { taxId: taxId.trim() }) })
    showNotice(`Invoice ${issued.number} is issued.`)
    onDone()
  }
  return (
    <FormDialog title={`Invoice for order ${number}`} action="Issue invoice" onSubmit={issue} onClose={onClose}>
      <p>It gets the next number, over {money(total, currency)}, and cannot be changed afterwards.</p>
      <TextField
        {...{ label: 'Tax number of the buyer', remark: '(optional)', name: 'taxId', maxLength: 40 }}
        value={taxId}
        onInput={setTaxId}
      />
    </FormDialog>
  )
}
