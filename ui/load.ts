import { signal } from '@preact/signals'
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { hasReturned } from './router.ts'

export type Loaded<T> = { status: 'loading' } | { status: 'failed'; error: unknown } | { status: 'ready'; value: T }

/** `isExtended`: further pages were appended, which reading the first page again would drop. */
type LoadCache = Map<string, { value: unknown; isExtended: boolean }>

let loadCache: LoadCache = new Map()

const failedRound = signal(0)

/** Reads again what could not be read, such as after signing in again. */
export const retryFailedLoads = () => {
  failedRound.value++
}

/** One person must never see data of another. A new map, so that reads in progress write to the old one. */
export const clearLoadCache = () => {
  loadCache = new Map()
}

/**
 * Loads the data of a page. Cached data is shown at once and refreshed in the background, so that going back is instant
 * and restores the scroll position. Extended lists are not refreshed on the way back.
 */
export const useLoad = <T>(key: string, read: (signal: AbortSignal) => Promise<T>) => {
  const [current, setCurrent] = useState<{ key: string; loaded: Loaded<T> } | null>(null)
  const [round, setRound] = useState(0)
  const [cache] = useState(() => loadCache)
  const pending = useRef<{ key: string; abort: AbortController } | null>(null)
  const latest = useRef({ key, read })
  latest.current = { key, read }

  // Before the first frame is drawn, so that the read does not wait for it. `round` is a dependency because a new number
  // requests another read.
  useLayoutEffect(() => {
    if (hasReturned() && cache.get(key)?.isExtended) return
    const abort = new AbortController()
    pending.current = { key, abort }
    latest.current.read(abort.signal).then(
      (value) => {
        if (abort.signal.aborted) return
        cache.set(key, { value, isExtended: false })
        setCurrent({ key, loaded: { status: 'ready', value } })
      },
      (error) => {
        if (abort.signal.aborted || cache.has(key)) return
        setCurrent({ key, loaded: { status: 'failed', error } })
      },
    )
    return () => abort.abort()
  }, [key, round])

  const reload = useCallback(() => {
    setCurrent((now) => (now?.loaded.status === 'failed' ? null : now))
    setRound((count) => count + 1)
  }, [])
  const hasFailed = current?.key === key && current.loaded.status === 'failed'
  const failures = failedRound.value
  const retried = useRef(failures)
  useEffect(() => {
    if (retried.current === failures) return
    retried.current = failures
    if (hasFailed) reload()
  }, [failures, hasFailed])
  const put = useCallback(
    (value: T, isExtended: boolean) => {
      // The result of an earlier read would overwrite this value.
      if (pending.current?.key === key) pending.current.abort.abort()
      cache.set(key, { value, isExtended })
      if (latest.current.key === key) setCurrent({ key, loaded: { status: 'ready', value } })
    },
    [key],
  )
  const replace = useCallback((value: T) => put(value, false), [put])
  const extend = useCallback((value: T) => put(value, true), [put])
  const known = cache.get(key)
  const loaded: Loaded<T> =
    current?.key === key ? current.loaded : known ? { status: 'ready', value: known.value as T } : { status: 'loading' }
  return { loaded, reload, replace, extend }
}

/** A form value that survives a reload and is deleted with the tab. */
export const useDraft = <T>(name: string, initial: T) => {
  const [value, setValue] = useState<T>(() => readDraft(name) ?? initial)
  const keep = useCallback(
    (next: T) => {
      setValue(next)
      keepDraft(name, next)
    },
    [name],
  )
  return [value, keep] as const
}

export const keepDraft = (name: string, value: unknown) => {
  try {
    sessionStorage.setItem(`draft.${name}`, JSON.stringify(value))
  } catch {
    // Without storage, a draft lasts until the page is closed.
  }
}

export const readDraft = <T>(name: string): T | null => {
  try {
    return JSON.parse(sessionStorage.getItem(`draft.${name}`) ?? 'null') as T | null
  } catch {
    return null
  }
}

/** Deletes everything that this tab has kept for another person. Null: nobody is signed in. */
export const claimDrafts = (owner: string | null) => {
  if (readDraft('owner') === owner) return
  try {
    sessionStorage.clear()
  } catch {
    // Without storage there are no drafts to delete.
  }
  keepDraft('owner', owner)
}

export const dropDrafts = (...names: string[]) => {
  try {
    for (const name of names) sessionStorage.removeItem(`draft.${name}`)
  } catch {
    // Without storage there are no drafts to delete.
  }
}
