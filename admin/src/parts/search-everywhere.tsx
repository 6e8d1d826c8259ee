import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Dialog } from '../../../ui/dialog.tsx'
import { SearchIcon } from '../../../ui/icons.tsx'
import { route } from '../../../ui/router.ts'
import { Problem } from '../../../ui/states.tsx'
import { money } from '../format.ts'
import { admin, may, pathTo, store } from '../session.ts'
import { SearchField } from './search-field.tsx'

const isOpen = signal(false)

export const openSearch = () => {
  isOpen.value = true
}

const isTyping = ({ target }: Event) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** Ctrl+K, Cmd+K, or a slash outside of a field. */
const isShortcut = (event: KeyboardEvent) =>
  ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') || (event.key === '/' && !isTyping(event))

type Hit = { href: string; title: string; detail: string }
type Group = { title: string; hits: Hit[] }

/** The first hits among what the person may read. */
const searchAll = async (q: string): Promise<Group[]> => {
  const limit = 5
  const orders = async (): Promise<Group> => ({
    title: 'Orders',
    hits: (await admin().listOrders({ q, limit })).items.map(({ id, number, customer, total, currency }) => ({
      href: pathTo(`orders/${id}`),
      title: number,
      detail: [customer.name || customer.email || customer.phone, money(total, currency)].filter(Boolean).join(' · '),
    })),
  })
  const products = async (): Promise<Group> => ({
    title: 'Products',
    hits: (await admin().listProducts({ q, limit })).items.map(({ id, name, price, currency }) => ({
      href: pathTo(`products/${id}`),
      title: name,
      detail: money(price, currency),
    })),
  })
  const customers = async (): Promise<Group> => ({
    title: 'Customers',
    hits: (await admin().listCustomers({ q, limit })).items.map(({ id, name, email, phone }) => ({
      href: pathTo(`customers/${id}`),
      title: name || email || phone || 'No name',
      detail: (name && (email || phone)) || '',
    })),
  })
  const groups = await Promise.all([
    ...(may('orders:read') ? [orders()] : []),
    ...(may('catalog:read') ? [products()] : []),
    ...(may('customers:read') ? [customers()] : []),
  ])
  return groups.filter(({ hits }) => hits.length > 0)
}

/** Finds orders, products and customers from every screen. */
export const SearchEverywhere = () => {
  const { path } = route.value
  const hasStore = store.value !== null
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (!hasStore || !isShortcut(event)) return
      event.preventDefault()
      openSearch()
    }
    document.addEventListener('keydown', open)
    return () => document.removeEventListener('keydown', open)
  }, [hasStore])
  useEffect(() => {
    isOpen.value = false
  }, [path])
  if (!hasStore || !isOpen.value) return null
  const close = () => {
    isOpen.value = false
  }
  return (
    <Dialog title="Search" onClose={close} isWide>
      <Results onClose={close} />
    </Dialog>
  )
}

const Results = ({ onClose }: { onClose: () => void }) => {
  const [q, setQ] = useState('')
  const [found, setFound] = useState<{ q: string; groups: Group[] } | null>(null)
  const [error, setError] = useState<unknown>(null)
  const latest = useRef(q)
  latest.current = q
  useEffect(() => {
    if (q === '') return
    setError(null)
    searchAll(q).then(
      (groups) => latest.current === q && setFound({ q, groups }),
      (thrown) => latest.current === q && setError(thrown),
    )
  }, [q])
  const isFound = found !== null && found.q === q
  const isEmpty = isFound && found.groups.length === 0
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between links, which Tab reaches too.
    <div
      class="search-everywhere"
      onKeyDown={(event) => {
        // In a search field Chromium only empties the field.
        if (event.key === 'Escape') onClose()
        else if (event.key === 'Enter' && isFound && event.target instanceof HTMLInputElement)
          event.currentTarget.querySelector('a')?.click()
        else moveFocus(event)
      }}
    >
      <SearchField isFirst label="Search orders, products and customers" value={q} onSearch={setQ} />
      {error !== null && <Problem error={error} />}
      <p class="quiet-text" role="status">
        {q === '' && 'A number, a name, a phone number, an email address or a SKU.'}
        {isEmpty && `Nothing matches “${q}”.`}
      </p>
      {q !== '' &&
        found?.groups.map(({ title, hits }) => (
          <section key={title}>
            <h3>{title}</h3>
            <ul class="hits">
              {hits.map(({ href, title: name, detail }) => (
                <li key={href}>
                  <a href={href}>
                    <span>{name}</span>
                    <span class="quiet-text">{detail}</span>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
    </div>
  )
}

const moveFocus = (event: KeyboardEvent) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const list = event.currentTarget
  if (step === undefined || !(list instanceof HTMLElement)) return
  const places: (Element | null)[] = [...list.querySelectorAll('input, a')]
  const at = places.indexOf(document.activeElement)
  const next = places[at + step]
  if (!(next instanceof HTMLElement)) return
  event.preventDefault()
  next.focus()
}

/** In the header. */
export const SearchButton = () => (
  <button type="button" class="search-button" aria-keyshortcuts="Control+K /" onClick={openSearch}>
    <SearchIcon />
    <span>Search</span>
    <kbd>/</kbd>
  </button>
)
