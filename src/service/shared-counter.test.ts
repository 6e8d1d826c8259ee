import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCountKeeper, createSharedCounter } from './shared-counter.ts'

/** Two workers and their main process, with messages that arrive later. */
const openPair = () => {
  const keeper = createCountKeeper()
  let messages = 0
  const newWorker = () => {
    const counter = createSharedCounter({
      count: (batch, calls) => {
        messages++
        setImmediate(() => counter.receive(batch, calls.map(keeper.count)))
      },
      uncount: keeper.uncount,
    })
    return counter
  }
  return { workers: [newWorker(), newWorker()] as const, messages: () => messages }
}

test('two workers count together, and a worker asks once for all calls of a turn', async () => {
  const { workers, messages } = openPair()
  const [a, b] = workers
  const tallies = [a.tallyOf('key'), b.tallyOf('key')]
  const counts = await Promise.all(Array.from({ length: 100 }, (_, i) => tallies[i % 2]?.(0)))
  assert.deepEqual(
    counts.map(Number).sort((x, y) => x - y),
    Array.from({ length: 100 }, (_, i) => i + 1),
  )
  assert.equal(messages(), 2)
  assert.deepEqual([await a.count('ip', 1000, 0), await b.count('ip', 1000, 0)], [1, 2])
  b.uncount('ip', 1000, 0)
  assert.deepEqual([await a.count('ip', 1000, 0), await a.count('ip', 1000, 1000)], [2, 1])
})
