import { createLocalCounter, type RateCounter, windowMs } from '../features/access/rate-limit.ts'
import type { CountedCall } from './messages.ts'

/** Marks the call of a key, whose counts are never dropped, unlike those of client addresses. */
const byKey = 0

type SharedCounter = RateCounter & {
  /** The counts of a batch that was sent. */
  receive(batch: number, counts: readonly number[]): void
}

export type CounterLine = {
  count(batch: number, calls: readonly CountedCall[]): void
  uncount(call: CountedCall): void
}

/**
 * Counts in the main process, so that limits are exact across workers. The calls of one turn of the event loop are sent
 * as one message: the more requests there are, the less a count costs.
 */
export const createSharedCounter = (line: CounterLine): SharedCounter => {
  const underway = new Map<number, ((count: number) => void)[]>()
  let calls: CountedCall[] = []
  let waiting: ((count: number) => void)[] = []
  let batches = 0
  const flush = () => {
    const batch = ++batches
    underway.set(batch, waiting)
    line.count(batch, calls)
    calls = []
    waiting = []
  }
  const count = (id: string, lengthMs: number, nowMs: number) =>
    new Promise<number>((resolve) => {
      if (calls.push([id, lengthMs, nowMs]) === 1) setImmediate(flush)
      waiting.push(resolve)
    })
  return {
    tallyOf: (keyId) => (nowMs) => count(keyId, byKey, nowMs),
    count,
    uncount: (...call) => line.uncount(call),
    close: async () => {},
    receive: (batch, counts) => {
      const resolvers = underway.get(batch) ?? []
      underway.delete(batch)
      for (const [i, resolve] of resolvers.entries()) resolve(counts[i] ?? 1)
    },
  }
}

/** The side of the main process. */
export const createCountKeeper = () => {
  const counter = createLocalCounter()
  return {
    count: ([id, lengthMs, nowMs]: CountedCall) =>
      lengthMs === byKey ? counter.tallyOf(id)(nowMs) : counter.count(id, lengthMs, nowMs),
    uncount: ([id, lengthMs, nowMs]: CountedCall) => counter.uncount(id, lengthMs || windowMs, nowMs),
  }
}
