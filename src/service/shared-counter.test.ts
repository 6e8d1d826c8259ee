import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPermitNetwork } from './fixture.ts'
import { createCountKeeper, createSharedCounter } from './shared-counter.ts'

/** Two workers and their main process, with messages that arrive later. */
const openPair = () => {
  const keeper = createCountKeeper()
  const network = openPermitNetwork(2)
  let messages = 0
  const newWorker = (number: number) => {
    const counter = createSharedCounter(
      {
        count: (batch, calls) => {
          messages++
          setImmediate(() => counter.receive(batch, calls.map(keeper.count)))
        },
        uncount: keeper.uncount,
      },
      network.worker(number),
    )
    return counter
  }
  return { workers: [newWorker(1), newWorker(2)] as const, network, messages: () => messages }
}

const oneTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1)
const sorted = (counts: readonly unknown[]) => counts.map(Number).sort((x, y) => x - y)

test('two workers count together, and a worker asks once for all calls of a turn', async () => {
  const { workers, network } = openPair()
  const tallies = workers.map((worker) => worker.tallyOf('key', 1_000))
  const calls = Array.from({ length: 100 }, (_, i) => tallies[i % 2]?.(0))
  await network.settle()
  assert.deepEqual(sorted(await Promise.all(calls)), oneTo(100))
  assert.equal(network.messages(), 4, 'two asks and two answers')
  const visits = workers.map((worker) => worker.count('visitor', 60_000, 0, 1))
  await network.settle()
  assert.deepEqual(sorted(await Promise.all(visits)), oneTo(2))
})

test('counts without a limit are exact, can be undone, and have their own windows', async () => {
  const { workers, messages } = openPair()
  const [a, b] = workers
  assert.deepEqual(sorted(await Promise.all(oneTo(10).map(() => a.count('many', 1_000, 0)))), oneTo(10))
  assert.equal(messages(), 1)
  assert.deepEqual([await a.count('ip', 1000, 0), await b.count('ip', 1000, 0)], [1, 2])
  b.uncount('ip', 1000, 0)
  assert.deepEqual([await a.count('ip', 1000, 0), await a.count('ip', 1000, 1000)], [2, 1])
})
