import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { createLookupLimit } from '../features/access/lookups.ts'
import { openPermitNetwork } from './fixture.ts'
import { createSharedLookups } from './shared-lookups.ts'

const maxMisses = 60

type Kind = 'found' | 'missed' | 'failed'

/** Lookups of one client at several workers, each of which ends when the test says so. */
const openLookups = (workers: number) => {
  const network = openPermitNetwork(workers)
  const limits = Array.from({ length: workers }, (_, i) =>
    createLookupLimit(() => 0, createSharedLookups(network.worker(i + 1))),
  )
  const underway: (() => void)[] = []
  const seen = { found: 0, missed: 0, failed: 0, refused: 0, most: 0 }
  const lookUp = async (worker: number, kind: Kind) => {
    const run = () =>
      new Promise<string | undefined>((resolve, reject) => {
        seen.most = Math.max(seen.most, underway.length + 1 + seen.missed)
        underway.push(() => {
          seen[kind]++
          if (kind === 'failed') reject(new Error('The database is away.'))
          else resolve(kind === 'found' ? 'found' : undefined)
        })
      })
    await limits[worker % workers]?.('client', run).catch((error) => {
      if (error.code === 'RATE_LIMITED') seen.refused++
    })
  }
  const end = (pick: number) => underway.splice(pick % Math.max(1, underway.length), 1)[0]?.()
  /** Ends all lookups, in some order. */
  const endAll = async (pick: () => number) => {
    await network.settle(pick)
    while (underway.length > 0) {
      end(pick())
      await network.settle(pick)
    }
  }
  return { network, lookUp, end, endAll, seen, underway }
}

test('parallel guesses at several workers get 60 lookups together, and then refusals without a message', async () => {
  const { network, lookUp, endAll, seen } = openLookups(3)
  const guesses = Array.from({ length: 400 }, (_, i) => lookUp(i, 'missed'))
  await endAll(() => 0)
  await Promise.all(guesses)
  assert.deepEqual({ missed: seen.missed, refused: seen.refused }, { missed: maxMisses, refused: 400 - maxMisses })
  const before = network.messages()
  await lookUp(1, 'missed')
  assert.deepEqual([seen.refused, network.messages()], [401 - maxMisses, before])
})

test('a burst of genuine lookups at several workers waits for its turn, and none is refused', async () => {
  const { lookUp, endAll, seen } = openLookups(3)
  const burst = Array.from({ length: 1_000 }, (_, i) => lookUp(i, 'found'))
  await endAll(() => 0)
  await Promise.all(burst)
  assert.deepEqual({ found: seen.found, refused: seen.refused }, { found: 1_000, refused: 0 })
  assert.equal(seen.most, maxMisses)
})

test('a genuine client sends one message a minute and waits for nothing else', async () => {
  const { network, lookUp, end, seen } = openLookups(2)
  const first = lookUp(0, 'found')
  await network.settle()
  const before = network.messages()
  end(0)
  await first
  for (let i = 0; i < 500; i++) {
    const next = lookUp(0, 'found')
    await nextTurn()
    end(0)
    await next
  }
  assert.equal(seen.found, 501)
  assert.equal(network.messages(), before)
})

test('in any order of lookups, ends and messages there are never more than 60 misses, and refusals only after them', async () => {
  const kind = fc.constantFrom<Kind>('missed', 'missed', 'found', 'failed')
  const step = fc.record({
    worker: fc.nat(3),
    kind,
    calls: fc.nat(90),
    ends: fc.nat(30),
    deliveries: fc.nat(3),
    pick: fc.nat(9),
  })
  const scene = fc.record({
    workers: fc.integer({ min: 1, max: 4 }),
    steps: fc.array(step, { minLength: 5, maxLength: 50 }),
  })
  await fc.assert(
    fc.asyncProperty(scene, async ({ workers, steps }) => {
      const { network, lookUp, end, endAll, seen } = openLookups(workers)
      const all: Promise<void>[] = []
      for (const { worker, kind, calls, ends, deliveries, pick } of steps) {
        for (let i = 0; i < calls; i++) all.push(lookUp(worker, kind))
        await nextTurn()
        for (let i = 0; i < deliveries; i++) network.deliver(pick)
        for (let i = 0; i < ends; i++) end(pick)
      }
      let next = 0
      await endAll(() => steps[next++ % steps.length]?.pick ?? 0)
      await Promise.all(all)
      assert.ok(seen.most <= maxMisses, `${seen.most} at once`)
      assert.equal(seen.found + seen.missed + seen.failed + seen.refused, all.length)
      if (seen.refused > 0) assert.equal(seen.missed, maxMisses)
    }),
    { numRuns: 25 },
  )
})

test('lookups that wait for a worker that ends go on', async () => {
  const { network, lookUp, endAll, underway, seen } = openLookups(2)
  const lost = Array.from({ length: 60 }, () => lookUp(0, 'found'))
  await network.settle()
  assert.equal(underway.length, 60)
  const waiting = lookUp(1, 'found')
  await network.settle()
  assert.equal(underway.length, 60)
  underway.length = 0
  network.end(1)
  await endAll(() => 0)
  await waiting
  assert.equal(seen.refused, 1, 'what its lookups would have found is not known')
  assert.equal(lost.length, 60)
})
