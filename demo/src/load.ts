import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

export type Loaded<T> = { status: 'loading' } | { status: 'failed'; error: unknown } | { status: 'ready'; value: T }

const remembered = new Map<string, unknown>()

/** What was loaded for one customer must not be seen by the next. */
export const forgetLoaded = () => remembered.clear()

/**
 * Loads what a page shows. What was loaded before is shown at once and brought up to date behind it, so that the way
 * back is instant and ends where it began.
 */
export const useLoad = <T>(key: string, read: (signal: AbortSignal) => Promise<T>) => {
  const [held, setHeld] = useState<{ key: string; loaded: Loaded<T> } | null>(null)
  const [round, setRound] = useState(0)
  const latestRead = useRef(read)
  latestRead.current = read

  // Another round is asked for by its number alone.
  useEffect(() => {
    const abort = new AbortController()
    latestRead.current(abort.signal).then(
      (value) => {
        if (abort.signal.aborted) return
        remembered.set(key, value)
        setHeld({ key, loaded: { status: 'ready', value } })
      },
      (error) => {
        if (abort.signal.aborted || remembered.has(key)) return
        setHeld({ key, loaded: { status: 'failed', error } })
      },
    )
    return () => abort.abort()
  }, [key, round])

  const reload = useCallback(() => {
    setHeld((now) => (now?.loaded.status === 'failed' ? null : now))
    setRound((count) => count + 1)
  }, [])
  const replace = useCallback(
    (value: T) => {
      remembered.set(key, value)
      setHeld({ key, loaded: { status: 'ready', value } })
    },
    [key],
  )
  const loaded: Loaded<T> =
    held?.key === key
      ? held.loaded
      : remembered.has(key)
        ? { status: 'ready', value: remembered.get(key) as T }
        : { status: 'loading' }
  return { loaded, reload, replace }
}

/** A form field that survives a reload of the page, and ends with the tab. */
export const useDraft = <T>(name: string, initial: T) => {
  const [value, setValue] = useState<T>(() => readDraft(name) ?? initial)
  const keep = useCallback(
    (next: T) => {
      setValue(next)
      try {
        sessionStorage.setItem(`shop.draft.${name}`, JSON.stringify(next))
      } catch {
        // Without storage a draft lasts as long as the page.
      }
    },
    [name],
  )
  return [value, keep] as const
}

const readDraft = <T>(name: string): T | null => {
  try {
    return JSON.parse(sessionStorage.getItem(`shop.draft.${name}`) ?? 'null') as T | null
  } catch {
    return null
  }
}

export const dropDrafts = (...names: string[]) => {
  try {
    for (const name of names) sessionStorage.removeItem(`shop.draft.${name}`)
  } catch {
    // There is nothing to drop where nothing can be kept.
  }
}
