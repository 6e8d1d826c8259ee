import { changeQuery } from '../../../ui/router.ts'

/** Quick filters. The chosen one is in the address, so that a list can be bookmarked and sent. */
export const Tabs = ({
  label,
  parameter = 'show',
  value,
  tabs,
  clears = [],
}: {
  label: string
  /** Of the address. */
  parameter?: string
  value: string
  tabs: readonly (readonly [value: string, text: string])[]
  /** Other parameters that mean nothing behind another tab. */
  clears?: readonly string[]
}) => (
  <fieldset class="tabs">
    <legend class="hidden">{label}</legend>
    {tabs.map(([name, text]) => (
      <button
        type="button"
        class="tab"
        aria-pressed={name === value}
        onClick={() => changeQuery({ ...noValues(clears), [parameter]: name }, { replace: false })}
        key={name}
      >
        {text}
      </button>
    ))}
  </fieldset>
)

const noValues = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]))
