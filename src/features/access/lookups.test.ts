import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as yieldOnce } from 'node:timers/promises'
import { createLookupLimit, createSubjectLimit } from './lookups.ts'

const many = 1_000
const maxMisses = 60

const countOutcomes = async (lookUps: Promise<unknown>[]) => {
  const results = await Promise.allSettled(lookUps)
  return { refused: results.filter(({ status }) => status === 'rejected').length, all: results.length }
}

test('genuine lookups in a burst wait for their turn, and none is refused', async () => {
  const limit = createLookupLimit(() => 0)
  let [underway, most] = [0, 0]
  const lookUp = async () => {
    most = Math.max(most, ++underway)
    await yieldOnce()
    underway--
    return 'found'
  }
  const { refused } = await countOutcomes(Array.from({ length: many }, () => limit('provider', lookUp)))
  assert.equal(refused, 0)
  assert.equal(most, maxMisses)
})

test('a client who guesses many credentials at once gets 60 lookups a minute, and the next minute 60 more', async () => {
  let nowMs = 0
  const limit = createLookupLimit(() => nowMs)
  let lookups = 0
  const guess = async () => {
    lookups++
    await yieldOnce()
    return undefined
  }
  const guessAll = () => countOutcomes(Array.from({ length: many }, () => limit('guesser', guess)))
  assert.deepEqual(await guessAll(), { refused: many - maxMisses, all: many })
  assert.equal(lookups, maxMisses)
  await assert.rejects(limit('guesser', guess), { code: 'RATE_LIMITED' })
  assert.equal(await limit('another client', async () => 'found'), 'found')
  nowMs += 60_000
  assert.deepEqual(await guessAll(), { refused: many - maxMisses, all: many })
  assert.equal(lookups, 2 * maxMisses)
})

test('misses among genuine lookups leave nobody waiting', async () => {
  const limit = createLookupLimit(() => 0)
  const lookUp = (at: number) => async () => {
    await yieldOnce()
    if (at % 50 === 1) throw new Error('The database is away.')
    return at % 50 === 0 ? undefined : 'found'
  }
  const { refused } = await countOutcomes(Array.from({ length: many }, (_, at) => limit('provider', lookUp(at))))
  assert.equal(refused, many / 50)
})

test('one subject with wrong credentials blocks itself, and no other of its client', async () => {
  const limit = createSubjectLimit(
    createLookupLimit(() => 0),
    () => 0,
  )
  const miss = async () => {
    await yieldOnce()
    return undefined
  }
  const calls = Array.from({ length: many }, () => limit('provider', 'store 1', miss))
  assert.deepEqual(await countOutcomes(calls), { refused: many - maxMisses, all: many })
  assert.equal(await limit('provider', 'store 2', async () => 'found'), 'found')
})

test('a client who tries many subjects is refused', async () => {
  const limit = createSubjectLimit(
    createLookupLimit(() => 0),
    () => 0,
  )
  const calls = Array.from({ length: many }, (_, at) => limit('guesser', `store ${at}`, async () => undefined))
  assert.deepEqual(await countOutcomes(calls), { refused: many - maxMisses, all: many })
})
