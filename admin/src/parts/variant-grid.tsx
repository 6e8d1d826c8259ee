import { useState } from 'preact/hooks'
import { FormDialog } from '../../../ui/dialog.tsx'
import { CloseIcon } from '../../../ui/icons.tsx'
import type { Outlet } from '../api.ts'
import { readNumber } from '../format.ts'
import type { Picture } from './pictures.tsx'
import { keyOf, type Option, type Row, titleOf } from './product-draft.ts'
import { Thumb } from './thumb.tsx'

type Column = { name: string; label: string; isNumber: boolean; read: Read; write: Write; empty?: Read }
type Read = (row: Row) => string
type Write = (row: Row, text: string) => Row

const column = (name: 'price' | 'compareAtPrice' | 'sku' | 'barcode' | 'weightGrams', label: string): Column => ({
  ...{ name, label, isNumber: name !== 'sku' && name !== 'barcode' },
  read: (row) => row[name],
  write: (row, text) => ({ ...row, [name]: text }),
})

const stockColumn = ({ id, name }: Outlet, isOnly: boolean): Column => ({
  ...{ name: `stock ${id}`, label: isOnly ? 'Stock' : `Stock, ${name}`, isNumber: true },
  read: (row) => row.stock[id] ?? '',
  write: (row, text) => ({ ...row, isCounted: true, stock: { ...row.stock, [id]: text } }),
  empty: ({ isCounted }) => (isCounted ? '' : 'Not counted'),
})

const priceColumn = ({ id, name }: Outlet): Column => ({
  ...{ name: `price ${id}`, label: `Price, ${name}`, isNumber: true },
  read: (row) => row.prices[id] ?? '',
  write: (row, text) => ({ ...row, prices: { ...row.prices, [id]: text } }),
  empty: (row) => row.price,
})

const isBad = ({ isNumber }: Column, text: string) => {
  if (!isNumber || text.trim() === '') return false
  const value = readNumber(text)
  return value === null || value < 0
}

/** The variants in a grid of inputs. Arrow keys and Enter move through the cells. */
export const VariantGrid = ({
  rows,
  options,
  outlets,
  priced,
  pictures,
  mayStock,
  onChange,
}: {
  rows: readonly Row[]
  options: readonly Option[]
  outlets: readonly Outlet[]
  /** Outlets that may have prices of their own. */
  priced: readonly Outlet[]
  pictures: readonly Picture[]
  /** Stock of variants that exist needs a permission of its own. */
  mayStock: boolean
  onChange: (rows: Row[]) => void
}) => {
  const [pictured, setPictured] = useState<number | null>(null)
  const columns = [
    column('price', 'Price'),
    column('compareAtPrice', 'Price before'),
    ...priced.map(priceColumn),
    ...outlets.map((outlet) => stockColumn(outlet, outlets.length === 1)),
    column('sku', 'SKU'),
    column('barcode', 'Barcode'),
    column('weightGrams', 'Weight in g'),
  ]
  const shown = pictured === null ? undefined : rows[pictured]
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls in a narrow window.
    <section class="grid-frame" aria-label="Variants" tabIndex={0}>
      <table class="table grid" onKeyDown={moveInGrid}>
        <thead>
          <tr>
            <th scope="col">Variant</th>
            {columns.map(({ name, label }) => (
              <th scope="col" key={name}>
                {label}
              </th>
            ))}
            <th scope="col">
              <span class="hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => {
            const title = titleOf(row, options)
            return (
              <tr key={keyOf(row.options)}>
                <th scope="row">
                  <div class="variant">
                    <button
                      type="button"
                      class="variant-picture"
                      aria-label={`Picture of ${title}`}
                      onClick={() => setPictured(i)}
                    >
                      <Thumb of={row.picture ?? undefined} size={40} />
                    </button>
                    <span>{title}</span>
                  </div>
                </th>
                {columns.map((one) => (
                  <td data-label={one.label} key={one.name}>
                    <Cell
                      column={one}
                      row={row}
                      title={title}
                      isFixed={one.name.startsWith('stock') && row.id !== null && !mayStock}
                      onChange={(changed) => onChange(rows.with(i, changed))}
                    />
                  </td>
                ))}
                <td>
                  {rows.length > 1 && (
                    <button
                      type="button"
                      class="icon-button"
                      aria-label={`Remove ${title}`}
                      onClick={() => onChange(rows.toSpliced(i, 1))}
                    >
                      <CloseIcon />
                    </button>
                  )}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
      {shown !== undefined && pictured !== null && (
        <VariantPicture
          title={titleOf(shown, options)}
          row={shown}
          pictures={pictures}
          onChange={(picture) => onChange(rows.with(pictured, { ...shown, picture }))}
          onClose={() => setPictured(null)}
        />
      )}
    </section>
  )
}

