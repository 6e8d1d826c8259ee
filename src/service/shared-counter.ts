import { createLocalCounter, type RateCounter, windowMs, windowOf } from '../features/access/rate-limit.ts'
import type { CountedCall } from './messages.ts'
import { type Permits, slotOf } from './permits.ts'

type SharedCounter = RateCounter & {
  /** The counts of a batch that was sent. */
  receive(batch: number, counts: readonly number[]): void
}

export type CounterLine = {
  count(batch: number, calls: readonly CountedCall[]): void
  uncount(call: CountedCall): void
}

/**
 * Counts over all workers, so that limits are exact. Calls with a known limit by the minute need a permit, and busy callers
 * get permits in blocks. Everything else is rare and counted by the main process, with one message for all calls of one
 * turn of the event loop.
 */
export const createSharedCounter = (line: CounterLine, permits: Permits): SharedCounter => {
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
  const ask = (...call: CountedCall) =>
    new Promise<number>((resolve) => {
      if (calls.push(call) === 1) setImmediate(flush)
      waiting.push(resolve)
    })
  return {
    tallyOf: (keyId, limit) => {
      const purse = permits.openPurse('key', keyId, limit)
      return (nowMs) => permits.count(slotOf(purse, windowOf(nowMs)))
    },
    count: (id, lengthMs, nowMs, limit) => {
      if (limit === undefined || lengthMs !== windowMs) return ask(id, lengthMs, nowMs)
      return permits.count(slotOf(permits.openPurse('client', id, limit), windowOf(nowMs)))
    },
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
    count: (call: CountedCall) => counter.count(...call),
    uncount: (call: CountedCall) => counter.uncount(...call),
  }
}
