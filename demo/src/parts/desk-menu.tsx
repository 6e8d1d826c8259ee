import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ChevronIcon } from '../../../ui/icons.tsx'
import { route } from '../../../ui/router.ts'
import { type MenuItem, MenuLink, MenuList } from './menu-links.tsx'

/** `isPinned`: opened by a click, so it stays open when the pointer leaves. */
type Opened = { id: string; isPinned: boolean }

/** The delay keeps the menu from opening when the pointer only passes, and from closing when it cuts a corner. */
const hoverMs = 120

/**
 * The menu of a wide window. Each entry is a link with a button that opens its submenu: by click, by touch, by key, or
 * by hovering. Escape, a click elsewhere and moving the focus away close it.
 */
export const DeskMenu = ({ items }: { items: MenuItem[] }) => {
  const here = route.value
  const [opened, setOpened] = useState<Opened | null>(null)
  const nav = useRef<HTMLElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const open = (next: Opened | null) => {
    clearTimeout(timer.current)
    setOpened(next)
  }
  const openSoon = (next: (now: Opened | null) => Opened | null) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setOpened(next), hoverMs)
  }

  useEffect(() => open(null), [here])
  // A layout effect, which runs before the browser paints, so that an Escape right after opening is not missed.
  useLayoutEffect(() => {
    if (opened === null) return
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      const inside = nav.current?.querySelector(`[data-menu="${opened.id}"]`)
      if (inside?.contains(document.activeElement)) inside.querySelector('button')?.focus()
      open(null)
    }
    const onPointerDown = (event: Event) => {
      if (!nav.current?.contains(event.target as Node)) open(null)
    }
    document.addEventListener('keydown', onKeyDown)
    document.addEventListener('pointerdown', onPointerDown)
    return () => {
      document.removeEventListener('keydown', onKeyDown)
      document.removeEventListener('pointerdown', onPointerDown)
    }
  }, [opened])

  return (
    <nav class="nav" aria-label="Categories" ref={nav}>
      <ul>
        {items.map((item) => (
          <DeskMenuEntry
            key={item.id}
            item={item}
            isOpen={opened?.id === item.id}
            onPress={() => open(opened?.id === item.id && opened.isPinned ? null : { id: item.id, isPinned: true })}
            onHover={() => openSoon((now) => (now?.id === item.id ? now : { id: item.id, isPinned: false }))}
            onUnhover={() => openSoon((now) => (now?.id === item.id && !now.isPinned ? null : now))}
            onLeave={() => open(null)}
          />
        ))}
      </ul>
    </nav>
  )
}

type EntryProps = {
  item: MenuItem
  isOpen: boolean
  onPress: () => void
  onHover: () => void
  onUnhover: () => void
  onLeave: () => void
}

const DeskMenuEntry = ({ item, isOpen, onPress, onHover, onUnhover, onLeave }: EntryProps) => {
  const listId = useId()
  const children = item.children ?? []
  if (children.length === 0) {
    return (
      <li>
        <MenuLink item={item} />
      </li>
    )
  }
  return (
    <li
      data-menu={item.id}
      onPointerEnter={(event) => event.pointerType === 'mouse' && onHover()}
      onPointerLeave={(event) => event.pointerType === 'mouse' && onUnhover()}
      onFocusOut={(event) => {
        const next = event.relatedTarget as Node | null
        if (isOpen && next && !event.currentTarget.contains(next)) onLeave()
      }}
    >
      <MenuLink item={item} />
      <button
        type="button"
        class="submenu-button"
        aria-label={`${item.label}, more pages`}
        aria-expanded={isOpen}
        aria-controls={listId}
        onClick={onPress}
      >
        <ChevronIcon />
      </button>
      <div class="submenu" id={listId} hidden={!isOpen}>
        <MenuList items={children} />
      </div>
    </li>
  )
}
