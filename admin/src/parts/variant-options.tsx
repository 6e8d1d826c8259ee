import { useState } from 'preact/hooks'
import { CloseIcon } from '../../../ui/icons.tsx'
import { Button } from '../../../ui/states.tsx'
import { counted } from '../format.ts'
import type { Draft, Option } from './product-draft.ts'
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
}: {
  grid: Grid
  restore: Restore
  onChange: (grid: Grid) => void
}) => {
  const missing = missingRows(grid, restore).length
  return (
    <div class="options">
      {grid.options.map((option) => (
        <OptionField
          key={option.name}
          option={option}
          onAdd={(value) => onChange(addValue(grid, option.name, value, restore))}
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
    </div>
  )
}

const OptionField = ({
  option: { name, values },
  onAdd,
  onRemoveValue,
  onRemove,
}: {
  option: Option
  onAdd: (value: string) => void
  onRemoveValue: (value: string) => void
  onRemove: () => void
}) => (
  <fieldset class="option">
    <legend class="field-legend">{name}</legend>
    <ul class="values">
      {values.map((value) => (
        <li class="value" key={value}>
          {value}
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
    <button type="button" class="text-button" onClick={onRemove}>
      Remove {name}
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
  const add = () => {
    const name = text.trim()
    if (name === '') return
    onAdd(name)
    setText('')
  }
  return (
    <div class="add-text">
      <input
        ref={(input) => {
          if (isFocused && input && input.value === '' && document.activeElement?.tagName === 'BODY') input.focus()
        }}
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
