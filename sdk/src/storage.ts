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

/** A storage that cannot fail. */
export type ForgivingStorage = {
  get(name: string): Promise<string | null>
  set(name: string, value: string): Promise<void>
  remove(name: string): Promise<void>
  /** Like `set`, for a value that must not take the place of one that could not be read just now. */
  setUnlessUnread(name: string, value: string): Promise<void>
}

/**
 * Browsers refuse to store for many reasons, and a shopper with a full disk shall be able to shop all the same. What
 * could not be written is remembered here until it can, and what cannot be read is what it was the last time.
 */
export const forgiving = (storage: ClientStorage): ForgivingStorage => {
  const known = new Map<string, string | null>()
  /** Could not be written, so what is known here is newer. */
  const unwritten = new Set<string>()
  const unread = new Set<string>()
  /** Came while nothing could be read: they give way to what turns out to be stored. */
  const held = new Map<string, string>()

  const write = async (name: string, value: string | null) => {
    known.set(name, value)
    held.delete(name)
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
    const mine = held.get(name)
    unread.delete(name)
    held.delete(name)
    if (stored === null && mine !== undefined) await write(name, mine)
    else known.set(name, stored)
  }

  return {
    get: async (name) => {
      if (!unwritten.has(name)) await read(name).catch(() => unread.add(name))
      return held.get(name) ?? known.get(name) ?? null
    },
    set: write,
    remove: (name) => write(name, null),
    setUnlessUnread: async (name, value) => {
      if (unread.has(name)) held.set(name, value)
      else await write(name, value)
    },
  }
}
