/** A store with due items. `waiting` may be capped, where counting all of them would be slow. */
export type DueStore = { storeId: number; waiting: number; oldestAt: Date }

/**
 * One kind of background work (decision 0030). Due rows live in the table of their feature. Finding them and acting on
 * them are separate, and every act is on one store, so that stores can live on different database servers.
 */
export type JobKind<Item> = {
  /** Used in logs and metrics, such as `refund`. */
  name: string
  /** How often an instance looks for due items. `runSoon` starts work between two looks. */
  everyMs: number
  /** Units at once on one instance. At most half of them belong to one store. */
  concurrency: number
  /** Time limit of one unit. With the 15 s that a claim may take, it must not be longer than the claim on an item. */
  limitMs: number
  /** Stores with due items, oldest first. Reads only. */
  findDue(): Promise<readonly DueStore[]>
  /**
   * Claims up to `most` due items of a store by setting the time of their next attempt. Another instance takes over at
   * that time if this one is killed.
   */
  claim(storeId: number, most: number): Promise<readonly Item[]>
  run(item: Item, signal: AbortSignal): Promise<unknown>
  /** Sets the next attempt of an item that failed, later with each failure. */
  postpone?(item: Item, error: unknown): Promise<unknown>
  /** Ids for the log. Never a secret. */
  describe(item: Item): JobFields
}

export type JobFields = Readonly<Record<string, string | number>>

/** State of one kind on this instance. `waiting` and `oldestAt` are those of the last look, for all instances. */
export type JobFigures = {
  name: string
  waiting: number
  oldestAt: Date | null
  running: number
  done: number
  failed: number
}

/** Gets each failure of a unit, a claim or a look. */
export type OnJobFailure = (name: string, error: unknown, fields: JobFields) => void
