type MaybePromise<T> = T | Promise<T>

/** The storage of a client's state. It is read on every call, so several clients can share one. */
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

/** The interface of `localStorage` and `sessionStorage`. */
export type WebStorage = {
  getItem(name: string): string | null
  setItem(name: string, value: string): void
  removeItem(name: string): void
}

/** The prefix separates several shops on one origin. */
export const webStorage = (storage: WebStorage, prefix = ''): ClientStorage => ({
  get: (name) => storage.getItem(prefix + name),
  set: (name, value) => storage.setItem(prefix + name, value),
  remove: (name) => storage.removeItem(prefix + name),
})

/** A storage that never throws. */
export type SafeStorage = {
  get(name: string): Promise<string | null>
  set(name: string, value: string): Promise<void>
  remove(name: string): Promise<void>
  /** Like `set`, but never replaces a stored value that could not be read. */
  setUnlessUnread(name: string, value: string): Promise<void>
}

/**
 * Browsers refuse to store for many reasons, and a shopper with a full disk must still be able to shop. A value that
 * could not be written stays in memory, and a value that cannot be read is the last known one.
 */
export const withFallback = (storage: ClientStorage): SafeStorage => {
  const known = new Map<string, string | null>()
  /** Names whose write failed: the value in `known` is newer than the stored one. */
  const unwritten = new Set<string>()
  /** Names whose last read failed. */
  const unread = new Set<string>()
  /** Values that were set while reading failed. A stored value replaces them once reading works again. */
  const provisional = new Map<string, string>()

  const write = async (name: string, value: string | null) => {
    known.set(name, value)
    provisional.delete(name)
    try {
      await (value === null ? storage.remove(name) : storage.set(name, value))
      unwritten.delete(name)
    } catch {
      unwritten.add(name)
    }
  }

  const read = async (name: string) => {
    const stored = (await storage.get(name)) ?? null
    if (unwritten.has(name)) return
    const waiting = provisional.get(name)
    unread.delete(name)
    provisional.delete(name)
    if (stored === null && waiting !== undefined) await write(name, waiting)
    else known.set(name, stored)
  }

  return {
    get: async (name) => {
      if (!unwritten.has(name)) await read(name).catch(() => unread.add(name))
      return provisional.get(name) ?? known.get(name) ?? null
    },
    set: write,
    remove: (name) => write(name, null),
    setUnlessUnread: async (name, value) => {
      if (unread.has(name)) provisional.set(name, value)
      else await write(name, value)
    },
  }
}
