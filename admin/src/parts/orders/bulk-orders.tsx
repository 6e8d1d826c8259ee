import { useState } from 'preact/hooks'
import { Button } from '../../../../ui/states.tsx'
import type { OrderEventData } from '../../api.ts'
import { counted, money } from '../../format.ts'
import { admin, may, store } from '../../session.ts'
import { BulkDialog } from '../bulk-dialog.tsx'
import { BulkBar, type Selection } from '../selection.tsx'
import { canDeliver, nameOf, unitsLeft } from '../status.tsx'
import { CarrierField, useCarrier } from './ship-dialog.tsx'

type BulkProps = { selected: readonly OrderEventData[]; onClose: (changed: number) => void }

const labelOf = ({ number }: OrderEventData) => `Order ${number}`

/** As many as the page of packing slips has. */
const maxSlips = 100

/** What can be done with the selected orders. */
export const BulkOrders = ({
  orders,
  selection,
  onChange,
}: {
  orders: readonly OrderEventData[]
  selection: Selection
  onChange: () => void
}) => {
  const [open, setOpen] = useState<'ship' | 'deliver' | null>(null)
  // The list is live: what is asked about stays as it was.
  const [selected, setSelected] = useState<readonly OrderEventData[]>([])
  const ask = (what: 'ship' | 'deliver') => {
    setSelected(orders.filter(({ id }) => selection.ids.has(id)))
    setOpen(what)
  }
  const close = (changed: number) => {
    setOpen(null)
    if (changed === 0) return
    selection.clear()
    onChange()
  }
  const slips = `/admin/v1/stores/${store.value?.id}/packing-slips?orders=${[...selection.ids].join(',')}`
  return (
    <>
      <BulkBar selection={selection} one="order">
        {may('orders:fulfil') && (
          <>
            <Button class="small" onClick={() => ask('ship')}>
              Ship
            </Button>
            <Button class="quiet small" onClick={() => ask('deliver')}>
              Mark as delivered
            </Button>
          </>
        )}
        {selection.ids.size <= maxSlips ? (
          <a class="button quiet small" href={slips} target="_blank" rel="noreferrer">
            Print packing slips
          </a>
        ) : (
          <span class="quiet-text">Packing slips: up to {maxSlips} at a time</span>
        )}
        {selection.ids.size < orders.length && (
          <button
            type="button"
            class="text-button"
            onClick={() =>
              selection.setAll(
                orders.map(({ id }) => id),
                true,
              )
            }
          >
            Select all {orders.length}
          </button>
        )}
      </BulkBar>
      {open === 'ship' && <BulkShip selected={selected} onClose={close} />}
      {open === 'deliver' && <BulkDeliver selected={selected} onClose={close} />}
    </>
  )
}

const Skipped = ({ count, why }: { count: number; why: string }) =>
  count === 0 ? null : (
    <p class="warning">
      {counted(count, 'selected order')} {count === 1 ? 'stays' : 'stay'} as {count === 1 ? 'it is' : 'they are'}: {why}
    </p>
  )

const BulkShip = ({ selected, onClose }: BulkProps) => {
  const [carrier, setCarrier] = useCarrier()
  const [numbers, setNumbers] = useState<Readonly<Record<string, string>>>({})
  const orders = selected.filter((order) => unitsLeft(order) > 0)
  const units = orders.reduce((sum, order) => sum + unitsLeft(order), 0)
  return (
    <BulkDialog
      title={`Ship ${counted(orders.length, 'order')}`}
      name="ship"
      action={`Ship ${counted(orders.length, 'order')}`}
      items={orders}
      labelOf={labelOf}
      run={({ id }, options) => admin().shipOrder({ id, partner: carrier, trackingNumber: numbers[id] ?? '' }, options)}
      onClose={onClose}
    >
      <Skipped count={selected.length - orders.length} why="unpaid, cancelled or shipped already." />
      {orders.length > 0 && (
        <>
          <p>
            This ships all that is left of {counted(orders.length, 'order')}, {counted(units, 'unit')} together, and
            tells the customers by mail. It cannot be undone.
          </p>
          <CarrierField value={carrier} onInput={setCarrier} />
          <table class="table plain">
            <thead>
              <tr>
                <th scope="col">Order</th>
                <th scope="col">Customer</th>
                <th scope="col" class="number">
                  Units
                </th>
                <th scope="col">Tracking number</th>
              </tr>
            </thead>
            <tbody>
              {orders.map((order) => (
                <tr key={order.id}>
                  <th scope="row">{order.number}</th>
                  <td data-label="Customer">{nameOf(order)}</td>
                  <td data-label="Units" class="number">
                    {unitsLeft(order)}
                  </td>
                  <td data-label="Tracking number">
                    <span class="field">
                      <input
                        aria-label={`Tracking number of order ${order.number}`}
                        maxLength={100}
                        value={numbers[order.id] ?? ''}
                        onInput={(event) => setNumbers({ ...numbers, [order.id]: event.currentTarget.value })}
                      />
                    </span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </BulkDialog>
  )
}

const BulkDeliver = ({ selected, onClose }: BulkProps) => {
  const orders = selected.filter(canDeliver)
  const cash = orders.filter(
    ({ paymentMethod, paymentStatus }) => paymentMethod === 'cod' && paymentStatus === 'pending',
  )
  const unshipped = orders.filter((order) => unitsLeft(order) > 0).length
  const sum = cash.reduce((total, order) => total + order.total, 0)
  return (
    <BulkDialog
      title={`Mark ${counted(orders.length, 'order')} as delivered`}
      name="deliver"
      action={`Mark ${counted(orders.length, 'order')} as delivered`}
      items={orders}
      labelOf={labelOf}
      run={({ id }, options) => admin().deliverOrder({ id }, options)}
      onClose={onClose}
    >
      <Skipped count={selected.length - orders.length} why="unpaid, cancelled or delivered already." />
      {orders.length > 0 && (
        <p>All units of {counted(orders.length, 'order')} count as delivered. This cannot be undone.</p>
      )}
      {unshipped > 0 && (
        <p class="warning">
          {counted(unshipped, 'order')} among them {unshipped === 1 ? 'is' : 'are'} not shipped completely yet.
        </p>
      )}
      {cash.length > 0 && (
        <p>
          {counted(cash.length, 'cash order')} will count as paid: {money(sum)} in all.
        </p>
      )}
    </BulkDialog>
  )
}
