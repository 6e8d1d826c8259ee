import type { ComponentChildren } from 'preact'
import type { AdminOrder } from '../../api.ts'
import { Thumb } from '../thumb.tsx'

export type OrderLine = AdminOrder['items'][number]

export const nameOfLine = ({ name, variant }: Pick<OrderLine, 'name' | 'variant'>) =>
  variant === '' ? name : `${name}, ${variant}`

export const Picture = ({ line: { image, imageSizes } }: { line: Pick<OrderLine, 'image' | 'imageSizes'> }) => (
  <Thumb of={{ url: image, sizes: imageSizes }} />
)

/** Units by the id of their line. */
export type Units = Readonly<Record<string, number>>

export const chosenUnits = (units: Units) =>
  Object.entries(units)
    .filter(([, quantity]) => quantity > 0)
    .map(([id, quantity]) => ({ id, quantity }))

export const countUnits = (units: Units) => Object.values(units).reduce((sum, quantity) => sum + quantity, 0)

/** Chooses units of lines, each up to its limit. */
export const UnitsPicker = ({
  legend,
  lines,
  units,
  onChange,
}: {
  legend: string
  lines: readonly { line: OrderLine; limit: number; remark?: ComponentChildren }[]
  units: Units
  onChange: (units: Units) => void
}) => (
  <fieldset class="units">
    <legend>{legend}</legend>
    <ul>
      {lines.map(({ line, limit, remark }) => (
        <li key={line.id}>
          <Picture line={line} />
          <span class="units-name">
            {nameOfLine(line)}
            {remark && <small>{remark}</small>}
          </span>
          <label class="units-number">
            <span class="hidden">Units of {nameOfLine(line)}</span>
            <input
              type="number"
              min={0}
              max={limit}
              step={1}
              required
              value={units[line.id] ?? 0}
              onInput={(event) =>
                onChange({ ...units, [line.id]: Math.max(0, event.currentTarget.valueAsNumber || 0) })
              }
            />
            <span class="quiet-text">of {limit}</span>
          </label>
        </li>
      ))}
    </ul>
  </fieldset>
)

/** One of a few ways. */
export const ChoiceRow = <Value extends string>({
  legend,
  options,
  value,
  onChange,
}: {
  legend: string
  options: readonly (readonly [value: Value, text: string])[]
  value: Value
  onChange: (value: Value) => void
}) => (
  <fieldset class="choice-row">
    <legend>{legend}</legend>
    {options.map(([option, text]) => (
      <label class="check" key={option}>
        <input type="radio" name="choice" checked={option === value} onChange={() => onChange(option)} />
        <span>{text}</span>
      </label>
    ))}
  </fieldset>
)
