import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../core/errors.ts'
import type { PasswordHasher } from '../context.ts'
import { createPasswordHasher } from './passwords.ts'

/** A place that is never handed on would be waited for in vain. */
const impatient = { timeout: 30_000 }

/** Who asks, in the tests where that makes no difference. */
const asha = { storeId: 1, client: '203.0.113.1' }

/** Hashing that ends when the test says so. */
const heldHashing = () => {
  const running: (() => void)[] = []
  const seen = { most: 0 }
  const derive = async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    running.push(resolve)
    seen.most = Math.max(seen.most, running.length)
    await promise
    return Buffer.alloc(32)
  }
  const finishOne = async () => {
    running.shift()?.()
    await new Promise(setImmediate)
  }
  return { derive, running, seen, finishOne }
}

test('no more than two passwords are hashed at once, in the order of their arrival', impatient, async () => {
  const { derive, running, seen, finishOne } = heldHashing()
  const passwords = createPasswordHasher({ derive })
  const done: number[] = []
  const all = Array.from({ length: 7 }, async (_, i) => {
    await passwords.inTurn(asha, ({ hash }) => hash('a password'))
    done.push(i)
  })
  await new Promise(setImmediate)
  while (running.length > 0) await finishOne()
  await Promise.all(all)
  assert.equal(seen.most, 2)
  assert.deepEqual(done, [0, 1, 2, 3, 4, 5, 6])
})

test('whoever finds the line full is sent away at once, and the line moves on', impatient, async () => {
  const { derive, running, finishOne } = heldHashing()
  const passwords = createPasswordHasher({ derive, atOnce: 2, mostWaiting: 3 })
  const tries = Array.from({ length: 6 }, () => passwords.inTurn(asha, ({ hash }) => hash('a password')))
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

/** Asks for a turn under a name; the names are noted in the order in which their work is done. */
const noteTurns = (passwords: PasswordHasher) => {
  const done: string[] = []
  const refused: string[] = []
  const ask = async (name: string, storeId: number, client = '203.0.113.1') => {
    try {
      await passwords.inTurn({ storeId, client }, ({ hash }) => hash('a password'))
      done.push(name)
    } catch (error) {
      assert.ok(error instanceof Failure && error.code === 'SERVICE_UNAVAILABLE', String(error))
      refused.push(name)
    }
  }
  return { ask, done, refused }
}

test('a flood at one store does not delay another: its sign-in is next in turn', impatient, async () => {
  const { derive, running, finishOne } = heldHashing()
  const { ask, done, refused } = noteTurns(createPasswordHasher({ derive, atOnce: 1, mostWaiting: 10 }))
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

test('a flood of one caller keeps no other caller of the same store out', impatient, async () => {
  const { derive, running, finishOne } = heldHashing()
  const { ask, done, refused } = noteTurns(createPasswordHasher({ derive, atOnce: 1, mostWaiting: 10 }))
  const all = Array.from({ length: 40 }, (_, i) => ask(`flood ${i}`, 1, '198.51.100.7'))
  all.push(ask('asha', 1, '203.0.113.1'), ask('ravi', 1, '203.0.113.2'))
  await new Promise(setImmediate)
  while (running.length > 0) await finishOne()
  await Promise.all(all)
  assert.deepEqual(done.slice(0, 4), ['flood 0', 'flood 1', 'asha', 'ravi'])
  assert.ok(refused.every((name) => name.startsWith('flood')))
})

test('the room that others leave free is for whoever needs it, up to the whole line', impatient, async () => {
  const { derive, running, finishOne } = heldHashing()
  const { ask, done, refused } = noteTurns(createPasswordHasher({ derive, atOnce: 1, mostWaiting: 10 }))
  const all = Array.from({ length: 11 }, (_, i) => ask(String(i), 1))
  await new Promise(setImmediate)
  while (running.length > 0) await finishOne()
  await Promise.all(all)
  assert.deepEqual([done.length, refused.length], [11, 0])
})

test('stores that flood at the same time share the line evenly', impatient, async () => {
  const { derive, running, finishOne } = heldHashing()
  const { ask, done } = noteTurns(createPasswordHasher({ derive, atOnce: 1, mostWaiting: 12 }))
  const all = [1, 2, 3].flatMap((storeId) => Array.from({ length: 30 }, () => ask(String(storeId), storeId)))
  await new Promise(setImmediate)
  while (running.length > 0) await finishOne()
  await Promise.all(all)
  for (const store of ['1', '2', '3']) {
    const count = done.filter((name) => name === store).length
    assert.ok(count >= 3 && count <= 6, `store ${store} had ${count} turns`)
  }
})

test('whoever has waited too long is sent away, and the place goes to the next', impatient, async () => {
  const { derive, running, finishOne } = heldHashing()
  const { ask, done, refused } = noteTurns(createPasswordHasher({ derive, atOnce: 1, longestWaitMs: 1 }))
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

test('work that fails gives its place to the next', impatient, async () => {
  const passwords = createPasswordHasher({ atOnce: 1 })
  const failing = passwords.inTurn(asha, async () => {
    throw new Error('no')
  })
  const next = passwords.inTurn(asha, async () => 'done')
  await assert.rejects(failing, /no/)
  assert.equal(await next, 'done')
  assert.equal(await passwords.inTurn(asha, async () => 'again'), 'again')
})

test('a password fits its own hash and no other, and none fits when there is no hash', async () => {
  const passwords = createPasswordHasher()
  await passwords.inTurn(asha, async ({ hash, check, isOutdated }) => {
    const [first, second] = [await hash('a password'), await hash('a password')]
    assert.notEqual(first, second)
    assert.equal(await check('a password', first), true)
    assert.equal(await check('a Password', first), false)
    assert.equal(await check('a password', undefined), false)
    assert.equal(isOutdated(first), false)
    await assert.rejects(check('a password', 'plain text'), /unknown form/)
  })
})

test('a hash of the reference implementation can be checked', async () => {
  const known = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
  const passwords = createPasswordHasher()
  await passwords.inTurn(asha, async ({ check, isOutdated }) => {
    assert.equal(await check('password', known), true)
    assert.equal(await check('differentpassword', known), false)
    assert.equal(isOutdated(known), true)
  })
})
