import type { StoreId } from '../context.ts'

/** Less than a second, because answers that are made of it may be cached for a while too. */
const maxAgeMs = 500
const maxKept = 20_000

/** `asOfMs`: all of it was read after this time, a result of `performance.now()`. */
type Kept<Value> = { asOfMs: number; values: Map<string, Value> }

export type KeptBriefly<Value> = {
  /**
   * What is known of a store. It is changed in place by whoever reads more: if something has changed meanwhile, that is put into
   * a map that nobody uses any more.
   */
  open(storeId: StoreId): Kept<Value>
  /** Call it after adding so many values. */
  noteAdded(count: number): void
  /** Something in the store may have changed. */
  drop(storeId: StoreId): void
  dropAll(): void
}

/** Keeps what many searches ask the database for, for a moment and until a change of the store is announced. */
export const keepBriefly = <Value>(): KeptBriefly<Value> => {
  let kept = new Map<StoreId, Kept<Value>>()
  let size = 0
  const dropAll = () => {
    kept = new Map()
    size = 0
  }
  return {
    open: (storeId) => {
      const known = kept.get(storeId)
      const nowMs = performance.now()
      if (known !== undefined && nowMs < known.asOfMs + maxAgeMs) return known
      const empty = { asOfMs: nowMs, values: new Map<string, Value>() }
      kept.set(storeId, empty)
      return empty
    },
    noteAdded: (count) => {
      size += count
      if (size > maxKept) dropAll()
    },
    drop: (storeId) => void kept.delete(storeId),
    dropAll,
  }
}
