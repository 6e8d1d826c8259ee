import { SelectField, TextField } from '../../../ui/fields.tsx'
import { changeQuery, route } from '../../../ui/router.ts'

/** A filter of a list, in the address. */
export const FilterSelect = ({
  label,
  name,
  options,
  clears,
}: {
  label: string
  /** The parameter of the address. */
  name: string
  /** Without the one for everything. */
  options: readonly (readonly [value: string, text: string])[]
  /** A filter that depends on this one. */
  clears?: string
}) => {
  const value = route.value.query.get(name) ?? ''
  const known = options.some(([option]) => option === value)
  return (
    <SelectField
      {...{ label, name, value }}
      options={[['', 'All'], ...options, ...(value === '' || known ? [] : [[value, value] as const])]}
      onChange={(next) => changeQuery({ [name]: next, ...(clears === undefined ? {} : { [clears]: null }) })}
    />
  )
}

/** A day of the period of a list, in the address. */
export const FilterDay = ({ label, name }: { label: string; name: 'from' | 'to' }) => (
  <TextField
    {...{ label, name, type: 'date', value: route.value.query.get(name) ?? '' }}
    onInput={(day) => changeQuery({ [name]: day })}
  />
)

/** A filter that came with a link, and a way out of it. */
export const OnlyAbout = ({ name, what }: { name: string; what: string }) => (
  <p>
    Only what is about {what}.{' '}
    <button type="button" class="text-button" onClick={() => changeQuery({ [name]: null })}>
      Show everything
    </button>
  </p>
)
