import { useEffect, useRef, useState } from 'preact/hooks'
import { SearchIcon } from '../../../ui/icons.tsx'

const waitMs = 250

/** Searches while the person types, after a short pause. */
export const SearchField = ({
  label,
  value,
  isFirst = false,
  onSearch,
}: {
  label: string
  /** The dialog that it is in begins with it. */
  isFirst?: boolean
  value: string
  onSearch: (text: string) => void
}) => {
  const [typed, setTyped] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => setTyped(value), [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const search = (text: string) => {
    clearTimeout(timer.current)
    onSearch(text.trim())
  }
  return (
    <search class="search-field">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          search(typed)
        }}
      >
        <SearchIcon />
        <input
          type="search"
          aria-label={label}
          placeholder={label}
          value={typed}
          maxLength={100}
          {...{ autofocus: isFirst }}
          onInput={(event) => {
            const text = event.currentTarget.value
            setTyped(text)
            clearTimeout(timer.current)
            timer.current = setTimeout(() => search(text), waitMs)
          }}
        />
      </form>
    </search>
  )
}
