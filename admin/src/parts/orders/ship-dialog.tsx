import { useState } from 'preact/hooks'
import { FormDialog } from '../../../../ui/dialog.tsx'
import { TextField } from '../../../../ui/fields.tsx'
import { useDraft } from '../../../../ui/load.ts'
import { showNotice } from '../../../../ui/notice.ts'
import type { AdminOrder } from '../../api.ts'
import { counted } from '../../format.ts'
import { admin } from '../../session.ts'
import { callOnce } from '../once.ts'
import { chosenUnits, countUnits, UnitsPicker } from './units.tsx'

/** The carrier of the last parcel: most stores use one. */
export const useCarrier = () => useDraft('carrier', '')

export const CarrierField = ({ value, onInput }: { value: string; onInput: (text: string) => void }) => (
  <TextField
    {...{ label: 'Carrier', name: 'carrier', required: true, maxLength: 100, placeholder: 'Such as Blue Dart' }}
    value={value}
    onInput={onInput}
  />
)

/** Notes a parcel of all that is left, or of chosen units. */
export const ShipDialog = ({
  order,
  onDone,
  onClose,
}: {
  order: AdminOrder
  onDone: () => void
  onClose: () => void
}) => {
  const lines = order.items.filter(({ toShip }) => toShip > 0)
  const all = Object.fromEntries(lines.map(({ id, toShip }) => [id, toShip]))
  const [units, setUnits] = useState(all)
  const [carrier, setCarrier] = useCarrier()
  const [trackingNumber, setTrackingNumber] = useState('')
  const [trackingUrl, setTrackingUrl] = useState('')
  const [expected, setExpected] = useState('')
  const count = countUnits(units)
  const isAll = lines.every(({ id, toShip }) => units[id] === toShip)
  const ship = async () => {
    const items = isAll ? {} : { items: chosenUnits(units) }
    const more = {
      ...(trackingUrl === '' ? {} : { trackingUrl }),
      ...(expected === '' ? {} : { estimatedDelivery: expected }),
    }
    await callOnce(`ship ${order.id}`, (options) =>
      admin().shipOrder({ id: order.id, partner: carrier, trackingNumber, ...more, ...items }, options),
    )
    showNotice(`Shipped ${counted(count, 'unit')} of order ${order.number}.`)
    onDone()
  }
  return (
    <FormDialog
      title={`Ship order ${order.number}`}
      action={`Ship ${counted(count, 'unit')}`}
      isReady={count > 0}
      isWide
      onSubmit={ship}
      onClose={onClose}
    >
      <UnitsPicker
        legend="What is in the parcel"
        lines={lines.map((line) => ({ line, limit: line.toShip, remark: line.sku }))}
        units={units}
        onChange={setUnits}
      />
      <div class="fields">
        <CarrierField value={carrier} onInput={setCarrier} />
        <TextField
          {...{ label: 'Tracking number', name: 'trackingNumber', required: true, maxLength: 100 }}
          value={trackingNumber}
          onInput={setTrackingNumber}
        />
        <TextField
          {...{ type: 'url', label: 'Link to follow it', remark: '(optional)', name: 'trackingUrl', maxLength: 1000 }}
          value={trackingUrl}
          onInput={setTrackingUrl}
        />
        <TextField
          {...{ type: 'date', label: 'Expected to arrive', remark: '(optional)', name: 'expected' }}
          value={expected}
          onInput={setExpected}
        />
      </div>
      <p class="quiet-text">The customer is told by mail. Shipping cannot be undone.</p>
    </FormDialog>
  )
}
