import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { SearchIcon } from '../../../ui/icons.tsx'
import { changeQuery, navigate, route } from '../../../ui/router.ts'
import { shop } from '../shop.ts'
import { Picture } from './picture.tsx'

/** The JSX types allow this role only for inputs with a datalist. */
const combobox = (isExpanded: boolean) => ({ role: 'combobox', 'aria-expanded': isExpanded }) as object

type Suggestion = { address: string; name: string; image: string | null }

/** Shows suggestions while the shopper types. On the results page, typing updates the results instead. */
export const SearchBox = () => {
  const { path, query } = route.value
  const isResultPage = path === '/search'
  const [text, setText] = useState(isResultPage ? (query.get('q') ?? '') : '')
  const [found, setFound] = useState<Suggestion[]>([])
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState(-1)
  const listId = useId()
  const box = useRef<HTMLFormElement>(null)

  const queryText = isResultPage ? (query.get('q') ?? '') : ''
  const lastQuery = useRef(queryText)
  // Navigation sets the text from the URL, except for the query that was typed here.
  useEffect(() => {
    setOpen(false)
    if (lastQuery.current !== queryText || path !== '/search') setText(queryText)
    lastQuery.current = queryText
  }, [path, queryText])

  useEffect(() => {
    const words = text.trim()
    setChosen(-1)
    if (words === '') setFound([])
    if (words === '' || (isResultPage && words === lastQuery.current)) return
    const abort = new AbortController()
    const timer = setTimeout(async () => {
      if (!isResultPage) {
        const suggestions = await suggest(words, abort.signal)
        // Old suggestions stay visible until the new ones arrive.
        if (!abort.signal.aborted) setFound(suggestions)
        return
      }
      lastQuery.current = words
      changeQuery({ q: words, category: null, options: null })
    }, 150)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [text, isResultPage])

  const go = (address: string) => {
    setOpen(false)
    navigate(address)
  }
  const submit = (event: Event) => {
    event.preventDefault()
    const pick = isOpen ? found[chosen] : undefined
    if (pick) go(pick.address)
    else if (text.trim()) go(`/search?q=${encodeURIComponent(text.trim())}`)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') setOpen(false)
    if (found.length === 0 || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return
    event.preventDefault()
    setOpen(true)
    const step = event.key === 'ArrowDown' ? 1 : -1
    // One more position than suggestions: -1 is the text as typed.
    setChosen(((chosen + 1 + step + found.length + 1) % (found.length + 1)) - 1)
  }
  const isListShown = isOpen && found.length > 0 && !isResultPage

  return (
    <search>
      <form
        class="search"
        ref={box}
        action="/search"
        onSubmit={submit}
        onFocusOut={(event) => {
          if (!box.current?.contains(event.relatedTarget as Node | null)) setOpen(false)
        }}
      >
        <SearchIcon />
        <input
          type="search"
          name="q"
          {...combobox(isListShown)}
          aria-label="Search the shop"
          aria-autocomplete="list"
          aria-controls={listId}
          aria-activedescendant={isListShown && chosen >= 0 ? `${listId}-${chosen}` : undefined}
          placeholder="Search"
          autocomplete="off"
          maxLength={100}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value)
            setOpen(true)
          }}
          onFocus={() => setOpen(true)}
          onKeyDown={onKeyDown}
        />
        <div id={listId} class="suggestions" role="listbox" aria-label="Suggestions" hidden={!isListShown}>
          {found.map((suggestion, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the input.
            // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus and points at the option.
            <div
              key={suggestion.address}
              id={`${listId}-${index}`}
              class="suggestion"
              role="option"
              aria-selected={index === chosen}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => go(suggestion.address)}
            >
              {suggestion.image === null ? <SearchIcon /> : <Picture src={suggestion.image} size={40} />}
              <span>{suggestion.name}</span>
              {suggestion.image === null && <span class="quiet-text">Category</span>}
            </div>
          ))}
        </div>
        <span class="hidden" role="status">
          {isListShown ? `${found.length} suggestions` : ''}
        </span>
      </form>
    </search>
  )
}

/** Suggestions are optional, so errors are ignored. */
const suggest = async (q: string, signal: AbortSignal): Promise<Suggestion[]> => {
  try {
    const { products, categories } = await shop.suggest({ q }, { signal })
    return [
      ...products.map(({ slug, name, image }) => ({ address: `/product/${slug}`, name, image })),
      ...categories.map(({ slug, name }) => ({ address: `/category/${slug}`, name, image: null })),
    ]
  } catch {
    return []
  }
}
