import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { FollowedBy, type JobFields, type JobKind } from './job-kind.ts'
import { createJobRunner, type JobRunnerOptions } from './runner.ts'

type Item = { storeId: number; id: number }

/** A kind whose due items are in an array. A claim removes them, and `postpone` records them. */
const fakeKind = (name: string, items: Item[], more: Partial<JobKind<Item>> = {}) => {
  const done: Item[] = []
  const postponed: Item[] = []
  const kind: JobKind<Item> = {
    name,
    everyMs: 5,
    concurrency: 4,
    limitMs: 1000,
    findDue: async () =>
      [...Map.groupBy(items, ({ storeId }) => storeId)].map(([storeId, due]) => ({
        storeId,
        waiting: due.length,
        oldestAt: new Date(0),
      })),
    claim: async (storeId, most) => {
      const claimed = items.filter((item) => item.storeId === storeId).slice(0, most)
      for (const item of claimed) items.splice(items.indexOf(item), 1)
      return claimed
    },
    run: async (item) => void done.push(item),
    postpone: async (item) => void postponed.push(item),
    describe: ({ id }) => ({ id }),
    ...more,
  }
  return { kind, done, postponed, items }
}

const itemsOf = (storeId: number, count: number): Item[] => Array.from({ length: count }, (_, id) => ({ storeId, id }))

const startRunner = (t: TestContext, options: Partial<JobRunnerOptions>) => {
  const failures: { name: string; error: unknown; fields: JobFields }[] = []
  const runner = createJobRunner({
    kinds: [],
    onFailure: (name, error, fields) => failures.push({ name, error, fields }),
    graceMs: 100,
    ...options,
  })
  runner.start()
  // The timers of the runner do not keep the process alive.
  const keepAlive = setInterval(() => {}, 1000)
  t.after(async () => {
    await runner.stop()
    clearInterval(keepAlive)
  })
  return { runner, failures }
}

const until = async (isTrue: () => boolean, what: string) => {
  for (let waitedMs = 0; !isTrue(); waitedMs += 5) {
    assert.ok(waitedMs < 10_000, `timed out: ${what}`)
    await sleep(5)
  }
}

const forever = () => new Promise<void>(() => {})

test('a kind that hangs does not stop others, ends at its time limit, and its item is postponed', async (t) => {
  const signals: AbortSignal[] = []
  const hanging = fakeKind('hanging', itemsOf(1, 1), {
    limitMs: 50,
    run: (_item, signal) => {
      signals.push(signal)
      return forever()
    },
  })
  const other = fakeKind('other', itemsOf(1, 20))
  const { failures } = startRunner(t, { kinds: [hanging.kind, other.kind] })
  await until(() => other.done.length === 20, 'the other kind is done')
  await until(() => hanging.postponed.length === 1, 'the item is postponed')
  assert.equal(signals[0]?.aborted, true)
  assert.match(String(failures[0]?.error), /hanging job took longer than 50 ms/)
  assert.deepEqual(failures[0]?.fields, { id: 0 })
})

test('a kind that cannot poll or claim does not stop others, and recovers', async (t) => {
  let polls = 0
  let claims = 0
  const broken = fakeKind('broken', itemsOf(1, 3))
  const { findDue, claim } = broken.kind
  broken.kind.findDue = () => (++polls <= 2 ? Promise.reject(new Error('no database')) : findDue())
  broken.kind.claim = (...args) => (++claims <= 2 ? Promise.reject(new Error('no database')) : claim(...args))
  const other = fakeKind('other', itemsOf(1, 3))
  const { failures } = startRunner(t, { kinds: [broken.kind, other.kind] })
  await until(() => other.done.length === 3 && broken.done.length === 3, 'both are done')
  assert.deepEqual(
    failures.map(({ name, fields }) => `${name} ${fields.step}`),
    ['broken poll', 'broken poll', 'broken claim', 'broken claim'],
  )
})

test('an item that fails is postponed and does not block others', async (t) => {
  const kind = fakeKind('some', itemsOf(1, 10), {
    run: async (item) => {
      if (item.id === 0) throw new Error('no')
      kind.done.push(item)
    },
  })
  startRunner(t, { kinds: [kind.kind] })
  await until(() => kind.done.length === 9 && kind.postponed.length === 1, 'the others are done')
  assert.deepEqual(kind.postponed, [{ storeId: 1, id: 0 }])
})

test('a store with thousands of due items does not delay other stores', async (t) => {
  const kind = fakeKind('some', [...itemsOf(1, 5000), ...itemsOf(2, 1)])
  const order: number[] = []
  kind.kind.run = async ({ storeId }) => {
    order.push(storeId)
    await sleep(1)
  }
  startRunner(t, { kinds: [kind.kind] })
  await until(() => order.includes(2), 'the other store was served')
  assert.ok(order.indexOf(2) < 10, `served at position ${order.indexOf(2)}`)
  kind.items.push({ storeId: 3, id: 0 })
  const before = order.length
  await until(() => order.includes(3), 'a store that is added later was served')
  // The next poll finds it, while the first store still has work.
  assert.ok(kind.items.length > 1000, `${order.length - before} items later`)
})

test('a store whose items hang leaves half of the slots to others', async (t) => {
  const kind = fakeKind('some', itemsOf(1, 100))
  const other: Item[] = []
  kind.kind.run = (item) => (item.storeId === 1 ? forever() : Promise.resolve(void other.push(item)))
  const { runner } = startRunner(t, { kinds: [kind.kind] })
  await until(() => runner.stats()[0]?.running === 2, 'the store has its share')
  kind.items.push(...itemsOf(2, 20))
  await until(() => other.length === 20, 'the other store is done')
  assert.equal(runner.stats()[0]?.running, 2)
})

