import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Failure } from '../core/errors.ts'
import type { OnGone } from '../core/on-gone.ts'
import { createLanes, createLines, type Lane, mostInLine, neverGone, shareOut } from './turns.ts'

const store = (name: string, most = 2): Lane => ({ name, most, mayUseReserve: false })
const urgent: Lane = { name: 'health', most: 1, mayUseReserve: true }

/** Lanes on five connections, of which one is kept back, and a log of who was let in. */
const openLanes = ({ size = 5, maxWaiting = 100, patienceMs = 60_000 } = {}) => {
  const lanes = createLanes({ size, maxWaiting, patienceMs })
  const log: string[] = []
  const enter = (lane: Lane, name = lane.name, onGone: OnGone = neverGone) => {
    const entered = lanes.enter(lane, onGone)
    entered.then(
      () => log.push(name),
      (error: Failure) => log.push(`${name}: ${error.code}`),
    )
    return entered
  }
  return { ...lanes, enter, log }
}

/** Everything that can go on has gone on. */
const settle = () => new Promise(setImmediate)

/** A caller who can be made to hang up. */
const caller = () => {
  let leave = () => {}
  const onGone: OnGone = (then) => {
    leave = then
    return () => {
      leave = () => {}
    }
  }
  return { onGone, hangUp: () => leave() }
}

test('connections are shared out so that every instance keeps some for health and keys, where it has two', () => {
  assert.deepEqual(
    [1, 2, 3, 5, 10, 50].map((size) => ({ size, ...shareOut(size) })),
    [
      { size: 1, common: 1, share: 1 },
      { size: 2, common: 1, share: 1 },
      { size: 3, common: 2, share: 1 },
      { size: 5, common: 4, share: 2 },
      { size: 10, common: 8, share: 4 },
      { size: 50, common: 40, share: 20 },
    ],
  )
})

test('a store that has its share waits, and another one goes past it', async () => {
  const { enter, waiting, log } = openLanes()
  for (let i = 0; i < 10; i++) enter(store('busy'))
  enter(store('quiet'))
  await settle()
  assert.deepEqual(log, ['busy', 'busy', 'quiet'])
  assert.equal(waiting(), 8)
})

test('what is kept back is given to none but health and keys', async () => {
  const { enter, log } = openLanes()
  for (const name of ['a', 'b', 'c']) for (let i = 0; i < 2; i++) enter(store(name))
  await settle()
  assert.deepEqual(log, ['a', 'a', 'b', 'b'])
  await enter(urgent)
  assert.deepEqual(log.at(-1), 'health')
})

test('stores that wait take turns, whoever came first and however many each has sent', async () => {
  const { enter, leave, log } = openLanes()
  const holders = await Promise.all(['x', 'x', 'y', 'y'].map((name) => enter(store(name))))
  for (let i = 0; i < 4; i++) enter(store('busy'))
  for (let i = 0; i < 2; i++) enter(store('quiet'))
  log.length = 0
  for (const holder of holders) leave(holder)
  await settle()
  assert.deepEqual(log, ['busy', 'quiet', 'busy', 'quiet'])
})

test('when too many wait, the newest of the longest lane gives way, and a store cannot shut out the others', async () => {
  const { enter, log, waiting } = openLanes({ maxWaiting: 6 })
  for (let i = 0; i < 4; i++) enter(store(`${i}`))
  for (let i = 0; i < 6; i++) enter(store('busy'), `busy ${i}`)
  enter(store('busy'), 'busy 6').catch(() => {})
  await settle()
  assert.equal(log.at(-1), 'busy 6: SERVICE_UNAVAILABLE')
  enter(store('quiet'))
  await settle()
  assert.equal(log.at(-1), 'busy 5: SERVICE_UNAVAILABLE')
  assert.equal(waiting(), 6)
})

test('who waits too long is told to try again, and who hangs up leaves', async () => {
  const { enter, leave, log, waiting } = openLanes({ size: 1, patienceMs: 1 })
  const holder = await enter(store('a'))
  await assert.rejects(enter(store('b')), (error: Failure) => error.headers['retry-after'] === '1')
  assert.equal(waiting(), 0)
  const patient = openLanes({ size: 1 })
  const held = await patient.enter(store('a'))
  const { onGone, hangUp } = caller()
  const gone = patient.enter(store('b'), 'gone', onGone)
  patient.enter(store('c'))
  hangUp()
  await assert.rejects(gone, { code: 'BAD_REQUEST' })
  patient.leave(held)
  await settle()
  assert.deepEqual(patient.log, ['a', 'gone: BAD_REQUEST', 'c'])
  leave(holder)
  await enter(store('d'))
  assert.equal(log.at(-1), 'd')
})

test('work under one name comes one after another in the order it came, and other names do not wait', async () => {
  const { inLines, waiting } = createLines({ patienceMs: 60_000 })
  const log: string[] = []
  const gates = new Map<string, () => void>()
  const work = (name: string) => () =>
    new Promise<void>((resolve) => {
      log.push(name)
      gates.set(name, resolve)
    })
  const all = ['a 1', 'a 2', 'a 3', 'b 1'].map((name) => inLines([name.slice(0, 1)], neverGone, work(name)))
  await settle()
  assert.deepEqual(log, ['a 1', 'b 1'])
  assert.equal(waiting(), 2)
  for (const name of ['a 1', 'b 1', 'a 2', 'a 3']) {
    gates.get(name)?.()
    await settle()
  }
  await Promise.all(all)
  assert.deepEqual(log, ['a 1', 'b 1', 'a 2', 'a 3'])
  assert.equal(waiting(), 0)
})

test('a line has an end: one more is told to wait for its answers, and whoever hangs up makes room', async () => {
  const { inLines } = createLines({ patienceMs: 60_000 })
  const hold = Promise.withResolvers<void>()
  const last = caller()
  const enter = (onGone = neverGone) => inLines(['cart'], onGone, () => hold.promise)
  const all = Array.from({ length: mostInLine }, () => enter())
  const gone = enter(last.onGone)
  await assert.rejects(
    enter(),
    (error: Failure) => error.code === 'RATE_LIMITED' && error.headers['retry-after'] === '1',
  )
  last.hangUp()
  await assert.rejects(gone, { code: 'BAD_REQUEST' })
  all.push(enter())
  hold.resolve()
  await Promise.all(all)
})

test('work that fails hands its place on', async () => {
  const { inLines } = createLines({ patienceMs: 60_000 })
  const failing = inLines(['a', 'b'], neverGone, () => Promise.reject(new Error('no')))
  const next = inLines(['b', 'c'], neverGone, async () => 'done')
  await assert.rejects(failing, /no/)
  assert.equal(await next, 'done')
})
