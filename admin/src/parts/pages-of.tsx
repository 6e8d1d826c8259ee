import type { ComponentChildren } from 'preact'
import { type Loaded, useLoad } from '../../../ui/load.ts'
import { Button, Show } from '../../../ui/states.tsx'
import type { Counted, Page, Paged } from '../api.ts'
import { counted } from '../format.ts'
import { store } from '../session.ts'
import { useAction } from './action.ts'
import { useLive } from './live.ts'

type Cursor = { cursor?: string }

export type Pages<Item> = {
  loaded: Loaded<Page<Item> & Counted>
  reload: () => void
  /** Appends the next page. */
  more: () => Promise<void>
}

/**
 * Reads a list page by page. `key` names the list and its filters. With `liveBy`, which names an item, new items appear
 * by themselves: the first page is read again every few seconds.
 */
export const usePages = <Item,>(
  key: string,
  read: (cursor: Cursor) => Paged<Item, Counted>,
  { liveBy }: { liveBy?: (item: Item) => string } = {},
): Pages<Item> => {
  /** A search can stop before it has found something. */
  const readOn = async (cursor: Cursor) => {
    for (let page = await read(cursor); ; page = await read({ cursor: page.nextCursor })) {
      if (page.items.length > 0 || page.nextCursor === null) return page
    }
  }
  const { loaded, reload, replace, extend } = useLoad(`${store.value?.id} ${key}`, () => readOn({}))
  useLive(async () => {
    if (liveBy === undefined || loaded.status !== 'ready') return
    try {
      const first = await readOn({})
      const known = new Set(first.items.map(liveBy))
      const rest = loaded.value.items.filter((item) => !known.has(liveBy(item)))
      if (loaded.value.items.length <= first.items.length) replace(first)
      else extend({ ...first, nextCursor: loaded.value.nextCursor, items: [...first.items, ...rest] })
    } catch {
      // It is read again soon. A session that has ended is noticed by the client.
    }
  })
  const more = async () => {
    if (loaded.status !== 'ready' || loaded.value.nextCursor === null) return
    const next = await readOn({ cursor: loaded.value.nextCursor })
    extend({ ...next, items: [...loaded.value.items, ...next.items] })
  }
  return { loaded, reload, more }
}

/** Shows a list with its count, and a button for more. */
export const PagesOf = <Item,>({
  list: { loaded, reload, more },
  one,
  many,
  empty,
  children,
}: {
  list: Pages<Item>
  /** What an item is called, such as "order". */
  one: string
  many?: string
  empty: ComponentChildren
  children: (items: readonly Item[]) => ComponentChildren
}) => {
  const { isBusy, run } = useAction()
  return (
    <Show loaded={loaded} onRetry={reload}>
      {({ items, total, totalIsExact, nextCursor }) =>
        items.length === 0 ? (
          empty
        ) : (
          <>
            <p class="quiet-text" role="status">
              {totalIsExact ? counted(total, one, many) : `At least ${counted(total, one, many)}`}
            </p>
            {children(items)}
            {nextCursor !== null && (
              <Button class="quiet" isBusy={isBusy} onClick={() => run(more)}>
                Show more
              </Button>
            )}
          </>
        )
      }
    </Show>
  )
}
