import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import type { Failure } from '../core/errors.ts'
import type { OnDisconnect } from '../core/on-disconnect.ts'
import {
  type ConnectionShare,
  createPatience,
  createQueues,
  maxQueued,
  noCaller,
  shareConnections,
  splitPool,
} from './queueing.ts'

const store = (name: string, max = 2): ConnectionShare => ({ name, max, mayUseReserve: false })
const urgent: ConnectionShare = { name: 'health', max: 1, mayUseReserve: true }

const leaving: (() => void)[] = []

/** Whoever still waits leaves after the test: the time limit of a wait keeps the process running. */
const disconnectsAfterTest: OnDisconnect = (leave) => {
  leaving.push(leave)
  return () => {}
}
afterEach(() => {
  for (const leave of leaving.splice(0)) leave()
})

/** Five connections, one of them reserved, and a log of the admitted requests. */
const openShares = ({ size = 5, maxWaiting = 100, maxWaitMs = 60_000 } = {}) => {
  const shares = shareConnections({ size, maxWaiting, maxWaitMs })
  const log: string[] = []
  const enter = (
    share: ConnectionShare,
    name = share.name,
    { onDisconnect = disconnectsAfterTest, patience = noCaller.patience } = {},
  ) => {
    const entered = shares.enter(share, { onDisconnect, patience })
    entered.then(
      () => log.push(name),
      (error: Failure) => log.push(`${name}: ${error.code}`),
    )
    return entered
  }
  return { ...shares, enter, log }
}

/** Lets every pending promise settle. */
const settle = () => new Promise(setImmediate)

/** A caller that the test can disconnect. */
const caller = () => {
  let leave = () => {}
  const onDisconnect: OnDisconnect = (then) => {
    leave = then
    return () => {
      leave = () => {}
    }
  }
  return { onDisconnect, disconnect: () => leave() }
}

test('with two or more connections, some are reserved for health checks and key lookups', () => {
  assert.deepEqual(
    [1, 2, 3, 5, 10, 50].map((size) => ({ size, ...splitPool(size) })),
    [
      { size: 1, common: 1, maxPerStore: 1 },
      { size: 2, common: 1, maxPerStore: 1 },
      { size: 3, common: 2, maxPerStore: 1 },
      { size: 5, common: 4, maxPerStore: 2 },
      { size: 10, common: 8, maxPerStore: 4 },
      { size: 50, common: 40, maxPerStore: 20 },
    ],
  )
})

test('a store at its maximum waits, and another store is served before it', async () => {
  const { enter, waiting, log } = openShares()
  for (let i = 0; i < 10; i++) enter(store('busy'))
  enter(store('quiet'))
  await settle()
  assert.deepEqual(log, ['busy', 'busy', 'quiet'])
  assert.equal(waiting(), 8)
})

test('only health checks and key lookups use the reserved connections', async () => {
  const { enter, log } = openShares()
  for (const name of ['a', 'b', 'c']) for (let i = 0; i < 2; i++) enter(store(name))
  await settle()
  assert.deepEqual(log, ['a', 'a', 'b', 'b'])
  await enter(urgent)
  assert.deepEqual(log.at(-1), 'health')
})

test('waiting stores are served round-robin, however many requests each has sent', async () => {
  const { enter, leave, log } = openShares()
  const holders = await Promise.all(['x', 'x', 'y', 'y'].map((name) => enter(store(name))))
  for (let i = 0; i < 4; i++) enter(store('busy'))
  for (let i = 0; i < 2; i++) enter(store('quiet'))
  log.length = 0
  for (const holder of holders) leave(holder)
  await settle()
  assert.deepEqual(log, ['busy', 'quiet', 'busy', 'quiet'])
})

