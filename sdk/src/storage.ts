type MaybePromise<T> = T | Promise<T>

/** Where a client keeps what must outlive a call. It is read on every call, so several clients can share one. */
export type ClientStorage = {
  get(name: string): MaybePromise<string | null>
  set(name: string, value: string): MaybePromise<void>
  remove(name: string): MaybePromise<void>
}

export const memoryStorage = (): ClientStorage => {
  const values = new Map<string, string>()
  return {
    get: (name) => values.get(name) ?? null,
    set: (name, value) => void values.set(name, value),
    remove: (name) => void values.delete(name),
  }
}

/** `localStorage`, `sessionStorage`, and what looks like them. */
export type WebStorage = {
  getItem(name: string): string | null
  setItem(name: string, value: string): void
  removeItem(name: string): void
}

/** The prefix keeps several shops on one origin apart. */
export const webStorage = (storage: WebStorage, prefix = ''): ClientStorage => ({
  get: (name) => storage.getItem(prefix + name),
  set: (name, value) => storage.setItem(prefix + name, value),
  remove: (name) => storage.removeItem(prefix + name),
})

/**
 * A storage that cannot fail. Browsers refuse to store for many reasons, and a shopper with a full disk shall be able
 * to shop all the same: what could not be written is remembered here instead, until it can.
 */
export const forgiving = (storage: ClientStorage): ClientStorage => {
  const unwritten = new Map<string, string | null>()
  const write = async (name: string, value: string | null) => {
    try {
      await (value === null ? storage.remove(name) : storage.set(name, value))
      unwritten.delete(name)
    } catch {
      unwritten.set(name, value)
    }
  }
  return {
    get: async (name) => {
      const value = unwritten.get(name)
      if (value !== undefined) return value
      try {
        return (await storage.get(name)) ?? null
      } catch {
        return null
      }
    },
    set: write,
    remove: (name) => write(name, null),
  }
}