const Cell = ({
  column: one,
  row,
  title,
  isFixed,
  onChange,
}: {
  column: Column
  row: Row
  title: string
  isFixed: boolean
  onChange: (row: Row) => void
}) => {
  const text = one.read(row)
  if (isFixed) return <>{text || '0'}</>
  return (
    <input
      data-column={one.name}
      aria-label={`${one.label} of ${title}`}
      aria-invalid={isBad(one, text)}
      class={one.isNumber ? 'number' : ''}
      inputMode={one.isNumber ? 'decimal' : 'text'}
      placeholder={one.empty?.(row)}
      autocomplete="off"
      maxLength={200}
      value={text}
      onInput={(event) => onChange(one.write(row, event.currentTarget.value))}
    />
  )
}

/** Up, down and Enter change the row. Left and right change the column at the end of the text. */
const moveInGrid = (event: KeyboardEvent) => {
  const { target: input, key } = event
  if (!(input instanceof HTMLInputElement)) return
  const row = input.closest('tr')
  const inputsOf = (within: Element | null | undefined) => [...(within?.querySelectorAll('input') ?? [])]
  const at = inputsOf(row).indexOf(input)
  const { selectionStart: start, selectionEnd: end, value } = input
  const goTo = (wanted: HTMLInputElement | undefined) => {
    event.preventDefault()
    wanted?.focus()
    wanted?.select()
  }
  const inSameColumn = (other: Element | null | undefined) =>
    inputsOf(other).find(({ dataset }) => dataset.column === input.dataset.column)
  if (key === 'ArrowUp') goTo(inSameColumn(row?.previousElementSibling))
  if (key === 'ArrowDown' || key === 'Enter') goTo(inSameColumn(row?.nextElementSibling))
  if (key === 'ArrowLeft' && start === 0 && (end === 0 || end === value.length)) goTo(inputsOf(row)[at - 1])
  if (key === 'ArrowRight' && end === value.length && (start === 0 || start === end)) goTo(inputsOf(row)[at + 1])
}

const VariantPicture = ({
  title,
  row,
  pictures,
  onChange,
  onClose,
}: {
  title: string
  row: Row
  pictures: readonly Picture[]
  onChange: (picture: Row['picture']) => void
  onClose: () => void
}) => {
  const [url, setUrl] = useState(row.picture?.url ?? '')
  const choices = [
    ...pictures,
    ...(row.picture && !pictures.some((one) => one.url === row.picture?.url) ? [{ ...row.picture, alt: '' }] : []),
  ]
  const use = async () => {
    const chosen = choices.find((picture) => picture.url === url)
    onChange(chosen ? { id: chosen.id, url, sizes: chosen.sizes } : null)
  }
  return (
    <FormDialog title={`Picture of ${title}`} action="Use this picture" onSubmit={use} onClose={onClose}>
      {pictures.length === 0 && <p>Add pictures to the product first, then choose one of them here.</p>}
      <fieldset class="picture-choices">
        <legend class="hidden">Pictures</legend>
        {[undefined, ...choices].map((picture, i) => (
          <label class="picture-choice" key={picture?.url ?? ''}>
            <input
              type="radio"
              name="picture"
              checked={url === (picture?.url ?? '')}
              onChange={() => setUrl(picture?.url ?? '')}
            />
            <Thumb of={picture} size={96} />
            <span>{picture ? picture.alt || `Picture ${i}` : 'None of its own'}</span>
          </label>
        ))}
      </fieldset>
    </FormDialog>
  )
}
