import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../core/errors.ts'
import type { PasswordHasher } from '../context.ts'
import { createPasswordHasher } from './passwords.ts'

/** A slot that is never passed on would make the test hang. */
const impatient = { timeout: 30_000 }

/** The client in tests where it makes no difference. */
const asha = { storeId: 1, client: '203.0.113.1' }

/** Hashing that finishes when the test calls `finishOne`. */
const heldHashing = () => {
  const running: (() => void)[] = []
  const seen = { max: 0 }
  const derive = async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    running.push(resolve)
    seen.max = Math.max(seen.max, running.length)
    await promise
    return Buffer.alloc(32)
  }
  const finishOne = async () => {
    running.shift()?.()
    await new Promise(setImmediate)
  }
  return { derive, running, seen, finishOne }
}

test('at most two passwords are hashed at once, in order of arrival', impatient, async () => {
  const { derive, running, seen, finishOne } = heldHashing()
  const passwords = createPasswordHasher({ derive })
  const done: number[] = []
  const all = Array.from({ length: 7 }, async (_, i) => {
    await passwords.runQueued(asha, ({ hash }) => hash('a password'))
    done.push(i)
  })
  await new Promise(setImmediate)
  while (running.length > 0) await finishOne()
  await Promise.all(all)
  assert.equal(seen.max, 2)
  assert.deepEqual(done, [0, 1, 2, 3, 4, 5, 6])
})

test('a request that finds the queue full is refused at once, and the queue keeps moving', impatient, async () => {
  const { derive, running, finishOne } = heldHashing()
  const passwords = createPasswordHasher({ derive, maxRunning: 2, maxWaiting: 3 })
  const tries = Array.from({ length: 6 }, () => passwords.runQueued(asha, ({ hash }) => hash('a password')))
  const last = tries.pop()
  await assert.rejects(last as Promise<string>, (error: Failure) => {
    assert.ok(error instanceof Failure)
    assert.deepEqual([error.code, error.headers], ['SERVICE_UNAVAILABLE', { 'retry-after': '2' }])
    return true
  })
  await new Promise(setImmediate)
  while (running.length > 0) await finishOne()
  assert.equal((await Promise.all(tries)).length, 5)
})

/** Queues work under a name, and records the names in order of completion. */
const recordOrder = (passwords: PasswordHasher) => {
  const done: string[] = []
  const refused: string[] = []
  const ask = async (name: string, storeId: number, client = '203.0.113.1') => {
    try {
      await passwords.runQueued({ storeId, client }, ({ hash }) => hash('a password'))
      done.push(name)
    } catch (error) {
      assert.ok(error instanceof Failure && error.code === 'SERVICE_UNAVAILABLE', String(error))
      refused.push(name)
    }
  }
  return { ask, done, refused }
}

test('a flood at one store does not delay another store: its sign-in is served next', impatient, async () => {
  const { derive, running, finishOne } = heldHashing()
  const { ask, done, refused } = recordOrder(createPasswordHasher({ derive, maxRunning: 1, maxWaiting: 10 }))
  const all = Array.from({ length: 40 }, (_, i) => ask(`flood ${i}`, 1))
  all.push(ask('other store', 2), ask('other store again', 2))
  await new Promise(setImmediate)
  while (running.length > 0) await finishOne()
  await Promise.all(all)
  assert.deepEqual(done.slice(0, 5), ['flood 0', 'flood 1', 'other store', 'flood 2', 'other store again'])
  assert.equal(done.length, 11)
  assert.equal(refused.length, 31)
  assert.ok(refused.every((name) => name.startsWith('flood')))
})

test('a flood of one client does not block other clients of the same store', impatient, async () => {
  const { derive, running, finishOne } = heldHashing()
  const { ask, done, refused } = recordOrder(createPasswordHasher({ derive, maxRunning: 1, maxWaiting: 10 }))
  const all = Array.from({ length: 40 }, (_, i) => ask(`flood ${i}`, 1, '198.51.100.7'))
  all.push(ask('asha', 1, '203.0.113.1'), ask('ravi', 1, '203.0.113.2'))
  await new Promise(setImmediate)
  while (running.length > 0) await finishOne()
  await Promise.all(all)
  assert.deepEqual(done.slice(0, 4), ['flood 0', 'flood 1', 'asha', 'ravi'])
  assert.ok(refused.every((name) => name.startsWith('flood')))
})

test('one client can use the whole queue while nobody else needs it', impatient, async () => {
  const { derive, running, finishOne } = heldHashing()
  const { ask, done, refused } = recordOrder(createPasswordHasher({ derive, maxRunning: 1, maxWaiting: 10 }))
  const all = Array.from({ length: 11 }, (_, i) => ask(String(i), 1))
  await new Promise(setImmediate)
  while (running.length > 0) await finishOne()
  await Promise.all(all)
  assert.deepEqual([done.length, refused.length], [11, 0])
})

test('stores that flood at the same time share the queue evenly', impatient, async () => {
  const { derive, running, finishOne } = heldHashing()
  const { ask, done } = recordOrder(createPasswordHasher({ derive, maxRunning: 1, maxWaiting: 12 }))
  const all = [1, 2, 3].flatMap((storeId) => Array.from({ length: 30 }, () => ask(String(storeId), storeId)))
  await new Promise(setImmediate)
  while (running.length > 0) await finishOne()
  await Promise.all(all)
  for (const store of ['1', '2', '3']) {
    const count = done.filter((name) => name === store).length
    assert.ok(count >= 3 && count <= 6, `store ${store} had ${count} turns`)
  }
})

test('a request that waited too long is refused, and the slot goes to the next', impatient, async () => {
  const { derive, running, finishOne } = heldHashing()
  const { ask, done, refused } = recordOrder(createPasswordHasher({ derive, maxRunning: 1, maxWaitMs: 1 }))
  const first = ask('first', 1)
  await ask('waited in vain', 1)
  assert.deepEqual(refused, ['waited in vain'])
  await finishOne()
  await first
  const last = ask('last', 1)
  await new Promise(setImmediate)
  while (running.length > 0) await finishOne()
  await last
  assert.deepEqual(done, ['first', 'last'])
})

test('failed work passes its slot to the next', impatient, async () => {
  const passwords = createPasswordHasher({ maxRunning: 1 })
  const failing = passwords.runQueued(asha, async () => {
    throw new Error('no')
  })
  const next = passwords.runQueued(asha, async () => 'done')
  await assert.rejects(failing, /no/)
  assert.equal(await next, 'done')
  assert.equal(await passwords.runQueued(asha, async () => 'again'), 'again')
})

test('a password matches only its own hash, and nothing matches a missing hash', async () => {
  const passwords = createPasswordHasher()
  await passwords.runQueued(asha, async ({ hash, check, isOutdated }) => {
    const [first, second] = [await hash('a password'), await hash('a password')]
    assert.notEqual(first, second)
    assert.equal(await check('a password', first), true)
    assert.equal(await check('a Password', first), false)
    assert.equal(await check('a password', undefined), false)
    assert.equal(isOutdated(first), false)
    await assert.rejects(check('a password', 'plain text'), /unknown format/)
  })
})

test('a hash of the reference implementation can be checked', async () => {
  const known = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
  const passwords = createPasswordHasher()
  await passwords.runQueued(asha, async ({ check, isOutdated }) => {
    assert.equal(await check('password', known), true)
    assert.equal(await check('differentpassword', known), false)
    assert.equal(isOutdated(known), true)
  })
})
