import { useState } from 'preact/hooks'
import { Dialog, FormDialog } from '../../../ui/dialog.tsx'
import { SelectField, TextField } from '../../../ui/fields.tsx'
import { useLoad } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import { changeQuery, route } from '../../../ui/router.ts'
import { Empty } from '../../../ui/states.tsx'
import type { AdminListStockInput, StockLevel, StockMove } from '../api.ts'
import { counted, dateTime, number } from '../format.ts'
import { CsvLink } from '../parts/csv-link.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { PagesOf, usePages } from '../parts/pages-of.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { admin, may, pathTo, store } from '../session.ts'

const tabs = [
  ['', 'All'],
  ['low', 'Low in stock'],
  ['out', 'Sold out'],
] as const

const nameOf = ({ name, variant }: StockLevel) => (variant === '' ? name : `${name}, ${variant}`)

/** What is on hand, reserved and available, by outlet. */
export const StockPage = () => {
  const { query } = route.value
  const shown = tabs.find(([name]) => name !== '' && name === query.get('show'))?.[0]
  const q = query.get('q') ?? ''
  const outletId = query.get('outlet') ?? ''
  const filter: AdminListStockInput = {
    ...(shown ? { stock: shown } : {}),
    ...(q === '' ? {} : { q }),
    ...(outletId === '' ? {} : { outletId }),
  }
  const { loaded: outlets } = useLoad(
    `${store.value?.id} outlets`,
    async () => await admin().listOutlets({ limit: 100 }),
  )
  const outletNames = new Map(outlets.status === 'ready' ? outlets.value.items.map(({ id, name }) => [id, name]) : [])
  const list = usePages(`stock ${JSON.stringify(filter)}`, (cursor) =>
    admin().listStock({ ...filter, ...cursor, limit: 50 }),
  )
  const [changed, setChanged] = useState<StockLevel | null>(null)
  const [traced, setTraced] = useState<StockLevel | null>(null)
  return (
    <>
      <PageHead title="Stock">
        <CsvLink path="stock" filter={filter} />
      </PageHead>
      <div class="toolbar">
        <Tabs label="Show" value={shown ?? ''} tabs={tabs} />
        {outletNames.size > 1 && (
          <SelectField
            {...{ label: 'Outlet', name: 'outlet', class: 'inline', value: outletId }}
            options={[['', 'All outlets'], ...outletNames]}
            onChange={(outlet) => changeQuery({ outlet })}
          />
        )}
        <SearchField label="Search by product or SKU" value={q} onSearch={(text) => changeQuery({ q: text })} />
      </div>
      <PagesOf list={list} one="row" empty={<NoStock isFiltered={Object.keys(filter).length > 0} />}>
        {(levels) => <StockTable {...{ levels, outletNames }} onChange={setChanged} onTrace={setTraced} />}
      </PagesOf>
      {changed && (
        <AdjustDialog
          level={changed}
          place={outletNames.get(changed.outletId)}
          onClose={() => setChanged(null)}
          onDone={list.reload}
        />
      )}
      {traced && <MovesDialog level={traced} onClose={() => setTraced(null)} />}
    </>
  )
}

const NoStock = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="Nothing matches">
      <p>Try another filter, or search for a product or a SKU.</p>
    </Empty>
  ) : (
    <Empty title="No stock yet">
      <p>Stock appears here with the first product.</p>
      <a class="button" href={pathTo('products/new')}>
        Add a product
      </a>
    </Empty>
  )

