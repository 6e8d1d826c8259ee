import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../core/errors.ts'
import { createPasswordHasher } from './passwords.ts'

/** A place that is never handed on would be waited for in vain. */
const impatient = { timeout: 30_000 }

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
    await passwords.inTurn(({ hash }) => hash('a password'))
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
  const tries = Array.from({ length: 6 }, () => passwords.inTurn(({ hash }) => hash('a password')))
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

test('work that fails gives its place to the next', impatient, async () => {
  const passwords = createPasswordHasher({ atOnce: 1 })
  const failing = passwords.inTurn(async () => {
    throw new Error('no')
  })
  const next = passwords.inTurn(async () => 'done')
  await assert.rejects(failing, /no/)
  assert.equal(await next, 'done')
  assert.equal(await passwords.inTurn(async () => 'again'), 'again')
})

test('a password fits its own hash and no other, and none fits when there is no hash', async () => {
  const passwords = createPasswordHasher()
  await passwords.inTurn(async ({ hash, check, isOutdated }) => {
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
  await passwords.inTurn(async ({ check, isOutdated }) => {
    assert.equal(await check('password', known), true)
    assert.equal(await check('differentpassword', known), false)
    assert.equal(isOutdated(known), true)
  })
})
