import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CircuitOpen, createCircuits } from './circuit.ts'

const openCircuits = () => {
  let time = 0
  let calls = 0
  const circuits = createCircuits({
    nowMs: () => time,
    maxFailures: 3,
    openMs: 1000,
    isFailure: (error) => error instanceof Error && error.message === 'down',
  })
  const call = (key: string, outcome: 'ok' | 'down' | 'refused') =>
    circuits.run('provider', key, async () => {
      calls++
      if (outcome !== 'ok') throw new Error(outcome)
      return outcome
    })
  const failTimes = async (key: string, count: number) => {
    for (let n = 0; n < count; n++) await assert.rejects(call(key, 'down'), /down/)
  }
  return { call, failTimes, calls: () => calls, pass: (ms: number) => (time += ms), circuits }
}

test('a circuit opens after failures in a row, for its key alone', async () => {
  const { call, failTimes, calls } = openCircuits()
  await failTimes('a', 3)
  await assert.rejects(call('a', 'ok'), CircuitOpen)
  assert.equal(calls(), 3)
  assert.equal(await call('b', 'ok'), 'ok')
})

test('a success and a refusal both start the count again', async () => {
  const { call, failTimes } = openCircuits()
  await failTimes('a', 2)
  await call('a', 'ok')
  await failTimes('a', 2)
  await assert.rejects(call('a', 'refused'), /refused/)
  await failTimes('a', 2)
  assert.equal(await call('a', 'ok'), 'ok')
})

test('after a while one call tries again, and its outcome decides', async () => {
  const { call, failTimes, pass, circuits } = openCircuits()
  await failTimes('a', 3)
  pass(1000)
  let finish = () => {}
  const trial = circuits.run('provider', 'a', () => new Promise<void>((resolve) => (finish = resolve)))
  await assert.rejects(call('a', 'ok'), CircuitOpen, 'the trial is not decided')
  finish()
  await trial
  assert.equal(await call('a', 'ok'), 'ok')
  await failTimes('a', 3)
  pass(1000)
  await failTimes('a', 1)
  await assert.rejects(call('a', 'ok'), CircuitOpen)
})