const StockTable = ({
  levels,
  outletNames,
  onChange,
  onTrace,
}: {
  levels: readonly StockLevel[]
  outletNames: ReadonlyMap<string, string>
  onChange: (level: StockLevel) => void
  onTrace: (level: StockLevel) => void
}) => (
  <table class="table">
    <thead>
      <tr>
        <th scope="col">Product</th>
        <th scope="col">SKU</th>
        {outletNames.size > 1 && <th scope="col">Outlet</th>}
        <th scope="col" class="number">
          Available
        </th>
        <th scope="col" class="number">
          Reserved
        </th>
        <th scope="col" class="number">
          On hand
        </th>
        <th scope="col">
          <span class="hidden">Actions</span>
        </th>
      </tr>
    </thead>
    <tbody>
      {levels.map((level) => (
        <tr key={`${level.variantId} ${level.outletId}`}>
          <th scope="row">
            <a href={pathTo(`products/${level.productId}`)}>{nameOf(level)}</a>
          </th>
          <td data-label="SKU">{level.sku || '–'}</td>
          {outletNames.size > 1 && <td data-label="Outlet">{outletNames.get(level.outletId)}</td>}
          <td data-label="Available" class="number">
            {level.tracked ? <Available level={level} /> : 'Not counted'}
          </td>
          <td data-label="Reserved" class="number">
            {level.tracked ? number(level.reserved) : '–'}
          </td>
          <td data-label="On hand" class="number">
            {level.tracked ? number(level.onHand) : '–'}
          </td>
          <td class="actions">
            {level.tracked && may('stock:write') && (
              <button type="button" class="text-button" onClick={() => onChange(level)}>
                Change<span class="hidden"> stock of {nameOf(level)}</span>
              </button>
            )}
            <button type="button" class="text-button" onClick={() => onTrace(level)}>
              History<span class="hidden"> of {nameOf(level)}</span>
            </button>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

const Available = ({ level: { available, low } }: { level: StockLevel }) => {
  if (available <= 0) return <span class="status bad">Sold out</span>
  return <span class={low ? 'status warn' : ''}>{low ? `${number(available)} left` : number(available)}</span>
}

const reasons = ['Delivery', 'Counted', 'Damaged', 'Lost', 'Found', 'Other'] as const

const AdjustDialog = ({
  level,
  place,
  onClose,
  onDone,
}: {
  level: StockLevel
  /** The name of the outlet, if it is known. */
  place: string | undefined
  onClose: () => void
  onDone: () => void
}) => {
  const [way, setWay] = useState('add')
  const [units, setUnits] = useState('')
  const [reason, setReason] = useState<string>(reasons[0])
  const [note, setNote] = useState('')
  const count = /^\d{1,9}$/.test(units.trim()) ? Number(units) : null
  const delta = way === 'add' ? count : count === null ? null : -count
  const submit = async () => {
    if (count === null) throw new Error('not a number')
    const answer = await admin().adjustStock({
      ...{ variantId: level.variantId, outletId: level.outletId },
      ...(way === 'set' ? { set: count } : { delta: delta ?? 0 }),
      reason: note.trim() === '' ? reason : `${reason}: ${note.trim()}`,
    })
    onDone()
    showNotice(`${nameOf(level)}: ${counted(answer.available, 'unit')} available now.`)
  }
  const after = count === null ? null : way === 'set' ? count : level.available + (delta ?? 0)
  return (
    <FormDialog title={`Stock of ${nameOf(level)}`} action="Save" onSubmit={submit} onClose={onClose}>
      <p>
        {place && `${place}: `}
        {counted(level.onHand, 'unit')} on hand, {number(level.reserved)} reserved for orders, {number(level.available)}{' '}
        available.
      </p>
      <SelectField
        {...{ label: 'Change', name: 'way', value: way, onChange: setWay }}
        options={[
          ['add', 'Add units'],
          ['take', 'Take units away'],
          ['set', 'Set the available units'],
        ]}
      />
      <label class="field">
        <span>Units</span>
        <input
          {...{ name: 'units', inputMode: 'numeric', pattern: '\\d{1,9}', required: true, value: units }}
          title="A whole number"
          onInput={(event) => setUnits(event.currentTarget.value)}
        />
      </label>
      <SelectField
        {...{ label: 'Reason', name: 'reason', value: reason, onChange: setReason }}
        options={reasons.map((text) => [text, text] as const)}
      />
      <TextField
        {...{ label: 'Note', remark: '(optional)', name: 'note', maxLength: 150, value: note, onInput: setNote }}
      />
      {after !== null && <p role="status">Afterwards {counted(after, 'unit is', 'units are')} available.</p>}
    </FormDialog>
  )
}

const causes: Readonly<Record<StockMove['cause'], string>> = {
  opening: 'There at the beginning',
  order: 'Order',
  cancel: 'Order cancelled',
  refund: 'Refund',
  return: 'Return',
  adjustment: 'Changed',
  import: 'Import',
}

const MovesDialog = ({ level, onClose }: { level: StockLevel; onClose: () => void }) => {
  const { variantId, outletId } = level
  const list = usePages(`moves ${variantId} ${outletId}`, (cursor) =>
    admin().listStockMoves({ variantId, outletId, ...cursor, limit: 20 }),
  )
  return (
    <Dialog title={`History of ${nameOf(level)}`} isWide onClose={onClose}>
      <PagesOf list={list} one="change" empty={<Empty title="Nothing has changed yet" />}>
        {(moves) => (
          <table class="table">
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">Why</th>
                <th scope="col">By</th>
                <th scope="col" class="number">
                  Change
                </th>
                <th scope="col" class="number">
                  Available
                </th>
              </tr>
            </thead>
            <tbody>
              {moves.map((move) => (
                <tr key={move.id}>
                  <th scope="row">{dateTime(move.at)}</th>
                  <td data-label="Why">
                    {move.orderId ? (
                      <a href={pathTo(`orders/${move.orderId}`)}>{causes[move.cause]}</a>
                    ) : (
                      causes[move.cause]
                    )}
                    {move.reason && `, ${move.reason}`}
                  </td>
                  <td data-label="By">{move.author?.name ?? '–'}</td>
                  <td data-label="Change" class="number">
                    {move.availableChange > 0 ? `+${number(move.availableChange)}` : number(move.availableChange)}
                  </td>
                  <td data-label="Available" class="number">
                    {number(move.available)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </PagesOf>
    </Dialog>
  )
}
