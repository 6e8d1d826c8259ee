import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { place } from '../router.ts'
import { ChevronIcon } from './icons.tsx'
import { type MenuItem, MenuLink, MenuList } from './menu-links.tsx'

/** `isKept`: opened by a press, so it stays when the pointer leaves. */
type Opened = { id: string; isKept: boolean }

/** A pointer that only passes by opens nothing, and one that cuts a corner closes nothing. */
const hoverMs = 120

/**
 * The menu of a wide window. Each entry is a link, and a button beside it shows what is below it: by press, by touch, by
 * key, or while a mouse rests there. Escape, a press elsewhere and leaving with the focus close it.
 */
export const DeskMenu = ({ items }: { items: MenuItem[] }) => {
  const here = place.value
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
  // Before the browser paints: an Escape right after opening must not be lost.
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
            onPress={() => open(opened?.id === item.id && opened.isKept ? null : { id: item.id, isKept: true })}
            onHover={() => openSoon((now) => (now?.id === item.id ? now : { id: item.id, isKept: false }))}
            onUnhover={() => openSoon((now) => (now?.id === item.id && !now.isKept ? null : now))}
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
