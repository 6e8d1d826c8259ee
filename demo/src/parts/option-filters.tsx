import { useState } from 'preact/hooks'
import { useLoad } from '../../../ui/load.ts'
import { changeQuery, route } from '../../../ui/router.ts'
import { formatOptions, type OptionPair, parseOptions } from '../option-filter.ts'
import { shop } from '../shop.ts'

/** Filters a list by options such as size and colour. Optional: if they cannot be loaded, the list still works. */
export const OptionFilters = ({ of }: { of: { category: string } | { q: string } }) => {
  const { query } = route.value
  const chosen = parseOptions(query.get('options') ?? '')
  const [isOpen, setOpen] = useState(chosen.length > 0)
  const { loaded } = useLoad(`filters ${JSON.stringify(of)}`, (signal) => shop.listFilters(of, { signal }))
  const offered = loaded.status === 'ready' ? loaded.value.options.filter(({ values }) => values.length > 1) : []
  if (offered.length === 0) return null
  const isChosen = (pair: OptionPair) => chosen.some((other) => isSame(other, pair))
  const toggle = (pair: OptionPair) => {
    const others = chosen.filter((other) => !isSame(other, pair))
    changeQuery({ options: formatOptions(others.length < chosen.length ? others : [...chosen, pair]) })
  }
  return (
    <details class="option-filters" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Options{chosen.length > 0 && <span class="quiet-text"> {chosen.map(([, value]) => value).join(', ')}</span>}
      </summary>
      {offered.map(({ name, values }) => (
        <fieldset class="options" key={name}>
          <legend>{name}</legend>
          {values.map(({ value }) => (
            <label class="option" key={value}>
              <input type="checkbox" checked={isChosen([name, value])} onChange={() => toggle([name, value])} />
              <span>{value}</span>
            </label>
          ))}
        </fieldset>
      ))}
    </details>
  )
}

const isSame = ([name, value]: OptionPair, [otherName, otherValue]: OptionPair) =>
  name === otherName && value === otherValue
