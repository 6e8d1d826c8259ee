import { useEffect, useRef, useState } from 'preact/hooks'
import { FormDialog } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { CloseIcon } from '../../../ui/icons.tsx'
import { Button } from '../../../ui/states.tsx'
import { counted, Incomplete } from '../format.ts'
import type { Draft, Option, Rename } from './product-draft.ts'
import {
  addMissing,
  addOption,
  addValue,
  missingRows,
  type Restore,
  removeOption,
  removeValue,
} from './variant-combinations.ts'

type Grid = Pick<Draft, 'options' | 'rows'>

/** Options such as a size, with their values. The grid follows them. */
export const VariantOptions = ({
  grid,
  restore,
  onChange,
  onRename,
}: {
  grid: Grid
  restore: Restore
  onChange: (grid: Grid) => void
  onRename: (rename: Rename) => void
}) => {
  const [asked, setAsked] = useState<Asked | null>(null)
  const missing = missingRows(grid, restore).length
  return (
    <div class="options">
      {grid.options.map((option) => (
        <OptionField
          key={option.name}
          option={option}
          onRename={(value) => {
            const taken = value === undefined ? grid.options.map(({ name }) => name) : option.values
            setAsked({ option: option.name, ...(value === undefined ? {} : { value }), taken })
          }}
          onAdd={(text) => {
            // Several may be pasted at once.
            const values = text.split(',').flatMap((value) => value.trim() || [])
            onChange(values.reduce<Grid>((all, value) => addValue(all, option.name, value, restore), grid))
          }}
          onRemoveValue={(value) => onChange(removeValue(grid, option.name, value))}
          onRemove={() => onChange(removeOption(grid, option.name))}
        />
      ))}
      <AddText
        label={grid.options.length === 0 ? 'Add an option, such as Size' : 'Add another option'}
        action="Add option"
        onAdd={(name) => onChange(addOption(grid, name))}
      />
      {missing > 0 && (
        <Button class="quiet small" onClick={() => onChange(addMissing(grid, restore))}>
          Add {counted(missing, 'missing combination')}
        </Button>
      )}
      {asked && <RenameDialog {...asked} onRename={onRename} onClose={() => setAsked(null)} />}
    </div>
  )
}

type Asked = Omit<Rename, 'to'> & { taken: readonly string[] }

const RenameDialog = ({
  option,
  value,
  taken,
  onRename,
  onClose,
}: Asked & { onRename: (rename: Rename) => void; onClose: () => void }) => {
  const old = value ?? option
  const [text, setText] = useState(old)
  const rename = async () => {
    const to = text.trim()
    if (to === old) return
    if (to === '' || taken.includes(to)) throw new Incomplete(to === '' ? 'Type a name.' : `There is ${to} already.`)
    onRename({ option, ...(value === undefined ? {} : { value }), to })
  }
  return (
    <FormDialog title={`Rename ${old}`} action="Rename" onSubmit={rename} onClose={onClose}>
      <TextField
        {...{ label: 'New name', name: 'to', required: true, maxLength: 200, value: text, onInput: setText }}
      />
      <p class="quiet-text">Variants keep their stock, prices and SKUs, and stay in the carts of customers.</p>
    </FormDialog>
  )
}

const OptionField = ({
  option: { name, values },
  onRename,
  onAdd,
  onRemoveValue,
  onRemove,
}: {
  option: Option
  /** Of a value, or of the option itself. */
  onRename: (value?: string) => void
  /** One value, or several with commas between them. */
  onAdd: (text: string) => void
  onRemoveValue: (value: string) => void
  onRemove: () => void
}) => (
  <fieldset class="option">
    <legend class="field-legend">{name}</legend>
    <ul class="values">
      {values.map((value) => (
        <li class="value" key={value}>
          <button
            type="button"
            class="value-name"
            aria-label={`Rename ${name} ${value}`}
            onClick={() => onRename(value)}
          >
            {value}
          </button>
          <button
            type="button"
            class="icon-button"
            aria-label={`Remove ${name} ${value}`}
            onClick={() => onRemoveValue(value)}
          >
            <CloseIcon />
          </button>
        </li>
      ))}
    </ul>
    <AddText label={`Add a value of ${name}`} action="Add value" isFocused={values.length === 0} onAdd={onAdd} />
    <button type="button" class="text-button" onClick={() => onRename()}>
      Rename<span class="hidden"> {name}</span>
    </button>
    <button type="button" class="text-button" onClick={onRemove}>
      Remove<span class="hidden"> {name}</span>
    </button>
  </fieldset>
)

/** Adds on Enter, at a comma, and by the button. */
const AddText = ({
  label,
  action,
  isFocused = false,
  onAdd,
}: {
  label: string
  action: string
  isFocused?: boolean
  onAdd: (text: string) => void
}) => {
  const [text, setText] = useState('')
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (isFocused) input.current?.focus()
  }, [])
  const add = () => {
    const name = text.trim()
    if (name === '') return
    onAdd(name)
    setText('')
  }
  return (
    <div class="add-text">
      <input
        ref={input}
        aria-label={label}
        placeholder={label}
        maxLength={200}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== ',') return
          event.preventDefault()
          add()
        }}
      />
      <Button class="quiet small" onClick={add}>
        {action}
      </Button>
    </div>
  )
}