test('with too many requests waiting, the newest of the longest queue is refused, so one store cannot block others', async () => {
  const { enter, log, waiting } = openShares({ maxWaiting: 6 })
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

test('a request that waits too long is refused with Retry-After, and a disconnected one leaves the queue', async () => {
  const { enter, leave, log, waiting } = openShares({ size: 1, maxWaitMs: 1 })
  const holder = await enter(store('a'))
  await assert.rejects(enter(store('b')), (error: Failure) => error.headers['retry-after'] === '1')
  assert.equal(waiting(), 0)
  const patient = openShares({ size: 1 })
  const held = await patient.enter(store('a'))
  const { onDisconnect, disconnect } = caller()
  const disconnected = patient.enter(store('b'), 'b', { onDisconnect })
  patient.enter(store('c'))
  disconnect()
  await assert.rejects(disconnected, { code: 'BAD_REQUEST' })
  patient.leave(held)
  await settle()
  assert.deepEqual(patient.log, ['a', 'b: BAD_REQUEST', 'c'])
  leave(holder)
  await enter(store('d'))
  assert.equal(log.at(-1), 'd')
})

test('the waits of a request count together, and those at the same time once', () => {
  let time = 0
  const patience = createPatience(10, () => time)
  const endFirst = patience.beginWait()
  time = 2
  const endSecond = patience.beginWait()
  time = 4
  endFirst()
  assert.equal(patience.leftMs(), 6)
  time = 5
  endSecond()
  time = 100
  assert.equal(patience.leftMs(), 5)
  patience.beginWait()
  time = 200
  assert.equal(patience.leftMs(), 0)
  patience.renew()
  assert.equal(patience.leftMs(), 10)
  time = 203
  assert.equal(patience.leftMs(), 7)
})

test('a request that has used up its time gets what is free and waits for nothing', async () => {
  const { enter, leave, waiting } = openShares({ size: 1 })
  const patience = createPatience(0)
  const holder = await enter(store('a'), 'a', { patience })
  await assert.rejects(enter(store('b'), 'b', { patience }), { code: 'SERVICE_UNAVAILABLE' })
  assert.equal(waiting(), 0)
  const { runInQueues } = createQueues({ maxWaitMs: 60_000 })
  const hold = Promise.withResolvers<void>()
  const first = runInQueues(['cart'], { ...noCaller, patience }, () => hold.promise)
  await assert.rejects(
    runInQueues(['cart'], { ...noCaller, patience }, async () => {}),
    { code: 'SERVICE_UNAVAILABLE' },
  )
  hold.resolve()
  await first
  leave(holder)
})

test('work under one name runs one at a time in order, and other names do not wait', async () => {
  const { runInQueues, waiting } = createQueues({ maxWaitMs: 60_000 })
  const log: string[] = []
  const gates = new Map<string, () => void>()
  const work = (name: string) => () =>
    new Promise<void>((resolve) => {
      log.push(name)
      gates.set(name, resolve)
    })
  const all = ['a 1', 'a 2', 'a 3', 'b 1'].map((name) => runInQueues([name.slice(0, 1)], noCaller, work(name)))
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

test('a queue is bounded: one more request is 429, and a disconnect frees a position', async () => {
  const { runInQueues } = createQueues({ maxWaitMs: 60_000 })
  const hold = Promise.withResolvers<void>()
  const last = caller()
  const enter = (onDisconnect = noCaller.onDisconnect) =>
    runInQueues(['cart'], { ...noCaller, onDisconnect }, () => hold.promise)
  const all = Array.from({ length: maxQueued }, () => enter())
  const disconnected = enter(last.onDisconnect)
  await assert.rejects(
    enter(),
    (error: Failure) => error.code === 'RATE_LIMITED' && error.headers['retry-after'] === '1',
  )
  last.disconnect()
  await assert.rejects(disconnected, { code: 'BAD_REQUEST' })
  all.push(enter())
  hold.resolve()
  await Promise.all(all)
})

test('work that fails lets the next in its queue run', async () => {
  const { runInQueues } = createQueues({ maxWaitMs: 60_000 })
  const failing = runInQueues(['a', 'b'], noCaller, () => Promise.reject(new Error('no')))
  const next = runInQueues(['b', 'c'], noCaller, async () => 'done')
  await assert.rejects(failing, /no/)
  assert.equal(await next, 'done')
})