test('runSoon starts work at once, with or without a store, and thousands of calls cost few polls', async (t) => {
  const kind = fakeKind('some', [])
  let polls = 0
  const { findDue } = kind.kind
  kind.kind.findDue = () => {
    polls++
    return findDue()
  }
  const { runner } = startRunner(t, { kinds: [kind.kind], everyMs: 600_000 })
  kind.items.push(...itemsOf(7, 3))
  runner.runSoon('some', 7)
  await until(() => kind.done.length === 3, 'work of the named store is done')
  kind.items.push(...itemsOf(8, 3))
  runner.runSoon('some')
  await until(() => kind.done.length === 6, 'work of any store is done')
  const startedMs = Date.now()
  for (let i = 0; i < 5000; i++) {
    kind.items.push({ storeId: i % 50, id: i })
    if (i % 2 === 0) runner.runSoon('some', i % 50)
    else runner.runSoon('some')
    if (i % 50 === 0) await sleep(2)
  }
  await until(() => kind.done.length === 5006, 'a flood is done')
  const maxPolls = (Date.now() - startedMs) / 200 + 4
  assert.ok(polls <= maxPolls, `${polls} polls`)
  assert.throws(() => runner.runSoon('unknown'))
})

test('stats count the items that wait, run, are done and have failed', async (t) => {
  const gate = Promise.withResolvers<void>()
  const kind = fakeKind('some', itemsOf(1, 3), {
    concurrency: 2,
    run: async ({ id }) => {
      await gate.promise
      if (id === 2) throw new Error('no')
    },
  })
  const { runner } = startRunner(t, { kinds: [kind.kind] })
  const stats = () => runner.stats()[0]
  await until(() => stats()?.running === 1, 'one runs')
  assert.deepEqual(
    { ...stats(), waiting: 3 },
    {
      ...{ name: 'some', waiting: 3, oldestAt: new Date(0), running: 1, done: 0, failed: 0 },
    },
  )
  gate.resolve()
  await until(() => stats()?.waiting === 0 && stats()?.failed === 1, 'all ran')
  assert.deepEqual(stats(), { name: 'some', waiting: 0, oldestAt: null, running: 0, done: 2, failed: 1 })
})

test('a stop starts no more items and waits for those that run', async (t) => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const kind = fakeKind('some', itemsOf(1, 10), { run: ({ id }) => gates[id]?.promise ?? Promise.resolve() })
  const { runner, failures } = startRunner(t, { kinds: [kind.kind], graceMs: 10_000 })
  await until(() => runner.stats()[0]?.running === 2, 'two run')
  const stopping = runner.stop()
  runner.runSoon('some', 1)
  gates[0]?.resolve()
  await until(() => runner.stats()[0]?.running === 1, 'one has ended')
  await sleep(30)
  assert.equal(kind.items.length, 8, 'its slot stays empty')
  gates[1]?.resolve()
  await stopping
  assert.deepEqual([kind.items.length, failures.length, runner.stats()[0]?.done], [8, 0, 2])
})

test('items that are being claimed during a stop are not started', async (t) => {
  const claimed = Promise.withResolvers<Item[]>()
  let claims = 0
  const kind = fakeKind('some', itemsOf(1, 1), {
    claim: () => {
      claims++
      return claimed.promise
    },
  })
  const { runner } = startRunner(t, { kinds: [kind.kind], graceMs: 10_000 })
  await until(() => claims === 1, 'it claims')
  const stopping = runner.stop()
  claimed.resolve(itemsOf(1, 1))
  await stopping
  assert.deepEqual([claims, kind.done], [1, []])
})

test('a stop aborts items that do not end in time, and ends even if they never settle', async (t) => {
  const signals: AbortSignal[] = []
  const kind = fakeKind('some', itemsOf(1, 1), {
    run: (_item, signal) => {
      signals.push(signal)
      return forever()
    },
  })
  const { runner, failures } = startRunner(t, { kinds: [kind.kind], graceMs: 30 })
  await until(() => signals.length === 1, 'it runs')
  await runner.stop()
  assert.equal(signals[0]?.aborted, true)
  assert.match(String(failures[0]?.error), /the service stopped/)
  assert.deepEqual(kind.postponed, [])
})

test('an item that follows another runs in its slot, and none follows after a stop', async (t) => {
  const gate = Promise.withResolvers<void>()
  const kind = fakeKind('some', itemsOf(1, 1), {
    run: async ({ storeId, id }) => {
      if (id === 5) await gate.promise
      kind.done.push({ storeId, id })
      return new FollowedBy({ storeId, id: id + 1 })
    },
  })
  const { runner } = startRunner(t, { kinds: [kind.kind], graceMs: 10_000 })
  await until(() => kind.done.length === 5, 'five have followed each other')
  assert.deepEqual([runner.stats()[0]?.done, runner.stats()[0]?.running], [5, 1])
  const stopping = runner.stop()
  gate.resolve()
  await stopping
  assert.equal(kind.done.length, 6)
})

test('a store whose items free each other is claimed again without a poll', async (t) => {
  const kind = fakeKind('some', [], { claimsAgain: true, concurrency: 8 })
  const { claim } = kind.kind
  kind.kind.claim = (storeId) => claim(storeId, 1)
  const { runner } = startRunner(t, { kinds: [kind.kind], everyMs: 600_000 })
  kind.items.push(...itemsOf(1, 20))
  runner.runSoon('some', 1)
  await until(() => kind.done.length === 20, 'all are done')
})

test('two kinds cannot have the same name', () => {
  const kinds = [fakeKind('some', []).kind, fakeKind('some', []).kind]
  assert.throws(() => createJobRunner({ kinds, onFailure: () => {} }), /same name/)
})
