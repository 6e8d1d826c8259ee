import { seconds } from './clock.ts'
import { createLru } from './lru.ts'

/** The last calls with this key have all failed, so this one was not made. */
export class CircuitOpen extends Error {
  override name = 'CircuitOpen'
}

type State = { failures: number; openUntilMs: number }

export type CircuitOptions = {
  nowMs: () => number
  /** Failures in a row that open the circuit. */
  maxFailures?: number
  openMs?: number
  /** Whether an error means that the other side is down. A refusal does not. */
  isFailure: (error: unknown) => boolean
}

/** `refused`: the other side has answered no. `skipped`: not made, because the circuit is open. */
export type CallOutcome = 'done' | 'refused' | 'failed' | 'skipped'
export type CallCount = { name: string; outcome: CallOutcome; count: number }

export type Circuits = {
  /** `name` is for the counts, `key` chooses the circuit. */
  run<Result>(name: string, key: string, work: () => Promise<Result>): Promise<Result>
  /** Calls since the start. */
  counts(): CallCount[]
}

const maxKeys = 10_000

/**
 * Circuit breakers, one for each key. After repeated failures, calls are refused at once instead of waiting for a time
 * limit each. When the circuit has been open for a while, one call tries again: it closes the circuit or opens it anew.
 */
export const createCircuits = (options: CircuitOptions): Circuits => {
  const { nowMs, maxFailures = 5, openMs = seconds(10), isFailure } = options
  const states = createLru<string, State>(maxKeys)
  const counts = new Map<string, CallCount>()
  const count = (name: string, outcome: CallOutcome) => {
    const known = counts.get(`${name} ${outcome}`)
    if (known === undefined) counts.set(`${name} ${outcome}`, { name, outcome, count: 1 })
    else known.count++
  }
  return {
    counts: () => [...counts.values()],
    run: async (name, key, work) => {
      const before = states.get(key)
      if (before !== undefined && before.failures >= maxFailures) {
        if (nowMs() < before.openUntilMs) {
          count(name, 'skipped')
          throw new CircuitOpen(`${key} failed ${before.failures} times in a row.`)
        }
        // The others wait until this call is decided.
        before.openUntilMs = nowMs() + openMs
      }
      try {
        const result = await work()
        states.delete(key)
        count(name, 'done')
        return result
      } catch (error) {
        count(name, isFailure(error) ? 'failed' : 'refused')
        if (isFailure(error)) {
          const failures = (states.get(key)?.failures ?? 0) + 1
          states.set(key, { failures, openUntilMs: nowMs() + openMs })
        } else {
          states.delete(key)
        }
        throw error
      }
    },
  }
}
