import { useState } from 'preact/hooks'
import { FormDialog } from '../../../../ui/dialog.tsx'
import { TextField } from '../../../../ui/fields.tsx'
import { useDraft, useLoad } from '../../../../ui/load.ts'
import { showNotice } from '../../../../ui/notice.ts'
import type { AdminOrder } from '../../api.ts'
import { counted, Incomplete, readNumber } from '../../format.ts'
import { admin, store } from '../../session.ts'
import { callOnce } from '../once.ts'
import { ChoiceRow, chosenUnits, countUnits, type Units, UnitsPicker } from './units.tsx'
import { unfinishedParcel } from './words.ts'

/** The carrier of the last parcel: most stores use one. */
export const useCarrier = () => useDraft('carrier', '')

export const CarrierField = ({ value, onInput }: { value: string; onInput: (text: string) => void }) => (
  <TextField
    {...{
      label: 'Carrier',
      name: 'carrier',
      required: true,
      maxLength: 100,
      placeholder: 'Blue Dart, or your own driver',
    }}
    value={value}
    onInput={onInput}
  />
)

const sizes = { weightKg: 'Weight in kg', lengthCm: 'Length in cm', breadthCm: 'Width in cm', heightCm: 'Height in cm' }

const numberOf = (text: string) => {
  const value = readNumber(text)
  if (value === null) throw new Incomplete('Weight and size must be numbers.')
  return value
}

/** Books a parcel with a carrier of the store, or notes one that was handed over: all that is left, or chosen units. */
export const ShipDialog = ({
  order,
  onDone,
  onClose,
}: {
  order: AdminOrder
  onDone: () => void
  onClose: () => void
}) => {
  // The order is live, and a booking that has begun changes it. What is asked stays as it was.
  const [{ items, shipments }] = useState(order)
  const unfinished = unfinishedParcel(shipments)
  const lines = items.filter(({ toShip }) => toShip > 0)
  const [units, setUnits] = useState<Units>(
    Object.fromEntries(
      unfinished
        ? unfinished.items.map(({ id, quantity }) => [id, quantity])
        : lines.map(({ id, toShip }) => [id, toShip]),
    ),
  )
  const [chosen, setChosen] = useState(unfinished?.carrier)
  const [carrier, setCarrier] = useCarrier()
  const [typed, setTyped] = useState<Record<string, string>>({})
  const { loaded } = useLoad(`${store.value?.id} shipping carriers`, () => admin().listShippingCarriers())
  const carriers = loaded.status === 'ready' ? loaded.value.data : []
  // By hand until the carriers are known, and then only if the person has begun.
  const account = chosen ?? (typed.trackingNumber ? '' : (carriers[0]?.name ?? ''))
  const label = carriers.find(({ name }) => name === account)?.label ?? account
  const count = countUnits(units)
  const isAll = lines.every(({ id, toShip }) => units[id] === toShip)
  const field = (name: string, text: string, isNeeded: boolean) => ({
    ...{ name, label: text, required: isNeeded, maxLength: 1000, value: typed[name] ?? '' },
    ...(isNeeded ? {} : { remark: '(optional)' }),
    onInput: (value: string) => setTyped({ ...typed, [name]: value }),
  })
  /** What was typed for the chosen way. */
  const parcel = () =>
    Object.fromEntries(
      Object.entries(typed)
        .filter(([name, text]) => text !== '' && name in sizes === (account !== ''))
        .map(([name, text]) => [name, account === '' ? text : numberOf(text)]),
    )
  const ship = async () => {
    const body = {
      ...{ id: order.id, ...(account === '' ? { partner: carrier } : { carrier: account }), ...parcel() },
      ...(isAll || unfinished ? {} : { items: chosenUnits(units) }),
    }
    await callOnce(`ship ${order.id}`, (options) => admin().shipOrder(body, options))
    const what = `${counted(count, 'unit')} of order ${order.number}`
    showNotice(account === '' ? `Shipped ${what}.` : `Booked ${what} with ${label}.`)
    onDone()
  }
  return (
    <FormDialog
      title={`Ship order ${order.number}`}
      action={`${account === '' ? 'Ship' : 'Book'} ${counted(count, 'unit')}`}
      isReady={count > 0}
      isWide
      onSubmit={ship}
      onClose={onClose}
    >
      {unfinished ? (
        <p class="warning">
          {label} has not confirmed this parcel of {counted(count, 'unit')} yet. Book it again: it is never booked
          twice.
        </p>
      ) : (
        <UnitsPicker
          legend="What is in the parcel"
          lines={lines.map((line) => ({ line, limit: line.toShip, remark: line.sku }))}
          units={units}
          onChange={setUnits}
        />
      )}
      {!unfinished && carriers.length > 0 && (
        <ChoiceRow
          legend="How it is sent"
          options={[...carriers.map((one) => [one.name, `Book with ${one.label}`] as const), ['', 'By hand']]}
          value={account}
          onChange={setChosen}
        />
      )}
      <div class={account === '' ? 'fields' : 'fields sizes'}>
        {account === '' ? (
          <>
            <CarrierField value={carrier} onInput={setCarrier} />
            <TextField {...field('trackingNumber', 'Tracking number', false)} maxLength={100} />
            <TextField type="url" {...field('trackingUrl', 'Link to follow it', false)} />
            <TextField type="date" {...field('estimatedDelivery', 'Expected to arrive', false)} />
          </>
        ) : (
          Object.entries(sizes).map(([name, text]) => (
            <TextField
              {...field(name, text, name === 'weightKg')}
              {...(name === 'weightKg' ? {} : { placeholder: '10' })}
              inputMode="decimal"
              key={name}
            />
          ))
        )}
      </div>
      <p class="quiet-text">The customer is told by mail. Shipping cannot be undone.</p>
    </FormDialog>
  )
}
