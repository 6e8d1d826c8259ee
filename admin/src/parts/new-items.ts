import { useEffect, useRef, useState } from 'preact/hooks'

const markedMs = 12_000

/** The ids of items that have appeared at the top of a live list by themselves. They are marked for some seconds. */
export const useNewItems = (
  key: string,
  ids: readonly string[] | null,
  onNew: (added: readonly string[]) => void,
): ReadonlySet<string> => {
  const known = useRef<{ key: string; ids: ReadonlySet<string> } | null>(null)
  const timers = useRef<ReturnType<typeof setTimeout>[]>([])
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => () => timers.current.forEach(clearTimeout), [])
  useEffect(() => {
    if (ids === null) return
    const before = known.current
    known.current = { key, ids: new Set([...ids, ...(before?.key === key ? before.ids : [])]) }
    if (before?.key !== key) return
    const end = ids.findIndex((id) => before.ids.has(id))
    // Below the first known item are those of further pages.
    const added = (end < 0 ? (before.ids.size === 0 ? ids : []) : ids.slice(0, end)).filter((id) => !before.ids.has(id))
    if (added.length === 0) return
    onNew(added)
    setMarked((now) => new Set([...now, ...added]))
    const unmark = () => setMarked((now) => new Set([...now].filter((id) => !added.includes(id))))
    timers.current.push(setTimeout(unmark, markedMs))
  }, [key, ids?.join(' ')])
  return marked
}
