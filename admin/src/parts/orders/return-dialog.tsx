import { useState } from 'preact/hooks'
import { FormDialog } from '../../../../ui/dialog.tsx'
import { TextArea } from '../../../../ui/fields.tsx'
import { showNotice } from '../../../../ui/notice.ts'
import { navigate } from '../../../../ui/router.ts'
import type { AdminOrder } from '../../api.ts'
import { counted } from '../../format.ts'
import { admin, pathTo } from '../../session.ts'
import { callOnce } from '../once.ts'
import { chosenUnits, countUnits, type OrderLine, type Units, UnitsPicker } from './units.tsx'

export const returnableLines = ({ items }: AdminOrder): OrderLine[] =>
  items.filter(({ digital, quantity, refunded }) => !digital && quantity > refunded)

/** Notes that a customer who has called or written sends items back. */
export const ReturnDialog = ({ order, onClose }: { order: AdminOrder; onClose: () => void }) => {
  const [units, setUnits] = useState<Units>({})
  const [reason, setReason] = useState('')
  const count = countUnits(units)
  const start = async () => {
    const input = { orderId: order.id, items: chosenUnits(units), reason }
    const { id } = await callOnce(`return ${order.id}`, (options) => admin().createReturn(input, options))
    navigate(pathTo(`returns/${id}`))
    showNotice('The return is noted.')
  }
  return (
    <FormDialog
      title={`Return of order ${order.number}`}
      action={count === 0 ? 'Start the return' : `Start the return of ${counted(count, 'unit')}`}
      isReady={count > 0}
      isWide
      onSubmit={start}
      onClose={onClose}
    >
      <UnitsPicker
        legend="What comes back"
        lines={returnableLines(order).map((line) => ({ line, limit: line.quantity - line.refunded, remark: line.sku }))}
        units={units}
        onChange={setUnits}
      />
      <TextArea
        {...{ label: 'Reason', remark: '(optional)', name: 'reason', rows: 2, maxLength: 500 }}
        value={reason}
        onInput={setReason}
      />
      <p class="quiet-text">The return is approved at once. Nothing is refunded yet.</p>
    </FormDialog>
  )
}
