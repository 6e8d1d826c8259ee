import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cleanupJob } from './cleanup-job.ts'
import { createJobRunner } from './runner.ts'

/** Finds only the oldest store, like a batch that one store fills. */
const fakeTable = (rows: Map<number, number>, remove: (storeId: number) => Promise<number>) => {
  const removals: number[] = []
  const kind = cleanupJob({
    name: 'some-cleanup',
    find: async (exceptStores) => {
      const oldest = [...rows].find(([storeId, count]) => count > 0 && !exceptStores.includes(storeId))
      return oldest === undefined ? [] : [{ storeId: oldest[0], waiting: oldest[1], oldestAt: new Date(0) }]
    },
    remove: ({ storeId }) => {
      removals.push(storeId)
      return remove(storeId)
    },
  })
  const failures: unknown[] = []
  const runner = createJobRunner({ kinds: [kind], onFailure: (_name, error) => failures.push(error) })
  return { runner, removals, failures }
}

test('rows that cannot be deleted do not block the cleanup of other stores', async () => {
  const rows = new Map([
    [1, 500],
    [2, 500],
    [3, 20],
  ])
  const { runner, removals, failures } = fakeTable(rows, async (storeId) => {
    // The rows of store 1 are referenced, and those of store 2 are locked.
    if (storeId === 1) throw new Error('violates foreign key constraint')
    if (storeId === 2) return 0
    rows.set(storeId, 0)
    return 20
  })
  await runner.runDue()
  assert.deepEqual(removals, [1, 2, 3])
  assert.equal(failures.length, 1)
  assert.equal(rows.get(3), 0)
})

test('a store with many batches of due rows is cleaned up in one run', async () => {
  const rows = new Map([[1, 1700]])
  const { runner, removals } = fakeTable(rows, async (storeId) => {
    const left = rows.get(storeId) ?? 0
    rows.set(storeId, Math.max(0, left - 500))
    return Math.min(left, 500)
  })
  await runner.runDue()
  assert.deepEqual([removals.length, rows.get(1)], [4, 0])
})
