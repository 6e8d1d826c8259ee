import { useLayoutEffect, useReducer } from 'preact/hooks'

/** A value that several parts of the page look at. Whoever looks is drawn again when it changes. */
export type Store<T> = {
  get: () => T
  set: (value: T) => void
  subscribe: (listener: () => void) => () => void
}

export const createStore = <T>(value: T): Store<T> => {
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return
      value = next
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

export const useStore = <T>(store: Store<T>): T => {
  const [, redraw] = useReducer((count: number, _action: undefined) => count + 1, 0)
  const shown = store.get()
  // What was shown matters only at the moment of subscribing.
  useLayoutEffect(() => {
    // A change between drawing and subscribing would otherwise be missed.
    if (!Object.is(store.get(), shown)) redraw(undefined)
    return store.subscribe(() => redraw(undefined))
  }, [store])
  return shown
}
