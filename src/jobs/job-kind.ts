/** A store with due items. `waiting` may be capped where counting all of them would be slow. */
export type DueStore = { storeId: number; waiting: number; oldestAt: Date }

/**
 * One kind of background work (decision 0030). Due rows are in a table of the feature. Finding them and working on them
 * are separate steps, and all work is on one store, so that stores can be on different database servers.
 */
export type JobKind<Item> = {
  /** Used in logs and metrics, such as `refund`. */
  name: string
  /** How often an instance polls for due items. `runSoon` starts work between two polls. */
  everyMs: number
  /** Items that run at once on one instance. At most half of them belong to one store. */
  concurrency: number
  /**
   * For a kind whose claim leaves due items behind while others of the store run. When an item ends, its store is claimed
   * again at once; otherwise the rest would wait for the next poll.
   */
  claimsAgain?: boolean
  /** Time limit of one item. Together with the 15 s that a claim may take, it must not exceed the duration of a claim. */
  limitMs: number
  /** Stores with due items, oldest first. Reads only. */
  findDue(): Promise<readonly DueStore[]>
  /**
   * Claims up to `max` due items of a store by setting the time of their next attempt. If this instance is killed,
   * another one takes over at that time.
   */
  claim(storeId: number, max: number): Promise<readonly Item[]>
  /**
   * May return `FollowedBy` an item that it has claimed, which then runs in the same slot. It must claim none once
   * `isStopping()`, because that item would wait until its claim expires.
   */
  run(item: Item, signal: AbortSignal, isStopping: () => boolean): Promise<unknown>
  /** Schedules the next attempt of a failed item, with a longer delay after each failure. */
  postpone?(item: Item, error: unknown): Promise<unknown>
  /** The trace that the item belongs to (`saveTrace`), if it has one. */
  traceOf?(item: Item): string | null
  /** Ids for the log. Never a secret. */
  describe(item: Item): JobFields
}

export class FollowedBy<Item> {
  readonly next: Item

  constructor(next: Item) {
    this.next = next
  }
}

export type JobFields = Readonly<Record<string, string | number>>

/** State of one kind on this instance. `waiting` and `oldestAt` come from the last poll and cover all instances. */
export type JobStats = {
  name: string
  waiting: number
  oldestAt: Date | null
  running: number
  done: number
  failed: number
}

/** Called for each failure. `fields.step` is set if not an item failed, but its poll, claim or postponement. */
export type OnJobFailure = (name: string, error: unknown, fields: JobFields) => void
