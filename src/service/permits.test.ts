import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { openPermitNetwork, type PermitNetwork } from './fixture.ts'
import type { PermitUse } from './permit-messages.ts'
import { slotOf } from './permits.ts'

type Outcome = { window: number; worker: number; count: number }

/** Calls of one key or client, with the count of each that was answered. */
const countCalls = (network: PermitNetwork, limit: number, use: PermitUse = 'key') => {
  const outcomes: Outcome[] = []
  let calls = 0
  const call = (worker: number, window = 0) => {
    calls++
    const permits = network.worker(worker)
    const counted = permits.count(slotOf(permits.openPurse(use, 'caller', limit), window))
    const note = (count: number) => void outcomes.push({ window, worker, count })
    if (counted instanceof Promise) counted.then(note)
    else note(counted)
    return counted
  }
  return {
    call,
    calls: () => calls,
    outcomes,
    allowed: (window = 0) => outcomes.filter((each) => each.window === window && each.count <= limit).length,
  }
}

/** So many calls of a worker, each after the one before was answered. */
const callInTurn = async (network: PermitNetwork, call: () => unknown, times: number) => {
  for (let i = 0; i < times; i++) {
    if (call() instanceof Promise) await network.settle()
  }
}

test('busy keys are counted without messages, and exactly the limit is allowed whoever holds blocks', async () => {
  const limit = 6_000
  const network = openPermitNetwork(3)
  const { call, allowed, outcomes } = countCalls(network, limit)
  for (const worker of [1, 2]) await callInTurn(network, () => call(worker), 1_000)
  const before = network.messages()
  await callInTurn(network, () => call(1), 1_000)
  assert.ok(network.messages() - before < 20, `${network.messages() - before} messages for 1,000 calls`)
  // All connections go to a worker that has counted nothing so far.
  await callInTurn(network, () => call(3), limit)
  await network.settle()
  assert.equal(allowed(), limit)
  assert.ok(
    outcomes.slice(0, limit).every(({ count }) => count <= limit),
    'no call below the limit is refused',
  )
  assert.equal(typeof call(3), 'number', 'a refused call does not wait')
  const refusing = network.messages()
  for (let i = 0; i < 100; i++) assert.equal(call(3), limit + 1)
  await network.settle()
  assert.equal(network.messages(), refusing)
})

test('the counts of few calls are exact: each one follows the one before', async () => {
  const network = openPermitNetwork(3)
  const { call, outcomes } = countCalls(network, 6_000)
  for (let i = 0; i < 90; i++) {
    call(1 + (i % 3))
    await network.settle()
  }
  assert.deepEqual(
    outcomes.map(({ count }) => count),
    Array.from({ length: 90 }, (_, i) => i + 1),
  )
})

test('visitors need one message for several calls, and their counts are nearly exact', async () => {
  const network = openPermitNetwork(3)
  const { call, outcomes } = countCalls(network, 300, 'client')
  for (let i = 0; i < 48; i++) {
    call(1 + (i % 3))
    await network.settle()
  }
  for (const [at, { count }] of outcomes.entries()) {
    assert.ok(Math.abs(count - (at + 1)) <= (300 - at) / 8, `call ${at + 1} was counted as ${count}`)
  }
  assert.ok(network.messages() <= 24, `${network.messages()} messages for 48 calls`)
})

test('in any order of calls and messages, each window allows exactly its limit', async () => {
  const steps = fc.array(fc.record({ worker: fc.nat(3), calls: fc.nat(400), deliveries: fc.nat(3), pick: fc.nat(7) }), {
    minLength: 10,
    maxLength: 60,
  })
  const scene = fc.record({
    workers: fc.integer({ min: 1, max: 4 }),
    limit: fc.integer({ min: 1, max: 4_000 }),
    use: fc.constantFrom<PermitUse>('key', 'client'),
    steps,
  })
  await fc.assert(
    fc.asyncProperty(scene, async ({ workers, limit, use, steps }) => {
      const network = openPermitNetwork(workers)
      const { call, allowed, outcomes, calls } = countCalls(network, limit, use)
      const made = [0, 0]
      for (const [at, { worker, calls: times, deliveries, pick }] of steps.entries()) {
        // The minute turns in the middle, for some calls earlier than for others.
        const window = at * 2 + (pick % 3) > steps.length ? 1 : 0
        for (let i = 0; i < times; i++) call(1 + (worker % workers), window)
        made[window] = (made[window] ?? 0) + times
        await nextTurn()
        for (let i = 0; i < deliveries; i++) network.deliver(pick)
      }
      let next = 0
      await network.settle(() => steps[next++ % steps.length]?.pick ?? 0)
      assert.equal(outcomes.length, calls(), 'every call is answered')
      for (const window of [0, 1]) assert.equal(allowed(window), Math.min(limit, made[window] ?? 0))
    }),
    { numRuns: 60 },
  )
})

test('the permits of a worker that ends are lost, and everything else is allowed', async () => {
  const limit = 2_000
  const network = openPermitNetwork(3)
  const { call, allowed, outcomes } = countCalls(network, limit)
  for (const worker of [1, 2]) await callInTurn(network, () => call(worker), 300)
  call(3)
  network.end(1)
  network.join(4)
  await callInTurn(network, () => call(4), limit)
  await callInTurn(network, () => call(2), 100)
  await network.settle()
  const lost = limit - allowed()
  assert.ok(lost > 0 && lost <= limit / 12, `${lost} lost`)
  assert.equal(outcomes.at(-1)?.count, limit + 1)
  // Also when it ends while it is asked to return them.
  const second = openPermitNetwork(2)
  const calls = countCalls(second, 1_000)
  await callInTurn(second, () => calls.call(1), 300)
  for (let i = 0; i < 1_000; i++) calls.call(2)
  await nextTurn()
  second.deliver()
  second.end(1)
  await second.settle()
  assert.equal(calls.outcomes.length, 1_300)
  assert.ok(calls.allowed() > 850 && calls.allowed() <= 1_000)
})

test('a worker that does not answer a recall stops no other, and its permits are used when it answers', async () => {
  const limit = 400
  const network = openPermitNetwork(2, 10)
  const { call, allowed, outcomes } = countCalls(network, limit)
  await callInTurn(network, () => call(1), 150)
  network.hold(1)
  for (let i = 0; i < limit; i++) call(2)
  while (outcomes.length < 150 + limit) {
    await network.settle()
    await setTimeout(1)
  }
  assert.ok(allowed() < limit, 'the first worker still has some')
  network.release(1)
  await network.settle()
  await callInTurn(network, () => call(2), 50)
  await network.settle()
  assert.equal(allowed(), limit)
})

test('a limit that is raised within a minute counts at once', async () => {
  const network = openPermitNetwork(2)
  const permits = network.worker(1)
  const count = async (limit: number) => {
    const counted = permits.count(slotOf(permits.openPurse('key', 'key', limit), 0))
    await network.settle()
    return counted
  }
  assert.deepEqual([await count(2), await count(2), await count(2)], [1, 2, 3])
  assert.deepEqual([await count(4), await count(4), await count(4)], [3, 4, 5])
})
