import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { hasReturned } from './router.ts'

export type Loaded<T> = { status: 'loading' } | { status: 'failed'; error: unknown } | { status: 'ready'; value: T }

/** `isExtended` when more was added to what a read brings, so that another read would take it away again. */
type Memory = Map<string, { value: unknown; isExtended: boolean }>

let memory: Memory = new Map()

/** What was loaded for one customer must not be seen by the next, nor what is still on its way for the one before. */
export const forgetLoaded = () => {
  memory = new Map()
}

/**
 * Loads what a page shows. What was loaded before is shown at once and brought up to date behind it, so that the way
 * back is instant and ends where it began. What was extended stays as it is on the way back.
 */
export const useLoad = <T>(key: string, read: (signal: AbortSignal) => Promise<T>) => {
  const [held, setHeld] = useState<{ key: string; loaded: Loaded<T> } | null>(null)
  const [round, setRound] = useState(0)
  const [remembered] = useState(() => memory)
  const underWay = useRef<{ key: string; abort: AbortController } | null>(null)
  const latest = useRef({ key, read })
  latest.current = { key, read }

  // Another round is asked for by its number alone.
  useEffect(() => {
    if (hasReturned() && remembered.get(key)?.isExtended) return
    const abort = new AbortController()
    underWay.current = { key, abort }
    latest.current.read(abort.signal).then(
      (value) => {
        if (abort.signal.aborted) return
        remembered.set(key, { value, isExtended: false })
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
  const put = useCallback(
    (value: T, isExtended: boolean) => {
      // A read that began before would undo this.
      if (underWay.current?.key === key) underWay.current.abort.abort()
      remembered.set(key, { value, isExtended })
      if (latest.current.key === key) setHeld({ key, loaded: { status: 'ready', value } })
    },
    [key],
  )
  const replace = useCallback((value: T) => put(value, false), [put])
  const extend = useCallback((value: T) => put(value, true), [put])
  const known = remembered.get(key)
  const loaded: Loaded<T> =
    held?.key === key ? held.loaded : known ? { status: 'ready', value: known.value as T } : { status: 'loading' }
  return { loaded, reload, replace, extend }
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
